import { sha256 } from '../../../lib/digest.ts'
import { intersectionOf, lengthMs, unionOf } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import { countsForSla, readCorrections } from '../../revaluations/overlays/service.ts'
import { slaSpans, coversOf, laidOver } from '../../state-history/recalc.ts'
import type { Cover } from '../../state-history/recalc.ts'
import { readSlaCourses, recalculate } from '../../state-history/service.ts'
import type { SlaCourse } from '../../state-history/service.ts'
import { spansOf } from '../../state-history/timeline.ts'
import type { Span, StateChange } from '../../state-history/timeline.ts'
import { shownState } from '../../states/propagation.ts'
import { activeSpans } from '../active-time.ts'
import { maintenanceRanges } from '../maintenance-steps.ts'
import type { MaintenanceStep } from '../maintenance-steps.ts'
import { readMaintenanceSteps } from '../store.ts'
import type { Counted, SlcRow } from '../store.ts'
import type { FrozenPeriod, Outcome } from '../store/periods.ts'

/** When each child and any child was bad within the active time of a range. */
export type BadTime = {
  readonly bad: readonly Range[]
  readonly byChild: readonly { readonly id: number; readonly bad: readonly Range[] }[]
  readonly active: readonly Range[]
}

export type Counting = {
  readonly slc: Pick<SlcRow, 'activeTime' | 'timeZone'> & { readonly id: number }
  readonly children: readonly Counted[]
  /** When the container was created: time before that counts as good. */
  readonly createdAt: number
}

/** The data of bad time: transitions of the children, and maintenance of the container. */
export type Recorded = {
  readonly courses: ReadonlyMap<number, SlaCourse>
  readonly steps: readonly MaintenanceStep[]
}

/** Reads the recorded states of a container's children over a range, and the container's maintenance. */
export async function readBadTime(
  database: Database,
  counting: Counting,
  range: Range,
): Promise<{ readonly badTime: BadTime; readonly recorded: Recorded }> {
  const ids = counting.children.map(({ id }) => id)
  const recorded = await readRecorded(database, counting.slc.id, { ids, range })
  return { badTime: badTimeOf(counting, pastIn(recorded, range), range), recorded }
}

async function readRecorded(
  database: Database,
  slcId: number,
  { ids, range }: { readonly ids: readonly number[]; readonly range: Range },
): Promise<Recorded> {
  const [courses, steps] = await Promise.all([
    readSlaCourses(database, ids, range),
    readMaintenanceSteps(database, slcId, range),
  ])
  return { courses, steps }
}

/** The states of the children, and the revaluations of the container itself, which apply in this order to the
 * result. */
export type SlcPast = {
  readonly children: ReadonlyMap<number, readonly Span[]>
  readonly covers: readonly (readonly Cover[])[]
}

function pastIn({ courses, steps }: Recorded, range: Range): SlcPast {
  const excused = maintenanceRanges(steps, 'excused')
  return {
    children: new Map(
      [...courses].map(([id, { state, changes, slaHistory }]): [number, Span[]] => [
        id,
        slaSpans(spansOf(state, changes, range), slaHistory?.changes ?? []),
      ]),
    ),
    // During maintenance of the container no time is bad.
    covers: [excused.map((one) => ({ ...one, becomes: 'ok', maintained: false }))],
  }
}

/** The bad time of a container in a range. */
export function badTimeOf(
  { slc, children, createdAt }: Omit<Counting, 'slc'> & { readonly slc: Omit<Counting['slc'], 'id'> },
  past: SlcPast,
  range: Range,
): BadTime {
  const active = activeSpans(slc.activeTime, slc.timeZone, range)
  const counted = intersectionOf(active, unionOf([{ beginAt: createdAt, endAt: range.endAt }]))
  const byChild = children.flatMap(({ id, push, overrides }) => {
    const spans = past.children.get(id)
    if (!spans) return []
    const bad = spans.filter(({ state }) => shownState(state, push, overrides) === 'major')
    return [{ id, bad: intersectionOf(unionOf(bad), counted) }]
  })
  const bad = unionOf(byChild.flatMap((child) => child.bad))
  if (past.covers.every((layer) => layer.length === 0)) return { bad, byChild, active }
  const changes = bad.flatMap(({ beginAt, endAt }): StateChange[] => [
    { at: beginAt, to: 'major' },
    { at: endAt, to: 'ok' },
  ])
  const spans = past.covers.reduce((below, layer) => laidOver(below, layer), spansOf('ok', changes, range))
  const covered = intersectionOf(unionOf(spans.filter(({ state }) => state === 'major')), counted)
  return {
    bad: covered,
    byChild: byChild.map((child) => ({ ...child, bad: intersectionOf(child.bad, covered) })),
    active,
  }
}

