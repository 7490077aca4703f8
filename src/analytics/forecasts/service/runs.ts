import { recorder } from '../../../access/audit/service.ts'
import { accountOf } from '../../../access/session/service.ts'
import { userOf } from '../../../access/session/service/callers.ts'
import { sightsMark } from '../../../data/scopes/service/sights.ts'
import { readsScripts } from '../../../access/rights/permissions.ts'
import {
  cancelForecastRun,
  followForecastLog,
  forgetForecastRuns,
  listForecastRuns,
  orderForecastRun,
  readForecastLog,
  readForecastRun,
  repeatedForecastRun,
  requireRunnable,
} from '../../../automation/runs/service/forecast-runs.ts'
import type { ForecastRunName } from '../../../automation/runs/service/forecast-runs.ts'
import { presentForecastKinds } from '../../../automation/runs/runners/service.ts'
import type { Following, ListedRun } from '../../../automation/runs/service.ts'
import type { LogQuery, LogView } from '../../../automation/runs/schema.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { SourceReading } from '../results.ts'
import { inputOf } from '../series.ts'
import { paramsOfKinds } from '../model.ts'
import type { JobView, KindView } from '../schema.ts'
import { requireForecast, zoneOf } from '../service.ts'
import type { ForecastRow } from '../store.ts'
import { packed } from './packing.ts'
import { readSource } from './read-source.ts'

const recorded = recorder('forecast')

const RETRIES = 1

type Ordered = { readonly job: JobView; readonly isReplayed: boolean }

/** Reads the source in the name of the owner, and orders a run.
 * @throws {Refusal} not_found, no_runner, conflict while a run has not ended, forbidden where the owner is gone,
 * idempotency_conflict, and as `readSource` */
export async function orderRun(context: Context, id: number, key: string | null): Promise<Ordered> {
  const { ports, caller, request } = context
  // Reading the source may take minutes.
  if (request) ports.network.takesLong(request)
  const row = await requireForecast(ports, id)
  const userId = caller.kind === 'user' ? caller.userId : 0
  const repeated = await repeatedForecastRun(ports, { forecastId: id, userId, key })
  if (repeated) return { job: jobOf(ports, row, repeated), isReplayed: true }
  const entry = recorded(context, 'run', { objectId: id })
  const run = await order(context, row, { trigger: 'manual', userId, key, also: [entry] })
  return { job: jobOf(ports, row, run), isReplayed: false }
}

type Ordering = Pick<Parameters<typeof orderForecastRun>[1], 'trigger' | 'userId' | 'key' | 'also'>

/** The same without an answer for callers, for schedules as well. */
export async function order(
  context: Pick<Context, 'ports' | 'requestId'>,
  row: ForecastRow,
  ordering: Ordering,
): Promise<ListedRun> {
  const { ports, requestId } = context
  const { definition, id: forecastId, name, ownerId } = row
  const { model, timeout, runnerLabels } = definition
  const needs = { kind: model.kind, name, timeoutS: timeout, retries: RETRIES, runnerLabels }
  await requireRunnable(ports, { forecastId, forecast: needs })
  const owner: Context = { ports, requestId, caller: await ownerOf(ports, ownerId) }
  // Before the read: a scope that changes meanwhile then counts as changed.
  const reading: SourceReading = { ownerId, source: definition.source, mark: await sightsMark(owner) }
  const timeZone = zoneOf(ports, row)
  const source = await readSource(owner, definition, timeZone)
  const text = inputOf(definition, source, { now: ports.clock.now(), timeZone })
  const forecast = { ...needs, reading }
  return orderForecastRun(ports, { forecastId, forecast, input: await packed(text), ...ordering })
}

/** @throws {Refusal} forbidden */
export async function ownerOf(ports: Pick<Ports, 'database'>, ownerId: number) {
  const account = await accountOf(ports, ownerId)
  if (!account || !readsScripts(account.role))
    throw new Refusal(
      'forbidden',
      'The owner of the forecast was deleted, or may not make forecasts any more. Save it again.',
    )
  return userOf(account)
}

/** Runs of a forecast, the latest first. @throws {Refusal} not_found */
export async function listRuns(
  { ports }: Context,
  id: number,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<JobView[]> {
  const row = await requireForecast(ports, id)
  const runs = await listForecastRuns(ports, { forecastId: id, before }, limit)
  return runs.map((run) => jobOf(ports, row, run))
}

/** @throws {Refusal} not_found */
export async function readRun({ ports }: Context, name: ForecastRunName): Promise<JobView> {
  const row = await requireForecast(ports, name.forecastId)
  return jobOf(ports, row, await readForecastRun(ports, name))
}

/** @throws {Refusal} not_found, conflict for a run that has ended */
export async function cancelRun(context: Context, name: ForecastRunName): Promise<JobView> {
  const { ports } = context
  const row = await requireForecast(ports, name.forecastId)
  const entry = recorded(context, 'cancel', { objectId: name.forecastId, after: { jobId: name.id } })
  return jobOf(ports, row, await cancelForecastRun(ports, name, [entry]))
}

/** @throws {Refusal} not_found */
export async function readLog(
  { ports }: Context,
  name: ForecastRunName,
  page: Pick<LogQuery, 'offset' | 'limit'>,
): Promise<LogView> {
  await requireForecast(ports, name.forecastId)
  return readForecastLog(ports, name, page)
}

/** The log of a run as a stream until the run ends. @throws {Refusal} not_found, overloaded when 200 follow already */
export async function followRun(
  context: Context,
  name: ForecastRunName,
  following: Following,
): Promise<ReadableStream<Uint8Array>> {
  await requireForecast(context.ports, name.forecastId)
  return followForecastLog(context, name, following)
}

/** Removes the runs of a forecast that have ended; its results stay. @throws {Refusal} not_found */
export async function deleteRuns(context: Context, id: number): Promise<void> {
  const { ports } = context
  await requireForecast(ports, id)
  await commit(ports.database, [
    ...forgetForecastRuns(ports, id),
    recorded(context, 'delete jobs', { objectId: id }),
  ])
}

/** The kinds of models, with the runners that execute them now. */
export async function listKinds({ ports }: Context): Promise<KindView[]> {
  const { all, own } = await presentForecastKinds(ports)
  const builtIn = paramsOfKinds().map(({ kind, params }) => ({
    kind,
    params: params as KindView['params'],
    runners: [...all],
  }))
  const others = [...own].map(([kind, runners]) => ({
    kind: `custom:${kind}`,
    params: null,
    runners: [...runners],
  }))
  return [...builtIn, ...others]
}

function jobOf(
  { settings }: Pick<Ports, 'settings'>,
  { id, publishedRun }: ForecastRow,
  run: ListedRun,
): JobView {
  const format = timeFormat(settings.timeZone)
  const shown = (at: number | null) => (at === null ? null : format(at))
  return {
    id: run.id,
    forecastId: id,
    trigger: run.trigger === 'schedule' ? 'schedule' : 'manual',
    userId: run.username === null ? null : run.userId,
    state: run.state,
    attempt: run.attempt,
    progress: { value: run.progress, message: run.progressMessage },
    isolation: run.isolation,
    cancelRequested: run.isCancelled,
    queuedAt: format(run.queuedAt),
    startedAt: shown(run.startedAt),
    finishedAt: shown(run.finishedAt),
    runner: run.runnerName,
    logLines: run.logLines,
    published: run.id === publishedRun,
    error: run.error,
  }
}
