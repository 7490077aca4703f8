import {
  cancelForecastRun,
  forecastOutputs,
  forgetForecastRuns,
  orderForecastRun,
  previewsOf,
  readForecastRun,
  requireRunnable,
} from '../../../automation/runs/service/forecast-runs.ts'
import type { ForecastRunName } from '../../../automation/runs/service/forecast-runs.ts'
import { hasEnded } from '../../../automation/runs/run.ts'
import type { Context } from '../../../context.ts'
import type { Cell } from '../../../domain/table.ts'
import { passed } from '../../../lib/abort.ts'
import { invalidAt, Refusal } from '../../../lib/errors.ts'
import { ownValue } from '../../../lib/json.ts'
import { areSame } from '../../../lib/same.ts'
import { commit } from '../../../ports/database.ts'
import { cleanUp } from '../../../ports/log.ts'
import { definitionOf } from '../definition.ts'
import type { PreviewBody } from '../definition.ts'
import { groupOutcome, pointsOf, readOutcomes } from '../results.ts'
import type { OutcomeLine } from '../results.ts'
import type { PreviewView } from '../schema.ts'
import { inputOf } from '../series.ts'
import type { SourceSeries } from '../series.ts'
import { readSource } from './read-source.ts'
import { bucketsOf, groupViewOf } from './results.ts'
import { linesOf, packed } from './packing.ts'

/** How long the model may take. */
const TIMEOUT_S = 120
/** How long a preview may take with the wait for a runner and its packages. */
const END_MAX_MS = 10 * 60_000
/** The pause between two reads of the state of the run; it grows with the duration. */
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [200, 2_000]

/** Predicts one series of a forecast that is not stored, by a runner. The run and its results are removed at the end. A caller
 * has one preview at a time.
 * @param signal cancels the run
 * @throws {Refusal} no_runner, conflict while another preview of the caller goes on, invalid, query_failed for a run without
 * results, query_timeout after ten minutes, and as `readSource` */
export async function previewForecast(
  context: Context,
  body: PreviewBody,
  signal: AbortSignal,
): Promise<PreviewView> {
  const { ports, caller } = context
  const userId = caller.kind === 'user' ? caller.userId : 0
  const forecastId = previewsOf(userId)
  const definition = definitionOf(body)
  const { model, runnerLabels, timeZone: ownZone } = definition
  const forecast = { kind: model.kind, name: body.name, timeoutS: TIMEOUT_S, retries: 0, runnerLabels }
  await requireRunnable(ports, { forecastId, forecast })
  const timeZone = ownZone ?? ports.settings.timeZone
  const source = await readSource(context, definition, timeZone)
  const text = inputOf(definition, oneOf(source, body), { now: ports.clock.now(), timeZone })
  const ordering = {
    trigger: 'manual',
    userId,
    key: null,
    also: forgetForecastRuns(ports, forecastId),
  } as const
  const { id } = await orderForecastRun(ports, {
    forecastId,
    forecast,
    input: await packed(text),
    ...ordering,
  })
  try {
    const outcome = await outcomeOf(context, { forecastId, id }, signal)
    const points = pointsOf(outcome, definition.levels)
    const group = { number: 0, key: outcome.key, ...groupOutcome(outcome), points }
    const { number: _, ...view } = groupViewOf({ definition }, group)
    const buckets = points ? bucketsOf(context, points) : { levels: [], past: [], buckets: [] }
    return { ...view, ...buckets, groups: source.groups.length }
  } finally {
    await cleanUp(
      ports.log,
      'forecasts: removing a preview failed; the next one of its user removes it',
      () => commit(ports.database, forgetForecastRuns(ports, forecastId)),
    )
  }
}

/** The source with one of its series. @throws {Refusal} invalid */
function oneOf(source: SourceSeries, { group }: Pick<PreviewBody, 'group'>): SourceSeries {
  if (group === null) return { ...source, groups: source.groups.slice(0, 1) }
  const named: Readonly<Record<string, Cell>> = group
  const values: Cell[] = source.groupColumns.map(({ name }) => ownValue(named, name) ?? null)
  const found = source.groups.find(({ key }) => areSame(key, values))
  if (!found) throw invalidAt('/group', 'is not in the source')
  return { ...source, groups: [found] }
}

/** @throws {Refusal} query_failed, query_timeout, conflict */
async function outcomeOf(
  { ports }: Context,
  name: ForecastRunName,
  signal: AbortSignal,
): Promise<OutcomeLine> {
  const late = AbortSignal.timeout(END_MAX_MS)
  const either = AbortSignal.any([signal, late])
  for (let waitMs = PAUSE_MIN_MS; ; waitMs = Math.min(PAUSE_MAX_MS, waitMs * 1.5)) {
    const { state, error } = await readForecastRun(ports, name)
    if (state === 'succeeded') return firstOutcome(ports, name.id)
    if (hasEnded(state)) throw new Refusal('query_failed', `${state}: ${error ?? 'no reason was given.'}`)
    await passed(waitMs, either)
    if (!either.aborted) continue
    await cancelForecastRun(ports, name, [])
    signal.throwIfAborted()
    throw new Refusal('query_timeout', 'No runner has ended the preview within ten minutes.')
  }
}

async function firstOutcome(ports: Context['ports'], runId: string): Promise<OutcomeLine> {
  for await (const bytes of forecastOutputs(ports, runId)) {
    for await (const { line } of readOutcomes(linesOf(bytes))) return line
  }
  throw new Refusal('query_failed', 'The run has left no results.')
}
