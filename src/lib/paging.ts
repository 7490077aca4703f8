import { Refusal } from './errors.ts'
import { base64url, fromBase64url } from './text.ts'

/** A page of a list: `limit` of its items, from where `cursor` says. */
export type Page = { readonly limit: number; readonly cursor?: string | undefined }

/** An opaque cursor for the place where the next page begins. */
export function encodeCursor(place: unknown): string {
  return base64url(new TextEncoder().encode(JSON.stringify(place)))
}

/** Cuts a page from rows of which one more than `limit` was read.
 * @param placeOf the place of a row in the list, as the next page decodes it
 * @returns `next` is the cursor of the next page; null for the last page */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (last: Row) => unknown,
): { readonly shown: Row[]; readonly next: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { shown, next: rows.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null }
}

/** The place that a cursor stands for; undefined for a text that this service did not make. Its content is still untrusted. */
export function decodeCursor(cursor: string): unknown {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
    return JSON.parse(decoder.decode(fromBase64url(cursor)))
  } catch {
    return undefined
  }
}

/** The number that a cursor stands for. @throws {Refusal} invalid for a cursor of another kind of list */
export function decodeNumber(cursor: string): number {
  const place = decodeCursor(cursor)
  if (typeof place === 'number' && Number.isSafeInteger(place)) return place
  throw unknownCursor()
}

/** As many numbers as `count` says, for which a cursor stands. @throws {Refusal} invalid for a cursor of another list */
export function decodeNumbers<const Count extends 2 | 3>(cursor: string, count: Count): NumbersOf<Count> {
  const place = decodeCursor(cursor)
  const isPlace = Array.isArray(place) && place.length === count && place.every(Number.isSafeInteger)
  if (isPlace) return place as unknown as NumbersOf<Count>
  throw unknownCursor()
}

type NumbersOf<Count> = Count extends 2 ? readonly [number, number] : readonly [number, number, number]

export function unknownCursor(): Refusal {
  return new Refusal('invalid', 'The cursor does not belong to this list. Start again without a cursor.', [
    { pointer: '?cursor', message: 'must be a cursor of this list' },
  ])
}
