import { audited } from '../../../access/audit/service.ts'
import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { nothingRuns } from '../../scripts/detection.ts'
import { runnableOf, secretValuesOf } from '../../scripts/service/runnable.ts'
import type { Runnable } from '../../scripts/service/runnable.ts'
import { shownArguments } from '../arguments.ts'
import type { JobView, RunBody, Trigger } from '../schema.ts'
import * as store from '../store.ts'
import { readRun } from '../store/lists.ts'
import type { ListedRun } from '../store/lists.ts'
import { commitOrder, repeatedRun } from './commit-order.ts'
import type { Upload } from './commit-order.ts'
import { viewOfOne } from './views.ts'
import { UNSTARTED } from './unstarted-run.ts'

/** How many runs of one configuration may wait. */
const QUEUE_MAX = 1_000
const FULL = `This run configuration already has ${QUEUE_MAX} waiting runs. Try again later.`

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
  const { ports } = context
  const caller = requireUser(context)
  const { scriptId, key, uploads } = order
  const { userId } = caller
  const keyed = { scriptId, userId, key, digest: await digestOf(order) }
  const before = await repeatedRun(ports, keyed)
  if (before) return { job: await viewOfOne(ports, before), isReplayed: true }
  const runnable = await runnableOf(ports, scriptId, order.runConfigurationId)
  if (runnable.detection.runner === null)
    throw new Refusal('no_runner', nothingRuns(runnable.files.map(({ path }) => path)))
  const now = ports.clock.now()
  const bounds = (caller.bounds ?? []).map(({ userId: id }) => id)
  const boundBy = [...bounds, ...(order.boundBy ?? [])].filter((id) => id !== userId)
  const row = rowOf({ ...order, boundBy, userId }, runnable, {
    id: `j_${ulid(now, ports.secrets.random(16))}`,
    now,
  })
  const writes = writesOf(context, order, { row, runnable })
  const full = new Refusal('overloaded', FULL)
  const { run, isReplayed } = await commitOrder(ports, row, { keyed, uploads, writes, refusal: full })
  return { job: await viewOfOne(ports, run), isReplayed }
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
  { trigger, also = [] }: RunOrder,
  { row, runnable }: { readonly row: store.RunRow; readonly runnable: Runnable },
): Write[] {
  const { database } = context.ports
  const { id: jobId, scriptId, queuedAt: now } = row
  const { concurrency, id: configurationId } = runnable.configuration
  return [
    ...(concurrency === 'cancel_previous'
      ? store.cancelPrevious(database, scriptId, configurationId, now)
      : []),
    concurrency === 'skip'
      ? store.insertUnlessBusy(database, row, SKIPPED)
      : store.insertRun(database, row, QUEUE_MAX),
    // Orders of a schedule are recorded at the schedule.
    ...(trigger === 'manual'
      ? [audited(context, { action: 'run', objectType: 'script', objectId: scriptId, after: { jobId } })]
      : []),
    ...also,
  ]
}

const SKIPPED = 'Another run of this configuration was waiting or running.'

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
