import { invalidAt } from '../../lib/errors.ts'
import { parseInstant } from '../../lib/time.ts'
import { countOccurrences, localTime, occurrencesIn } from './occurrences.ts'
import type { Range } from '../../lib/range.ts'
import type { RevaluationBody } from './schema.ts'
import type { NamedEntry, RevaluationChange, RevaluationRow } from './store.ts'

const LENGTH_MAX_MS = 3_660 * 86_400_000
const OCCURRENCES_MAX = 10_000

/** A revaluation as it is stored. */
export type RevaluationInput = Omit<RevaluationChange, 'running' | 'nextAt'> & Pick<RevaluationRow, 'type'>

/** The revaluation of a body; entries without a time zone get `timeZone`.
 * @throws {Refusal} invalid when it ends before it begins, or is too long */
export function entered(body: RevaluationBody, timeZone: string): RevaluationInput {
  const { type, adjustTo, incident, name, comment, slaRelevant } = body
  const range = { beginAt: parseInstant(body.begin), endAt: parseInstant(body.end) }
  if (range.endAt <= range.beginAt) throw invalidAt('/end', 'must be later than begin')
  if (range.endAt - range.beginAt > LENGTH_MAX_MS)
    throw invalidAt('/end', 'must be at most 3,660 days after begin')
  const active = body.active.map((entry): NamedEntry => ({
    type: entry.type,
    name: entry.name,
    timezone: entry.timezone ?? timeZone,
    times: entry.times,
    exception: entry.exception,
  }))
  const editOnly = !beginsWithEntry(range, active)
  return { ...range, type, adjustTo, incident, name, comment, slaRelevant, active, editOnly }
}

/** Whether the start has the time of day of an entry (specification: Revaluation, rules 1 and 2): local time. */
function beginsWithEntry({ beginAt }: Range, active: readonly NamedEntry[]): boolean {
  const timed = active.filter(({ exception, times }) => !exception && times.length > 0)
  return (
    timed.length === 0 ||
    timed.some(({ timezone, times }) => times.some(({ begin }) => begin === localTime(beginAt, timezone)))
  )
}

/** @throws {Refusal} invalid when the revaluation never applies, or too often */
export function checkOccurrences(what: RevaluationInput): void {
  if (countOccurrences(what.active, what) > OCCURRENCES_MAX)
    throw invalidAt('/active', `must have at most ${OCCURRENCES_MAX} occurrences`)
  if (occurrencesIn(what, what).length === 0)
    throw invalidAt('/active', 'must apply at some time between begin and end')
}

/** @throws {Refusal} invalid when the revaluation is not entirely in the past */
export function checkPast(what: RevaluationInput, now: number): void {
  if (what.endAt > now) throw invalidAt('/end', 'must be in the past')
}
