import { openBlob, putBlob, UPLOAD_MAX_MS } from '../../../content/blobs/service.ts'
import { collect } from '../../../http/bytes.ts'
import { digestHex } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Context } from '../../../context.ts'
import { chunkOf } from '../../../lib/chunks.ts'
import { FORECASTS_ID } from '../../scripts/forecasts-id.ts'
import { insertForecastsRow } from '../../scripts/service.ts'
import { ownKindOf } from '../forecast-run.ts'
import type { ForecastOrder } from '../forecast-run.ts'
import { presentRunners } from '../runners/service/present.ts'
import { hasEnded } from '../run.ts'
import type { LogQuery, LogView, Trigger } from '../schema.ts'
import * as store from '../store.ts'
import type { RunRow } from '../store.ts'
import { deleteFiles, listFiles } from '../store/files.ts'
import { trimHistory } from '../store/history.ts'
import { listRuns, readRun, withRow } from '../store/lists.ts'
import type { ListedRun } from '../store/lists.ts'
import { commitOrder, repeatedRun } from './commit-order.ts'
import type { KeyedOrder } from './commit-order.ts'
import { changeRun } from './transition-run.ts'
import { streamLog } from './log-stream.ts'
import type { Following } from './log-stream.ts'
import { readLogOf } from './run-log.ts'
import { UNSTARTED } from './unstarted-run.ts'

const INPUT_NAME = 'series.ndjson.gz'
const OUTPUT = /^forecast-\d+\.ndjson\.gz$/
const GONE = 'The forecast has no run with this id.'

/** A run of a forecast to be ordered. */
export type ForecastRunOrder = {
  readonly forecastId: number
  readonly forecast: ForecastOrder
  /** The series, compressed. */
  readonly input: Uint8Array<ArrayBuffer>
  readonly trigger: Trigger
  /** The user whose rights the run has. */
  readonly userId: number
  /** The caller's `Idempotency-Key`. */
  readonly key: string | null
  /** Writes of the same commit. */
  readonly also: readonly Write[]
}

/** Which run of which forecast. */
export type ForecastRunName = { readonly forecastId: number; readonly id: string }

/** The run that an `Idempotency-Key` has ordered before. @throws {Refusal} idempotency_conflict, conflict where it was deleted */
export function repeatedForecastRun(
  ports: Ports,
  order: Pick<ForecastRunOrder, 'forecastId' | 'userId' | 'key'>,
): Promise<ListedRun | null> {
  return repeatedRun(ports, keyedOf(order))
}

/** @throws {Refusal} no_runner while no runner executes forecasts of the kind, conflict while another run has not ended */
export async function requireRunnable(
  ports: Ports,
  { forecastId, forecast: { kind } }: Pick<ForecastRunOrder, 'forecastId' | 'forecast'>,
): Promise<void> {
  const ownKind = ownKindOf(kind)
  const runners = await presentRunners(ports)
  const isThere = runners.some(
    ({ refusal, capabilities, forecastKinds = [] }) =>
      refusal === null &&
      capabilities.includes('forecast') &&
      (ownKind === null || forecastKinds.includes(ownKind)),
  )
  if (!isThere)
    throw new Refusal('no_runner', `No runner is there that executes forecasts of the kind ${kind}.`)
  const busy = await store.findBusy(ports.database, FORECASTS_ID, forecastId)
  if (busy) throw new Refusal('conflict', `The run ${busy.id} of this forecast has not ended.`)
}

/** Orders a run of a forecast. @throws {Refusal} conflict while another run has not ended, unavailable */
export async function orderForecastRun(ports: Ports, order: ForecastRunOrder): Promise<ListedRun> {
  const { database, clock, secrets } = ports
  const now = clock.now()
  const row = rowOf(order, { id: `j_${ulid(now, secrets.random(16))}`, now })
  const { input } = order
  const stored = { prefix: 'runs', chunks: chunkOf(input), sizeMaxBytes: input.byteLength }
  const { key: blob, sizeBytes } = await putBlob(ports, stored, AbortSignal.timeout(UPLOAD_MAX_MS))
  const file = {
    name: INPUT_NAME,
    blob,
    sizeBytes,
    sha256: await digestHex(input),
    mimeType: 'application/gzip',
  }
  const writes = [...insertForecastsRow(database, now), store.insertAlone(database, row), ...order.also]
  const busy = new Refusal('conflict', 'Another run of this forecast has not ended.')
  const commit = { keyed: keyedOf(order), uploads: [file], writes, refusal: busy }
  const { run } = await commitOrder(ports, row, commit)
  return run
}

