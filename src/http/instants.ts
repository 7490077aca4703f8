import * as z from 'zod'
import { Refusal } from '../lib/errors.ts'
import { rangeOf } from '../lib/range.ts'
import type { Range } from '../lib/range.ts'
import { parseInstant } from '../lib/time.ts'

/** Timestamps are written with four digits for the year, in every zone. */
const INSTANT_MAX = Date.UTC(9999, 11, 31)

/** An instant in a query. */
export const instantQuery = z
  .string()
  .max(64)
  .superRefine((text, issues) => {
    const message = faultOfInstant(text)
    if (message !== null) issues.addIssue({ code: 'custom', message })
  })
  .meta({ format: 'date-time' })

/** An instant with `Z` or an offset, as answers have it. */
export const timestamp = z.iso.datetime({ offset: true })

/** The range of a history, under the names of the specification or the shorter names of other lists. */
export const rangeQuery = {
  timestamp_begin: instantQuery.optional().describe('The start of the range; default: a day before its end.'),
  timestamp_end: instantQuery.optional().describe('The end of the range, which is excluded; default: now.'),
  begin: instantQuery.optional().describe('Alias of `timestamp_begin`.'),
  end: instantQuery.optional().describe('Alias of `timestamp_end`.'),
}

type RangeQuery = Partial<Record<keyof typeof rangeQuery, string | undefined>>

/** The range of a query. @throws {Refusal} invalid for two names of one bound, or an end before the begin */
export function rangeOfQuery(query: RangeQuery, now: number): Range {
  const { begin, end } = query
  const faults = (['begin', 'end'] as const)
    .filter((name) => query[name] !== undefined && query[`timestamp_${name}`] !== undefined)
    .map((name) => ({ pointer: `?${name}`, message: `must not be sent together with timestamp_${name}` }))
  if (faults.length > 0) throw new Refusal('invalid', 'The query is invalid; see errors.', faults)
  const asked = { begin: begin ?? query.timestamp_begin, end: end ?? query.timestamp_end }
  return rangeOf(asked, now, end === undefined ? '?timestamp_end' : '?end')
}

function faultOfInstant(text: string): string | null {
  try {
    const at = parseInstant(text)
    return at >= 0 && at < INSTANT_MAX ? null : 'must be from 1970-01-01 to 9999-12-30 (UTC)'
  } catch {
    return 'must be an ISO 8601 date-time with Z or an offset; write + as %2B'
  }
}
