import { audited } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { commit } from '../../ports/database.ts'
import { hasEnded } from './run.ts'
import type { JobsQuery, JobView, LogQuery, LogView, RunBody, StatusView } from './schema.ts'
import { callerFor } from './service/acting-user.ts'
import { changeRun } from './service/transition-run.ts'
import { copyUploads } from './service/files.ts'
import { orderRun, readJob, requireRun } from './service/order-run.ts'
import type { OrderedRun } from './service/order-run.ts'
import * as store from './store.ts'
import { deleteHistory, deleteRun } from './store/history.ts'
import { listLatest, listRuns, withRow } from './store/lists.ts'
import { readLogOf } from './service/run-log.ts'
import { viewOfOne, viewsOf } from './service/views.ts'

export { orderRun, readJob } from './service/order-run.ts'
export type { Upload } from './service/commit-order.ts'
export { takeUpload } from './service/files.ts'
export { callerFor } from './service/acting-user.ts'
export { withScripts } from './service/script-port.ts'
export { followLog } from './service/log-stream.ts'
export type { Following } from './service/log-stream.ts'
export { openDispatch } from './service/dispatch.ts'
export type { OpenDispatch } from './service/dispatch.ts'
export type { DueWork } from './service/due-work.ts'
export type { EndedForecast } from './store/reports.ts'
export type { ListedRun } from './store/lists.ts'

/** Which run of which script. */
export type RunName = { readonly scriptId: number; readonly id: string }

/** Runs of a script, the latest first. */
export async function listJobs(
  { ports }: Context,
  scriptId: number,
  { before: beforeId, limit, ...filter }: JobsQuery,
): Promise<{ readonly items: JobView[]; readonly isMore: boolean }> {
  const rows = await listRuns(ports.database, { scriptId, ...filter, beforeId }, limit + 1)
  return {
    items: await viewsOf(ports, rows.slice(0, limit)),
    isMore: rows.length > limit,
  }
}

/** The latest runs of each configuration of which there are any, by the ids of configurations. */
export async function listStatuses(
  { ports }: Context,
  scriptId: number,
  maxCount: number,
): Promise<StatusView> {
  const rows = await listLatest(ports.database, scriptId, maxCount)
  const byConfiguration = [...Map.groupBy(rows, ({ runConfigurationId }) => runConfigurationId)]
  return Promise.all(
    byConfiguration.map(async ([id, of]) => ({
      runConfigurationId: id === 0 ? null : id,
      name: of[0]?.order.configurationName ?? '',
      jobs: await viewsOf(ports, of),
    })),
  )
}

/** Cancels a run: a queued one at once, a running one when its runner polls next.
 * @throws {Refusal} not_found, conflict for one that has ended */
export async function cancelJob(context: Context, { scriptId, id }: RunName): Promise<JobView> {
  const { ports } = context
  const before = await requireRun(ports, scriptId, id)
  const entry = audited(context, { action: 'cancel', objectType: 'scriptJob', objectId: id })
  const after = await changeRun(ports, id, () => ({ event: { kind: 'cancel' }, writes: [entry] }))
  if (!after) throw new Refusal('conflict', 'The run has already ended.')
  return viewOfOne(ports, withRow(before, after))
}

/** Repeats a run with its input files. The user who ordered it first chose its arguments, so the
 * new run has no rights that this user does not have.
 * @throws {Refusal} not_found, forbidden where that user was deleted or may not run scripts any more, and what an order throws */
export async function rerunJob(
  context: Context,
  { scriptId, id }: RunName,
  key: string | null,
): Promise<OrderedRun> {
  const { ports } = context
  const { runConfigurationId, order, userId } = await requireRun(ports, scriptId, id)
  const boundBy: number[] = []
  for (const chooser of new Set([...(order.boundBy ?? []), userId]))
    boundBy.push((await callerFor(ports, chooser, 'A user who chose what is run again')).userId)
  return orderRun(context, {
    scriptId,
    runConfigurationId: runConfigurationId === 0 ? null : runConfigurationId,
    arguments: order.arguments && [...order.arguments],
    parameters: order.parameters as RunBody['parameters'],
    trigger: 'manual',
    uploads: await copyUploads(ports, id),
    key,
    boundBy,
  })
}

/** Removes a run that has ended from the history. @throws {Refusal} not_found, conflict for one that has not ended */
export async function deleteJob(context: Context, { scriptId, id }: RunName): Promise<void> {
  const { ports } = context
  const { state } = await readJob(context, scriptId, id)
  if (!hasEnded(state)) throw new Refusal('conflict', 'The run has not ended. Cancel it first.')
  await commit(ports.database, [
    ...deleteRun(ports.database, id, ports.clock.now()),
    audited(context, {
      action: 'delete',
      objectType: 'scriptJob',
      objectId: id,
      before: { scriptId, state },
    }),
  ])
}

/** Removes all runs of a script that have ended from the history. @returns how many */
export async function deleteJobs(context: Context, scriptId: number): Promise<number> {
  const { ports } = context
  const deleted = await store.countEnded(ports.database, scriptId)
  await commit(ports.database, [
    ...deleteHistory(ports.database, scriptId, ports.clock.now()),
    audited(context, { action: 'delete jobs', objectType: 'script', objectId: scriptId }),
  ])
  return deleted
}

/** A page of the log of a run. @throws {Refusal} not_found */
export async function readJobLog(
  context: Context,
  { scriptId, id }: RunName,
  { offset, limit }: Pick<LogQuery, 'offset' | 'limit'>,
): Promise<LogView> {
  const { ports } = context
  // The job is read first: its state is not later than its last lines.
  const job = await readJob(context, scriptId, id)
  const { dropped } = job.log
  return readLogOf(ports, id, { offset, limit, isOver: hasEnded(job.state), dropped })
}
