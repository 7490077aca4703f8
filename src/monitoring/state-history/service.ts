import { readableBy, rightsOf } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { rangeOfQuery } from '../../http/instants.ts'
import { durationText } from '../../lib/duration.ts'
import type { Range } from '../../lib/range.ts'
import { timeFormat } from '../../lib/time.ts'
import type { TimeFormat } from '../../lib/time.ts'
import type { Database } from '../../ports/database.ts'
import type { State } from '../../domain/state.ts'
import { readEntered } from '../revaluations/overlays/service.ts'
import type { PlacedRevaluation } from '../revaluations/overlays/service.ts'
import { isMaintained } from '../states/state.ts'
import type { ObjectType } from '../tree/schema.ts'
import { requireObject } from '../tree/service.ts'
import { availabilityOf } from './availability.ts'
import type { Availability } from './availability.ts'
import type { StateHistoryQuery, StateHistoryView } from './schema.ts'
import { recalculate } from './service/recalculated.ts'
import * as store from './store.ts'
import { samplesOf, spansOf } from './timeline.ts'
import type { Span, StateChange } from './timeline.ts'

export { recalculate }

const SAMPLES = 200
const SAMPLE_MIN_MS = 1_000
/** The maximum number of occurrences of all revaluations of a history together. */
const OCCURRENCES_MAX = 10_000
const TRANSITIONS_MAX = 2_000
const OTHERS_MAX = 1_000

/** The history of an object over a range: about 200 samples, its transitions, and its availability.
 * @param read reads the states of the object
 * @throws {Refusal} not_found, invalid */
export async function readStateHistory(
  context: Context,
  object: { readonly type: ObjectType; readonly id: number },
  query: StateHistoryQuery,
  read: typeof readPast = readPast,
): Promise<StateHistoryView> {
  const { ports } = context
  const row = await requireObject(context, object.id, { type: object.type, right: 'read' })
  const { id, type, createdAt } = row
  const now = ports.clock.now()
  const range = rangeOfQuery(query, now)
  const measured = {
    beginAt: Math.max(range.beginAt, createdAt),
    endAt: Math.min(range.endAt, now + 1),
  }
  const readable = readableBy(await rightsOf(context), 'c')
  const [{ spans, revaluations }, recorded] = await Promise.all([
    read(ports.database, row, { range: measured, recalc: query.recalc }),
    store.readTransitions(ports.database, id, { ...range, limit: TRANSITIONS_MAX + 1, readable }),
  ])
  const transitions = query.recalc ? transitionsOf(spans, recorded) : recorded
  const lengthMs = Math.max(SAMPLE_MIN_MS, Math.ceil((range.endAt - range.beginAt) / SAMPLES))
  const before: Span[] =
    range.beginAt < createdAt
      ? spansOf('undefined', [], { ...range, endAt: Math.min(createdAt, range.endAt) })
      : []
  const shown = { beginAt: range.beginAt, endAt: Math.max(measured.endAt, before.at(-1)?.endAt ?? 0) }
  const truncated = transitions.length > TRANSITIONS_MAX
  const format = timeFormat(ports.settings.timeZone)
  return {
    objectId: id,
    objectType: type,
    begin: format(range.beginAt),
    end: format(range.endAt),
    recalc: query.recalc,
    resolution: durationText(lengthMs),
    samples: samplesOf([...before, ...spans], shown, lengthMs).map(({ beginAt, endAt, ...sample }) => ({
      begin: format(beginAt),
      end: format(endAt),
      ...sample,
    })),
    transitions: truncated ? [] : transitions.map((one) => transitionView(one, format)),
    truncated,
    availability: availabilityView(availabilityOf(spans, query.states)),
    revaluations: withOccurrences(revaluations, range, format),
  }
}

/** The revaluations of a history, each with the times at which it applies, as long as these are few together. */
function withOccurrences(
  revaluations: readonly PlacedRevaluation[],
  range: Range,
  format: TimeFormat,
): StateHistoryView['revaluations'] {
  let left = OCCURRENCES_MAX
  return revaluations.map((one) => {
    const times = left > 0 ? one.timesIn(range, left) : []
    left -= times.length
    const occurrences = times.map(({ beginAt, endAt }) => ({ begin: format(beginAt), end: format(endAt) }))
    return { ...revaluationView(one, format), occurrences }
  })
}

/** The object of a history. */
export type Described = {
  readonly id: number
  readonly type: ObjectType
  readonly path: string
  readonly createdAt: number
}

/** The states of an object, and the revaluations that affect them. */
export type StatePast = {
  readonly spans: readonly Span[]
  readonly revaluations: readonly PlacedRevaluation[]
}

/** The states of an object over a range, without gaps, as recorded or with corrections of the past; and the
 * revaluations of the object and of the objects above it, with all others that were applied.
 * @throws {Refusal} invalid if the recalculation would read too much */
