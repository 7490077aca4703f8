import { readableBy, rightsOf } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { durationText } from '../../lib/duration.ts'
import { rangeOf } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import { timeFormat } from '../../lib/time.ts'
import type { TimeFormat } from '../../lib/time.ts'
import type { Database } from '../../ports/database.ts'
import type { ObjectType } from '../tree/schema.ts'
import { requireObject } from '../tree/service.ts'
import { availabilityOf } from './availability.ts'
import type { Availability } from './availability.ts'
import type { StateHistoryQuery, StateHistoryView } from './schema.ts'
import * as store from './store.ts'
import { samplesOf, spansOf } from './timeline.ts'
import type { Span } from './timeline.ts'

const SAMPLES = 200
const SAMPLE_MIN_MS = 1_000
const TRANSITIONS_MAX = 2_000

/** How an object was over a range: samples of about 200, its transitions, and its availability.
 * @throws {Refusal} not_found, invalid */
export async function readStateHistory(
  context: Context,
  object: { readonly type: ObjectType; readonly id: number },
  query: StateHistoryQuery,
): Promise<StateHistoryView> {
  const { ports } = context
  const { id, type, createdAt } = await requireObject(context, object.id, {
    type: object.type,
    right: 'read',
  })
  const now = ports.clock.now()
  const range = rangeOf({ begin: query.timestamp_begin, end: query.timestamp_end }, now, '?timestamp_end')
  const measured = {
    beginAt: Math.max(range.beginAt, createdAt),
    endAt: Math.min(range.endAt, now + 1),
  }
  const [spans, transitions] = await Promise.all([
    readSpans(ports.database, id, measured),
    store.readTransitions(ports.database, id, {
      ...range,
      limit: TRANSITIONS_MAX + 1,
      readable: readableBy(await rightsOf(context), 'c'),
    }),
  ])
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
    transitions: truncated ? [] : transitions.map((row) => transitionView(row, format)),
    truncated,
    availability: availabilityView(availabilityOf(spans, query.states)),
  }
}

/** The recorded states of an object over a range, without gaps. */
export async function readSpans(database: Database, id: number, range: Range): Promise<Span[]> {
  if (range.endAt <= range.beginAt) return []
  const { state, seq } = await store.readStateAt(database, id, range.beginAt)
  return spansOf(state, await store.readChanges(database, id, { seq, endAt: range.endAt }), range)
}

function transitionView(
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
