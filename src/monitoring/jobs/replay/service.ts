import type { Context } from '../../../context.ts'
import type { JobRules } from '../../../domain/job-rules.ts'
import { invalidAt, noSuch } from '../../../lib/errors.ts'
import type { Range } from '../../../lib/range.ts'
import { DAY_MS, parseInstant, timeFormat } from '../../../lib/time.ts'
import type { TimeFormat } from '../../../lib/time.ts'
import { rulesOf } from '../../job-config/rules.ts'
import { requireObject } from '../../tree/service.ts'
import { findJob } from '../store.ts'
import type { JobRow } from '../store.ts'
import { maintenanceOf } from '../../revaluations/overlays/service.ts'
import { readBands } from './bands.ts'
import type { ReplayBands } from './bands.ts'
import { readHistory } from './history.ts'
import type { History } from './history.ts'
import { Replay } from './replay.ts'
import { SPANS_MAX } from './schema.ts'
import type { ReplayBody, ReplayView } from './schema.ts'

const RANGE_MAX_MS = 90 * DAY_MS
const RANGE_DEFAULT_MS = 30 * DAY_MS
/** Arrivals that are replayed in one turn of the event loop, so that deliveries do not wait. */
const ARRIVALS_PER_TURN = 500

/** How a job would have behaved with other limits, from its stored values. Stores nothing.
 * @throws {Refusal} not_found, invalid */
export async function replayJob(context: Context, jobId: number, body: ReplayBody): Promise<ReplayView> {
  const { ports } = context
  await requireObject(context, jobId, { type: 'job', right: 'read' })
  const row = await findJob(ports.database, jobId)
  if (!row) throw noSuch('job')
  const now = ports.clock.now()
  const range = rangeOf(body, now)
  const proposed = proposedRules(row, body, { createdAt: range.beginAt, timeZone: ports.settings.timeZone })
  const history = await readHistory(
    ports.jobActors,
    { jobId, rules: proposed, range },
    now - proposed.retention.rawMs,
  )
  const hasTimes = proposed.divisors.length > 0
  const rules = withPatience(proposed, hasTimes ? history.bucketMs : Number.POSITIVE_INFINITY)
  const maintenanceIn = (within: Range) => maintenanceOf(ports.database, jobId, within)
  const bands = await readBands({ actors: ports.jobActors, maintenanceIn }, { jobId, rules, range })
  const isAbout = history.isAbout || !hasTimes || bands.isAbout
  const format = timeFormat(ports.settings.timeZone)
  const replay = await replayed({ rules, bands }, history, range.endAt)
  return viewOf({ replay, rules, history, endAt: range.endAt, isAbout }, format)
}

/** @throws {Refusal} invalid */
function rangeOf({ begin, end }: ReplayBody, now: number): Range {
  const endAt = end === undefined ? now : Math.min(now, parseInstant(end))
  const beginAt = begin === undefined ? endAt - RANGE_DEFAULT_MS : parseInstant(begin)
  if (beginAt >= endAt) throw invalidAt('/begin', 'must be before the end, and in the past')
  if (endAt - beginAt > RANGE_MAX_MS) throw invalidAt('/begin', 'must be at most 90 days before the end')
  return { beginAt, endAt }
}

/** The rules of the job with the proposed limits, started and without a forced state. Stored values do not have the error code of
 * each delivery, so values end error code 5. */
function proposedRules(
  row: JobRow,
  { thresholds, timeout }: ReplayBody,
  { createdAt, timeZone }: { readonly createdAt: number; readonly timeZone: string },
): JobRules {
  const parameters = { ...row.parameters, ...(timeout !== undefined && { timeout }), healsOnData: true }
  const configuration = {
    revision: 1,
    createdAt,
    collectorId: 0,
    intervalMs: row.intervalMs,
    stopped: false,
    forcedState: null,
    parameters,
    thresholds: thresholds ?? row.thresholds,
    flapping: null,
  }
  return rulesOf(configuration, timeZone)
}

/** The rules with a deadline of at least two summaries, because a summary does not have the times of its values. */
function withPatience(rules: JobRules, bucketMs: number): JobRules {
  if (bucketMs === Number.POSITIVE_INFINITY) return { ...rules, timeoutMs: null, intervalMs: 0 }
  return { ...rules, timeoutMs: rules.timeoutMs && Math.max(rules.timeoutMs, 2 * bucketMs) }
}

async function replayed(
  { rules, bands }: { readonly rules: JobRules; readonly bands: ReplayBands },
  history: History,
  endAt: number,
): Promise<Replay | null> {
  const { first, arrivals } = history
  const beginning = first ?? arrivals[0]
  if (!beginning) return null
  const replay = new Replay(rules, beginning, bands)
  for (const [index, arrival] of arrivals.entries()) {
    if (index % ARRIVALS_PER_TURN === ARRIVALS_PER_TURN - 1)
      await new Promise((resolve) => setTimeout(resolve, 0))
    if (arrival !== beginning) replay.add(arrival)
  }
  replay.end(endAt)
  return replay
}

type Replayed = {
  readonly replay: Replay | null
  readonly rules: JobRules
  readonly history: History
  readonly endAt: number
  readonly isAbout: boolean
}

function viewOf({ replay, rules, history, endAt, isAbout }: Replayed, format: TimeFormat): ReplayView {
  const seconds = { ok: 0, warning: 0, minor: 0, major: 0, no_data: 0 }
  const spans = replay?.spans ?? []
  for (const { state, beginAt, endAt: spanEndAt } of spans)
    seconds[state as keyof typeof seconds] += (spanEndAt - beginAt) / 1_000
  let index = 0
  const thresholds = rules.thresholds.flatMap(({ level, conditions }) =>
    conditions.map(({ key, operator, value }) => {
      const crossings = replay?.crossings[index++] ?? 0
      return { level, key, operator, value, crossings }
    }),
  )
  return {
    begin: format(spans[0]?.beginAt ?? endAt),
    end: format(endAt),
    about: isAbout,
    values: history.arrivals.length,
    seconds,
    alarms: replay?.openings ?? { warning: 0, minor: 0, major: 0 },
    thresholds,
    spans: spans.slice(0, SPANS_MAX).map(({ state, beginAt, endAt: spanEndAt }) => ({
      state,
      begin: format(beginAt),
      end: format(spanEndAt),
    })),
    moreSpans: spans.length > SPANS_MAX,
  }
}
