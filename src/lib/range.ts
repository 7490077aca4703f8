import { Refusal } from './errors.ts'
import { parseInstant } from './time.ts'

const DAY_MS = 86_400_000

/** A half-open range of instants, epoch ms. */
export type Range = { readonly beginAt: number; readonly endAt: number }

/** The range of a query: up to and with `now`, and a day long, where it does not say otherwise.
 * @throws {Refusal} invalid, pointing at `endPointer`, when it ends before it begins */
export function rangeOf(
  { begin, end }: { readonly begin?: string | undefined; readonly end?: string | undefined },
  now: number,
  endPointer: string,
): Range {
  const endAt = end === undefined ? now + 1 : parseInstant(end)
  const beginAt = begin === undefined ? endAt - DAY_MS : parseInstant(begin)
  if (beginAt < endAt) return { beginAt, endAt }
  throw new Refusal('invalid', 'The query is not what this request takes; see errors.', [
    { pointer: endPointer, message: 'must be later than the begin' },
  ])
}
