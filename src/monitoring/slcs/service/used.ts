import { sha256 } from '../../../lib/digest.ts'
import { intersectionOf, lengthMs, unionOf } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import { readCourses } from '../../state-history/service.ts'
import type { Course } from '../../state-history/service.ts'
import { spansOf } from '../../state-history/timeline.ts'
import { shownState } from '../../states/propagation.ts'
import { activeSpans } from '../active-time.ts'
import type { Counted, SlcRow } from '../store.ts'
import type { FrozenPeriod, Outcome } from '../store/periods.ts'

/** When children were bad, each by itself and any of them, within the active time of a range. */
export type BadTime = {
  readonly bad: readonly Range[]
  readonly byChild: readonly { readonly id: number; readonly bad: readonly Range[] }[]
  readonly active: readonly Range[]
}

export type Counting = {
  readonly slc: Pick<SlcRow, 'activeTime' | 'timeZone'>
  readonly children: readonly Counted[]
  /** When the container was made: before that all is well. */
  readonly createdAt: number
}

/** Reads the recorded states of a container's children over a range. */
export async function readBadTime(
  database: Database,
  counting: Counting,
  range: Range,
): Promise<{ readonly badTime: BadTime; readonly courses: ReadonlyMap<number, Course> }> {
  const ids = counting.children.map(({ id }) => id)
  const courses = await readCourses(database, ids, range)
  return { badTime: badTimeOf(counting, courses, range), courses }
}

function badTimeOf(counting: Counting, courses: ReadonlyMap<number, Course>, range: Range): BadTime {
  const { slc, children, createdAt } = counting
  const active = activeSpans(slc.activeTime, slc.timeZone, range)
  const counted = intersectionOf(active, unionOf([{ beginAt: createdAt, endAt: range.endAt }]))
  const byChild = children.flatMap(({ id, push, overrides }) => {
    const course = courses.get(id)
    if (!course) return []
    const spans = spansOf(course.state, course.changes, range)
    const bad = spans.filter(({ state }) => shownState(state, push, overrides) === 'major')
    return [{ id, bad: intersectionOf(unionOf(bad), counted) }]
  })
  return { bad: unionOf(byChild.flatMap(({ bad }) => bad)), byChild, active }
}

/** How much of a range is active, and how much of that bad, ms. */
export function outcomeOf({ bad, active }: BadTime, range: Range): Outcome {
  return { activeMs: lengthMs(within(active, range)), usedMs: lengthMs(within(bad, range)) }
}

/** What of ranges lies in another. */
export function within(ranges: readonly Range[], range: Range): Range[] {
  return intersectionOf(ranges, unionOf([range]))
}

/** A digest of what a container is judged by; another one means that something else was agreed. */
export function groundOf(slc: SlcRow, children: readonly Counted[]): Promise<string> {
  return sha256(JSON.stringify([slc.limit, slc.warnAt, slc.activeTime, children]))
}

/** A digest of the transitions that children had up to and with an instant: later news of the time before it gives
 * another one. */
export function seqsOf(courses: ReadonlyMap<number, Course>, at: number): Promise<string> {
  const seqs = [...courses].map(([id, { seq, changes }]) => [
    id,
    seq + changes.filter((change) => change.at <= at).length,
  ])
  return sha256(JSON.stringify(seqs.toSorted(([a = 0], [b = 0]) => a - b)))
}

/** What a period that is over came to, by what was agreed then; whole unless a child of then is gone with its history. */
export async function readOutcome(
  database: Database,
  { timeZone, createdAt }: { readonly timeZone: string; readonly createdAt: number },
  { terms, ...range }: FrozenPeriod,
): Promise<Outcome & { readonly isWhole: boolean }> {
  const { activeTime, children } = terms
  // Corrections of the past come in here: the recorded states as they are seen by now.
  const { badTime, courses } = await readBadTime(
    database,
    { slc: { activeTime, timeZone }, children, createdAt },
    range,
  )
  return { ...outcomeOf(badTime, range), isWhole: courses.size === children.length }
}
