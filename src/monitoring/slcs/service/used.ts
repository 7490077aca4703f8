import { sha256 } from '../../../lib/digest.ts'
import { intersectionOf, lengthMs, unionOf } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import { chargedSpans } from '../../state-history/recalc.ts'
import { readChargedCourses, recalculate } from '../../state-history/service.ts'
import type { ChargedCourse } from '../../state-history/service.ts'
import { spansOf } from '../../state-history/timeline.ts'
import type { Span } from '../../state-history/timeline.ts'
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
): Promise<{ readonly badTime: BadTime; readonly courses: ReadonlyMap<number, ChargedCourse> }> {
  const ids = counting.children.map(({ id }) => id)
  const courses = await readChargedCourses(database, ids, range)
  return { badTime: badTimeOf(counting, spansIn(courses, range), range), courses }
}

type Past = ReadonlyMap<number, readonly Span[]>

function spansIn(courses: ReadonlyMap<number, ChargedCourse>, range: Range): Past {
  return new Map(
    [...courses].map(([id, { state, changes, charged }]): [number, Span[]] => [
      id,
      chargedSpans(spansOf(state, changes, range), charged?.changes ?? []),
    ]),
  )
}

function badTimeOf(counting: Counting, past: Past, range: Range): BadTime {
  const { slc, children, createdAt } = counting
  const active = activeSpans(slc.activeTime, slc.timeZone, range)
  const counted = intersectionOf(active, unionOf([{ beginAt: createdAt, endAt: range.endAt }]))
  const byChild = children.flatMap(({ id, push, overrides }) => {
    const spans = past.get(id)
    if (!spans) return []
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
export function seqsOf(courses: ReadonlyMap<number, ChargedCourse>, at: number): Promise<string> {
  const upTo = (changes: readonly { readonly at: number }[]) =>
    changes.filter((change) => change.at <= at).length
  const seqs = [...courses].map(([id, { seq, changes, charged }]) => [
    id,
    seq + upTo(changes),
    charged ? charged.firstSeq - 1 + upTo(charged.changes) : 0,
  ])
  return sha256(JSON.stringify(seqs.toSorted(([a = 0], [b = 0]) => a - b)))
}

/** What a period that is over came to, by what was agreed then; whole unless a child of then is gone with its history. */
export async function readOutcome(
  database: Database,
  agreed: { readonly timeZone: string; readonly createdAt: number },
  period: FrozenPeriod,
): Promise<Outcome & { readonly isWhole: boolean }> {
  return outcomeIn(
    agreed,
    period,
    spansIn(await readChargedCourses(database, childrenOf(period), period), period),
  )
}

/** The same with the corrections of the past that were entered for its children, and for what these are in and made of.
 * Maintenance that is to count changes nothing. @throws {Refusal} invalid where that would look at too much */
export async function readCorrectedOutcome(
  database: Database,
  agreed: { readonly timeZone: string; readonly createdAt: number },
  period: FrozenPeriod,
): Promise<Outcome & { readonly isWhole: boolean }> {
  const { beginAt, endAt } = period
  const recorded = spansIn(await readChargedCourses(database, childrenOf(period), period), period)
  const { spans } = await recalculate(database, { recorded, range: { beginAt, endAt } }, true)
  return outcomeIn(agreed, period, spans)
}

function childrenOf({ terms }: FrozenPeriod): number[] {
  return terms.children.map(({ id }) => id)
}

function outcomeIn(
  { timeZone, createdAt }: { readonly timeZone: string; readonly createdAt: number },
  { terms, ...range }: FrozenPeriod,
  past: Past,
) {
  const { activeTime, children } = terms
  const badTime = badTimeOf({ slc: { activeTime, timeZone }, children, createdAt }, past, range)
  return { ...outcomeOf(badTime, range), isWhole: past.size === children.length }
}