/** The active time of a range, and its bad part, ms. */
export function outcomeOf({ bad, active }: BadTime, range: Range): Outcome {
  return { activeMs: lengthMs(within(active, range)), usedMs: lengthMs(within(bad, range)) }
}

/** The parts of ranges inside another range. */
export function within(ranges: readonly Range[], range: Range): Range[] {
  return intersectionOf(ranges, unionOf([range]))
}

/** A digest of a container's terms and children; it changes when they do. */
export function groundOf(slc: SlcRow, children: readonly Counted[]): Promise<string> {
  return sha256(JSON.stringify([slc.limit, slc.warnAt, slc.activeTime, children]))
}

/** A digest of the children's transitions and the container's maintenance up to and including an instant; it changes
 * with late changes of that time. */
export function seqsOf({ courses, steps }: Recorded, at: number): Promise<string> {
  const upTo = (changes: readonly { readonly at: number }[]) =>
    changes.filter((change) => change.at <= at).length
  const seqs = [...courses].map(([id, { seq, changes, slaHistory }]) => [
    id,
    seq + upTo(changes),
    slaHistory ? slaHistory.firstSeq - 1 + upTo(slaHistory.changes) : 0,
  ])
  const step = steps.findLast((one) => one.at <= at)?.seq ?? 0
  return sha256(JSON.stringify([step, ...seqs.toSorted(([a = 0], [b = 0]) => a - b)]))
}

/** The fields of a container that its periods depend on. */
export type Agreed = { readonly id: number; readonly timeZone: string; readonly createdAt: number }

/** The result of a past period with the terms of that time; not whole if a child of that time was deleted with its
 * history. */
export async function readOutcome(
  database: Database,
  agreed: Agreed,
  period: FrozenPeriod,
): Promise<Outcome & { readonly isWhole: boolean }> {
  const recorded = await readRecorded(database, agreed.id, { ids: childrenOf(period), range: period })
  return outcomeIn(agreed, period, pastIn(recorded, period))
}

/** The same with the corrections of the past of the container, its children, and the objects above and below them;
 * `slaRelevant` maintenance changes nothing. @throws {Refusal} invalid if that would read too much */
export async function readCorrectedOutcome(
  database: Database,
  agreed: Agreed & { readonly path: string },
  period: FrozenPeriod,
): Promise<Outcome & { readonly isWhole: boolean }> {
  const { beginAt, endAt } = period
  const past = await readCorrectedPast(database, agreed, {
    ids: childrenOf(period),
    range: { beginAt, endAt },
  })
  return outcomeIn(agreed, period, past)
}

/** The past of a container and of these children with all corrections.
 * @throws {Refusal} invalid if that would read too much */
export async function readCorrectedPast(
  database: Database,
  { id, path }: { readonly id: number; readonly path: string },
  asked: { readonly ids: readonly number[]; readonly range: Range },
): Promise<SlcPast> {
  const { range } = asked
  const { children, covers } = pastIn(await readRecorded(database, id, asked), range)
  const [{ spans }, own] = await Promise.all([
    recalculate(database, { recorded: children, range }, true),
    readCorrections(database, path, range),
  ])
  return { children: spans, covers: [...covers, coversOf(own.filter(countsForSla))] }
}

function childrenOf({ terms }: FrozenPeriod): number[] {
  return terms.children.map(({ id }) => id)
}

function outcomeIn({ timeZone, createdAt }: Agreed, { terms, ...range }: FrozenPeriod, past: SlcPast) {
  const { activeTime, children } = terms
  const badTime = badTimeOf({ slc: { activeTime, timeZone }, children, createdAt }, past, range)
  return { ...outcomeOf(badTime, range), isWhole: past.children.size === children.length }
}
