import { Refusal } from './errors.ts'
import { DAY_MS, parseInstant } from './time.ts'

/** A half-open range of instants, epoch ms. */
export type Range = { readonly beginAt: number; readonly endAt: number }

/** The range of a query; by default the day that ends with `now`.
 * @throws {Refusal} invalid, pointing at `endPointer`, when it ends before it begins */
export function rangeOf(
  { begin, end }: { readonly begin?: string | undefined; readonly end?: string | undefined },
  now: number,
  endPointer: string,
): Range {
  const endAt = end === undefined ? now + 1 : parseInstant(end)
  const beginAt = begin === undefined ? endAt - DAY_MS : parseInstant(begin)
  if (beginAt < endAt) return { beginAt, endAt }
  throw new Refusal('invalid', 'The query is invalid; see errors.', [
    { pointer: endPointer, message: 'must be later than the begin' },
  ])
}

/** The union of the ranges: ascending, without touching neighbours. Empty ranges are left out. */
export function unionOf(ranges: readonly Range[]): Range[] {
  const union: Range[] = []
  for (const { beginAt, endAt } of ranges.toSorted((a, b) => a.beginAt - b.beginAt)) {
    const last = union.at(-1)
    if (endAt <= beginAt) continue
    if (last && beginAt <= last.endAt) {
      union[union.length - 1] = { beginAt: last.beginAt, endAt: Math.max(last.endAt, endAt) }
    } else union.push({ beginAt, endAt })
  }
  return union
}

/** The part of one range inside another: one range, or none. */
export function cut(range: Range, { beginAt, endAt }: Range): Range[] {
  const part = { beginAt: Math.max(range.beginAt, beginAt), endAt: Math.min(range.endAt, endAt) }
  return part.beginAt < part.endAt ? [part] : []
}

/** The intersection of two lists of ranges, each as `unionOf` makes it. */
export function intersectionOf(some: readonly Range[], others: readonly Range[]): Range[] {
  const both: Range[] = []
  for (let a = 0, b = 0; ;) {
    const [one, other] = [some[a], others[b]]
    if (!one || !other) return both
    const beginAt = Math.max(one.beginAt, other.beginAt)
    const endAt = Math.min(one.endAt, other.endAt)
    if (beginAt < endAt) both.push({ beginAt, endAt })
    if (one.endAt <= other.endAt) a++
    else b++
  }
}

/** How long ranges are together, ms. */
export function lengthMs(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { beginAt, endAt }) => sum + (endAt - beginAt), 0)
}