/** Of these forecasts, the ones with a run that has not ended. */
export async function runningForecasts(
  { database }: Ports,
  forecastIds: readonly number[],
): Promise<ReadonlySet<number>> {
  return new Set(await store.listBusy(database, FORECASTS_ID, forecastIds))
}

/** Runs of a forecast, the latest first. */
export function listForecastRuns(
  { database }: Ports,
  { forecastId, before }: { readonly forecastId: number; readonly before?: string | undefined },
  limit: number,
): Promise<ListedRun[]> {
  return listRuns(
    database,
    { scriptId: FORECASTS_ID, runConfigurationId: forecastId, beforeId: before },
    limit,
  )
}

/** @throws {Refusal} not_found */
export async function readForecastRun(
  { database }: Ports,
  { forecastId, id }: ForecastRunName,
): Promise<ListedRun> {
  const run = await readRun(database, FORECASTS_ID, id)
  if (run?.runConfigurationId !== forecastId) throw new Refusal('not_found', GONE)
  return run
}

/** Ends a run: one that waits at once, one that a runner has as soon as the runner hears of it.
 * @param also writes of the same commit
 * @throws {Refusal} not_found, conflict for one that has ended */
export async function cancelForecastRun(
  ports: Ports,
  name: ForecastRunName,
  also: readonly Write[],
): Promise<ListedRun> {
  const before = await readForecastRun(ports, name)
  const after = await changeRun(ports, name.id, () => ({ event: { kind: 'cancel' }, writes: also }))
  if (!after) throw new Refusal('conflict', 'The run has already ended.')
  return withRow(before, after)
}

/** A page of the log of a run. @throws {Refusal} not_found */
export async function readForecastLog(
  ports: Ports,
  name: ForecastRunName,
  page: Pick<LogQuery, 'offset' | 'limit'>,
): Promise<LogView> {
  const { state, logLines, keptLines } = await readForecastRun(ports, name)
  const dropped = Math.max(0, logLines - keptLines)
  return readLogOf(ports, name.id, { ...page, isOver: hasEnded(state), dropped })
}

/** The log of a run as a stream until the run ends. @throws {Refusal} not_found, overloaded when 200 follow already */
export async function followForecastLog(
  context: Context,
  name: ForecastRunName,
  following: Following,
): Promise<ReadableStream<Uint8Array>> {
  await readForecastRun(context.ports, name)
  return streamLog(context, name.id, following)
}

/** The writes that remove the runs of a forecast that have ended. */
export function forgetForecastRuns({ database, clock }: Ports, forecastId: number): Write[] {
  return trimHistory(database, {
    scriptId: FORECASTS_ID,
    runConfigurationId: forecastId,
    keptMax: 0,
    at: clock.now(),
  })
}

/** The files of results of a run, part by part, compressed. */
export async function* forecastOutputs(ports: Ports, runId: string): AsyncGenerator<Uint8Array, void> {
  const files = await listFiles(ports.database, { runId, kind: 'output' })
  for (const { name, blob, sizeBytes } of files) {
    if (!OUTPUT.test(name)) continue
    const { body } = await openBlob(ports, blob)
    yield await collect(body, sizeBytes)
  }
}

/** Previews of a user in place of a forecast: one goes on at a time. */
export function previewsOf(userId: number): number {
  return -userId
}

/** The writes that remove the files of results of a run. */
export function forgetForecastOutputs({ database, clock }: Ports, runId: string): Write[] {
  return deleteFiles(database, { runId, kind: 'output', at: clock.now() })
}

function keyedOf({
  forecastId,
  userId,
  key,
}: Pick<ForecastRunOrder, 'forecastId' | 'userId' | 'key'>): KeyedOrder {
  return { scriptId: FORECASTS_ID, userId, key, digest: `forecast ${forecastId}` }
}

function rowOf(
  { forecastId, forecast, trigger, userId }: ForecastRunOrder,
  { id, now }: { readonly id: string; readonly now: number },
): RunRow {
  return {
    ...UNSTARTED,
    id,
    scriptId: FORECASTS_ID,
    runConfigurationId: forecastId,
    trigger,
    userId,
    order: {
      configurationName: forecast.name,
      arguments: null,
      parameters: {},
      shownArguments: [],
      forecast,
    },
    // The forecast hears of the end; the caller of a preview waits for it.
    reportTo: forecastId < 0 ? null : forecastId,
    queuedAt: now,
  }
}
