import { audited } from '../../../access/audit/service.ts'
import { asExpiredUpload, claimBlobs } from '../../../content/blobs/service.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { ulid } from '../../../lib/ulid.ts'
import { commitAndRead, isUniqueViolation, onlyOf } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { nothingRuns } from '../../scripts/detection.ts'
import { runnableOf, secretValuesOf } from '../../scripts/service/runnable.ts'
import type { Runnable } from '../../scripts/service/runnable.ts'
import { shownArguments } from '../arguments.ts'
import type { JobView, RunBody, Trigger } from '../schema.ts'
import * as store from '../store.ts'
import { insertFiles } from '../store/files.ts'
import type { RunFile } from '../store/files.ts'
import { trimHistory } from '../store/history.ts'
import { readRun, runOf, selectRun } from '../store/lists.ts'
import type { ListedRun } from '../store/lists.ts'
import { findRepeat, insertRepeat } from '../store/repeats.ts'
import { viewOfOne } from './views.ts'
import { HISTORY_MAX, publishRun } from './transition-run.ts'
import { UNSTARTED } from './unstarted-run.ts'

/** How many runs of one configuration may wait. */
const QUEUE_MAX = 1_000
const FULL = `This run configuration already has ${QUEUE_MAX} waiting runs. Try again later.`
const REPEAT_MS = 86_400_000

/** A file that came with an order; its bytes are stored, and orphaned until a row refers to them. */
export type Upload = Pick<RunFile, 'name' | 'blob' | 'sizeBytes' | 'sha256' | 'mimeType'>

export type RunOrder = RunBody & {
  readonly scriptId: number
  readonly trigger: Trigger
  readonly uploads: readonly Upload[]
  /** The caller's `Idempotency-Key`. */
  readonly key: string | null
  /** Users besides the caller whose rights bound the run. */
  readonly boundBy?: readonly number[]
  /** Writes of the same commit. */
  readonly also?: readonly Write[]
}

export type OrderedRun = { readonly job: JobView; readonly isReplayed: boolean }

/** Orders a run in the caller's name. Where one of its configuration waits or runs, the configuration says what becomes of
 * both: this one waits (`queue`), is cancelled (`skip`), or those are (`cancel_previous`).
 * @throws {Refusal} unauthenticated, not_found, no_runner, overloaded when 1,000 of its configuration wait,
 * idempotency_conflict, conflict where the key's run is no longer there */
export async function orderRun(context: Context, order: RunOrder): Promise<OrderedRun> {
  const { ports, caller } = context
  if (caller.kind !== 'user') throw new Refusal('unauthenticated', 'Sign in first.')
  const { scriptId } = order
  const digest = await digestOf(order)
  const before = await replayed(context, { ...order, digest })
  if (before) return before
  const runnable = await runnableOf(ports, scriptId, order.runConfigurationId)
  if (runnable.detection.runner === null)
    throw new Refusal('no_runner', nothingRuns(runnable.files.map(({ path }) => path)))
  const now = ports.clock.now()
  const bounds = (caller.bounds ?? []).map(({ userId }) => userId)
  const boundBy = [...bounds, ...(order.boundBy ?? [])].filter((id) => id !== caller.userId)
  const row = rowOf({ ...order, boundBy, userId: caller.userId }, runnable, {
    id: `j_${ulid(now, ports.secrets.random(16))}`,
    now,
  })
  const writes = writesOf(context, { ...order, digest, userId: caller.userId }, { row, runnable })
  let run: ListedRun
  try {
    const read = selectRun(ports.database, scriptId, row.id)
    const [found] = await commitAndRead(ports.database, writes, [read])
    run = runOf(onlyOf(found))
  } catch (error) {
    const isFull = store.isRefused(error)
    const isSame = isFull || isUniqueViolation(error, 'run_repeats.key')
    const again = isSame ? await replayed(context, { ...order, digest }) : null
    if (again) return again
    if (isFull) throw new Refusal('overloaded', FULL)
    throw asExpiredUpload(error)
  }
  await publishRun(ports, row)
  await ports.dispatch.wake()
  return { job: await viewOfOne(ports, run), isReplayed: false }
}