export async function readPast(
  database: Database,
  object: Described,
  { range, recalc }: { readonly range: Range; readonly recalc: boolean },
): Promise<StatePast> {
  const [recorded, entered] = await Promise.all([
    readSpans(database, object.id, range),
    readEntered(database, object.path, range),
  ])
  if (!recalc || recorded.length === 0) return { spans: recorded, revaluations: entered }
  const corrected = await recalculate(database, { recorded: new Map([[object.id, recorded]]), range })
  const revaluations = withApplied(entered, corrected.overlays)
  return { spans: corrected.spans.get(object.id) ?? recorded, revaluations }
}

/** The revaluations of an object, together with revaluations of other objects that were applied, by begin. */
export function withApplied(
  entered: readonly PlacedRevaluation[],
  applied: readonly PlacedRevaluation[],
): PlacedRevaluation[] {
  const known = new Set(entered.map(({ id }) => id))
  const others = applied.filter(({ id }) => !known.has(id)).slice(0, OTHERS_MAX)
  return [...entered, ...others].sort((a, b) => a.beginAt - b.beginAt)
}

/** A revaluation as the history shows it. */
export function revaluationView(
  { id, objectId, type, name, beginAt, endAt }: PlacedRevaluation,
  format: TimeFormat,
) {
  return { id, objectId, type, name, begin: format(beginAt), end: format(endAt) }
}

/** The changes between spans, with the recorded reason if there is one. */
function transitionsOf(
  spans: readonly Span[],
  recorded: readonly store.TransitionRow[],
): readonly store.TransitionRow[] {
  const named = new Map(recorded.map((row) => [row.at, row]))
  return spans.slice(1).flatMap(({ state: to, beginAt: at }, index) => {
    const from = spans[index]?.state ?? 'undefined'
    const reason = isMaintained(from) !== isMaintained(to) ? 'maintenance' : 'adjustment'
    const uncaused = { detectedAt: at, causeId: null, causeType: null, causeName: null }
    return [{ reason, ...uncaused, ...named.get(at), at, from, to }]
  })
}

/** The recorded states of an object over a range, without gaps. */
export async function readSpans(database: Database, id: number, range: Range): Promise<Span[]> {
  if (range.endAt <= range.beginAt) return []
  const course = (await readCourses(database, [id], range)).get(id)
  return course ? spansOf(course.state, course.changes, range) : []
}

/** The state of an object at the start of a range, the number of its transition, and the changes in the range. */
export type Course = {
  readonly state: State
  readonly seq: number
  readonly changes: readonly StateChange[]
}

/** The recorded states of objects over a range, without deleted objects. */
async function readCourses(
  database: Database,
  ids: readonly number[],
  range: Range,
): Promise<ReadonlyMap<number, Course>> {
  const begins = await store.readBegins(database, ids, range)
  const changes = await store.readChanges(database, begins, range.endAt)
  return new Map(begins.map(({ id, state, seq }) => [id, { state, seq, changes: changes.get(id) ?? [] }]))
}

/** A course with the states that service level containers used; null if they always used the object's own states. */
export type SlaCourse = Course & { readonly slaHistory: store.SlaHistory | null }

/** The recorded states of objects over a range, and those that containers used, without deleted objects. */
export async function readSlaCourses(
  database: Database,
  ids: readonly number[],
  range: Range,
): Promise<ReadonlyMap<number, SlaCourse>> {
  const [courses, slaHistories] = await Promise.all([
    readCourses(database, ids, range),
    store.readSlaHistories(database, ids, range),
  ])
  const byId = new Map(slaHistories.map((one) => [one.id, one]))
  return new Map([...courses].map(([id, course]) => [id, { ...course, slaHistory: byId.get(id) ?? null }]))
}

/** A change of state as lists show it. */
export function transitionView(
  row: store.TransitionRow,
  format: TimeFormat,
): StateHistoryView['transitions'][number] {
  const { at, detectedAt, from, to, reason, causeId, causeType, causeName } = row
  const isThere = causeId !== null && causeType !== null && causeName !== null
  const cause = isThere ? { type: causeType, id: causeId, name: causeName } : null
  return { timestamp: format(at), from, to, reason, detectedAt: format(detectedAt), cause }
}

function availabilityView(availability: Availability): StateHistoryView['availability'] {
  const { percent, percentWithMaintenance, downMs, maintenanceMs, excludedMs, measuredMs } = availability
  return {
    percent,
    percentWithMaintenance,
    downSeconds: downMs / 1000,
    maintenanceSeconds: maintenanceMs / 1000,
    excludedSeconds: excludedMs / 1000,
    measuredSeconds: measuredMs / 1000,
  }
}
