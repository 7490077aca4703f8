import { Temporal } from 'temporal-polyfill'
import { durationMs } from '../../../lib/duration.ts'
import { DAY_MS, localInstant, parseInstant } from '../../../lib/time.ts'
import { nextChange, isActiveAt } from '../../revaluations/occurrences.ts'
import type { KeptRules, Rules } from '../recipients/schema.ts'

/** How far ahead to search for a time at which a recipient may be notified. */
const AHEAD_MS = 400 * DAY_MS
/** When to look again at a recipient that is on vacation without an end. */
const LOOK_AGAIN_MS = 3_600_000

/** The group member on duty; if that one is away, the next one who is not. Null to notify all members.
 * @param handedOut the number of alarms assigned to members so far */
export function personOnCall(
  { rotation, vacations, timeZone }: Pick<KeptRules, 'rotation' | 'vacations' | 'timeZone'>,
  members: readonly number[],
  { at, handedOut }: { readonly at: number; readonly handedOut: number },
): number | null {
  if (!rotation || members.length === 0) return null
  const first = turnOf(rotation, { at, handedOut, timeZone }) % members.length
  const inOrder = [...members.slice(first), ...members.slice(0, first)]
  // If all members are away, the duty does not change.
  return inOrder.find((userId) => !isAway(vacations, userId, at)) ?? inOrder[0] ?? null
}

/** The number of completed turns; never negative. */
function turnOf(
  rotation: NonNullable<Rules['rotation']>,
  { at, handedOut, timeZone }: { readonly at: number; readonly handedOut: number; readonly timeZone: string },
): number {
  if (rotation.by === 'turn') return handedOut
  if (rotation.by === 'count') return Math.floor(handedOut / rotation.count)
  const beginAt = parseInstant(rotation.begin)
  const intervalMs = durationMs(rotation.interval)
  if (at < beginAt) return 0
  if (intervalMs % DAY_MS !== 0) return Math.floor((at - beginAt) / intervalMs)
  // Turns of whole days change at the same time of day, also across a DST change.
  const local = (instant: number) =>
    Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone)
  const begin = local(beginAt)
  const days = intervalMs / DAY_MS
  const first = begin.toPlainDate()
  const turns = Math.floor(first.until(local(at).toPlainDate(), { largestUnit: 'day' }).days / days)
  const time = begin.toPlainTime().toString()
  return localInstant(first.add({ days: turns * days }), time, timeZone) <= at
    ? turns
    : Math.max(0, turns - 1)
}

/** Until when a recipient, or one user of it, gets no notifications, epoch ms, as far as known now; null if it may be
 * notified. */
export function quietUntil(
  {
    onVacation,
    vacations,
    times,
    timeZone,
  }: Pick<KeptRules, 'onVacation' | 'vacations' | 'times' | 'timeZone'>,
  userId: number,
  at: number,
): number | null {
  if (onVacation) return at + LOOK_AGAIN_MS
  const ends = vacations.filter((one) => isAway([one], userId, at)).map(({ end }) => parseInstant(end))
  if (ends.length > 0) return Math.max(...ends)
  if (!times) return null
  const active = times.map((entry) => ({ ...entry, timezone: entry.timezone ?? timeZone }))
  const schedule = { beginAt: 0, endAt: at + AHEAD_MS, active }
  return isActiveAt(schedule, at) ? null : (nextChange(schedule, at) ?? schedule.endAt)
}

/** Whether a user is on vacation, alone or with all members. */
function isAway(vacations: Rules['vacations'], userId: number, at: number): boolean {
  return vacations.some((one) => (one.userId === null || one.userId === userId) && isWithin(one, at))
}

function isWithin({ begin, end }: Rules['vacations'][number], at: number): boolean {
  return parseInstant(begin) <= at && at < parseInstant(end)
}