/** A run of a script. @throws {Refusal} not_found */
export async function readJob({ ports }: Context, scriptId: number, id: string): Promise<JobView> {
  return viewOfOne(ports, await requireRun(ports, scriptId, id))
}

/** @throws {Refusal} not_found */
export async function requireRun({ database }: Ports, scriptId: number, id: string): Promise<ListedRun> {
  const run = await readRun(database, scriptId, id)
  if (!run) throw new Refusal('not_found', 'The script has no run with this id.')
  return run
}

type UserRunOrder = RunOrder & { readonly userId: number }

function rowOf(
  { scriptId, trigger, userId, arguments: given, parameters, boundBy = [] }: UserRunOrder,
  { configuration }: Runnable,
  { id, now }: { readonly id: string; readonly now: number },
): store.RunRow {
  return {
    ...UNSTARTED,
    id,
    scriptId,
    runConfigurationId: configuration.id,
    trigger,
    userId,
    order: {
      configurationName: configuration.name,
      arguments: given,
      parameters,
      shownArguments: shownArguments(given ?? configuration.arguments, secretValuesOf(configuration)),
      ...(boundBy.length > 0 && { boundBy }),
    },
    reportTo: configuration.reportTo?.jobId ?? null,
    queuedAt: now,
  }
}

function writesOf(
  context: Context,
  order: UserRunOrder & { readonly digest: string },
  { row, runnable }: { readonly row: store.RunRow; readonly runnable: Runnable },
): Write[] {
  const { ports } = context
  const { database } = ports
  const { id, scriptId, queuedAt: now } = row
  const { concurrency, id: configurationId } = runnable.configuration
  const { key, digest, userId, uploads, trigger } = order
  return [
    ...(concurrency === 'cancel_previous'
      ? store.cancelPrevious(database, scriptId, configurationId, now)
      : []),
    concurrency === 'skip'
      ? store.insertUnlessBusy(database, row, SKIPPED)
      : store.insertRun(database, row, QUEUE_MAX),
    ...insertFiles(database, { runId: id, kind: 'upload', at: now }, uploads),
    ...claimBlobs(
      ports,
      uploads.map(({ blob }) => blob),
    ),
    ...trimHistory(database, { scriptId, keptMax: HISTORY_MAX, at: now }),
    ...(key === null
      ? []
      : insertRepeat(database, { userId, key, digest, runId: id, untilAt: now + REPEAT_MS }, now)),
    // Orders of a schedule are recorded at the schedule.
    ...(trigger === 'manual'
      ? [audited(context, { action: 'run', objectType: 'script', objectId: scriptId, after: { jobId: id } })]
      : []),
    ...(order.also ?? []),
  ]
}

const SKIPPED = 'Another run of this configuration was waiting or running.'

async function replayed(
  context: Context,
  { scriptId, key, digest }: Pick<RunOrder, 'scriptId' | 'key'> & { readonly digest: string },
): Promise<OrderedRun | null> {
  if (key === null) return null
  const { ports, caller } = context
  const userId = caller.kind === 'user' ? caller.userId : 0
  const repeat = await findRepeat(ports.database, { userId, key, now: ports.clock.now() })
  if (!repeat) return null
  if (repeat.digest !== digest)
    throw new Refusal(
      'idempotency_conflict',
      'A different run was ordered with this Idempotency-Key before. Use a new key.',
    )
  const run = await readRun(ports.database, scriptId, repeat.runId)
  if (!run) throw new Refusal('conflict', 'The run that was ordered with this Idempotency-Key was deleted.')
  return { job: await viewOfOne(ports, run), isReplayed: true }
}

function digestOf({
  scriptId,
  runConfigurationId,
  arguments: given,
  parameters,
  uploads,
}: RunOrder): Promise<string> {
  const files = uploads.map(({ name, sha256: digest, mimeType }) => [name, digest, mimeType])
  return sha256(JSON.stringify([scriptId, runConfigurationId, given, parameters, files]))
}
