import { endDelegatedSession } from '../../../access/session/service/delegated-session.ts'
import { retryOnConflict } from '../../../lib/retry.ts'
import { timeFormat } from '../../../lib/time.ts'
import { commit, isNotNullViolation } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Span } from '../../../ports/traces.ts'
import { hasEnded, isHeld, step } from '../run.ts'
import type { Run, RunEvent } from '../run.ts'
import * as store from '../store.ts'
import type { RunRow } from '../store.ts'
import { deleteFiles } from '../store/files.ts'
import { trimHistory } from '../store/history.ts'
import { deleteLog } from '../store/log.ts'

/** How many runs of a script that have ended are kept (specification: Limits). */
const HISTORY_MAX = 1_000

export type RunPorts = Pick<Ports, 'database' | 'clock' | 'log' | 'events' | 'settings' | 'traces'>

/** An event of a run, the fields to store with it, and further writes of the same commit. */
export type RunTransition = {
  readonly event: RunEvent
  readonly set?: Partial<RunRow>
  readonly writes?: readonly Write[]
}

/** Applies a transition to the current state of a run.
 * @param decide makes the transition, and again when a concurrent one is committed first; null for no transition
 * @returns the run after the transition; null if the run does not exist or its state does not allow the transition */
export async function changeRun(
  ports: RunPorts,
  id: string,
  decide: (row: RunRow) => RunTransition | null,
): Promise<RunRow | null> {
  return retryOnConflict(isChanged, async () => {
    const row = await store.findRun(ports.database, id)
    const change = row && decide(row)
    if (!row || !change) return row
    const next = step(row, change.event)
    return next && keep(ports, row, { ...change, next })
  })
}

function isChanged(error: unknown): boolean {
  return isNotNullViolation(error, 'runs.state')
}

async function keep(
  ports: RunPorts,
  row: RunRow,
  { event, next, set, writes = [] }: RunTransition & { readonly next: Run },
): Promise<RunRow> {
  const { database, clock } = ports
  const now = clock.now()
  const { state, attempt, retries, isCancelled } = next
  // The runner that reported the end may repeat it; every other report is refused.
  const token = event.kind === 'finish' || isHeld(state) ? {} : { attemptHash: null }
  const changed = {
    ...given(row, next),
    ...token,
    ...set,
    ...ended(row, next, now),
    state,
    attempt,
    retries,
    isCancelled,
  }
  await commit(database, [
    store.updateRun(database, row, changed),
    ...leaving(database, row, next, now),
    ...writes,
    ...(hasEnded(state)
      ? [...withoutInput(database, row, now), ...trimHistory(database, historyOf(row, now))]
      : []),
  ])
  const after = { ...row, ...changed }
  if (hasEnded(state)) recordSpan(ports, after, now)
  await publishRun(ports, after)
  return after
}

function recordSpan({ traces }: RunPorts, run: RunRow, endedAt: number): void {
  const place = traces?.place(null)
  if (traces && place) traces.record(place, spanOf(run, endedAt))
}

/** From the begin of the last attempt, or from the order of a run that never began. */
function spanOf(
  { id, scriptId, state, attempt, trigger, queuedAt, startedAt, order }: RunRow,
  now: number,
): Span {
  const isForecast = order.forecast !== undefined && order.forecast !== null
  return {
    name: isForecast ? 'run forecast' : 'run script',
    kind: 'internal',
    startedAt: startedAt ?? queuedAt,
    endedAt: now,
    attributes: {
      'tidemark.run.id': id,
      ...(!isForecast && { 'tidemark.script.id': scriptId }),
      'tidemark.run.state': state,
      'tidemark.run.attempt': attempt,
      'tidemark.run.trigger': trigger,
      'tidemark.run.waited_ms': (startedAt ?? now) - queuedAt,
    },
    failure: state === 'succeeded' || state === 'cancelled' ? null : state,
  }
}

/** The history to which a run belongs: of its script, or of its forecast. */
export function historyOf(
  { scriptId, runConfigurationId, order }: Pick<RunRow, 'scriptId' | 'runConfigurationId' | 'order'>,
  at: number,
) {
  return { scriptId, ...(order.forecast && { runConfigurationId }), keptMax: HISTORY_MAX, at }
}

/** The series of a forecast are not needed once it has ended. */
function withoutInput(database: Ports['database'], { id: runId, order }: RunRow, at: number): Write[] {
  return order.forecast ? deleteFiles(database, { runId, kind: 'upload', at }) : []
}

/** Removes the data of the attempt; with a run that begins anew, also its output so far. */
function given(row: RunRow, next: Run): Partial<RunRow> {
  if (!isHeld(row.state) || isHeld(next.state)) return {}
  const free = { leaseUntil: null, sessionHash: null }
  if (next.state !== 'queued') return free
  const bare = { startedAt: null, progress: null, progressMessage: null, isolation: null }
  return { ...free, ...bare, logSequence: 0, logLines: 0 }
}

function ended({ reportTo }: RunRow, { state }: Run, now: number): Partial<RunRow> {
  if (!hasEnded(state)) return {}
  const isReported = reportTo !== null && state !== 'cancelled'
  return { finishedAt: now, ...(isReported && { reportState: 'due' }) }
}

function leaving(database: Ports['database'], row: RunRow, next: Run, at: number): Write[] {
  if (!isHeld(row.state) || isHeld(next.state)) return []
  const { id: runId, sessionHash } = row
  return [
    ...(sessionHash === null ? [] : [endDelegatedSession(database, sessionHash)]),
    ...deleteFiles(database, { runId, kind: 'tree', at }),
    ...(next.state === 'queued'
      ? [deleteLog(database, runId), ...deleteFiles(database, { runId, kind: 'output', at })]
      : []),
  ]
}

/** Publishes the progress of a run to readers of events. No caller waits for them or fails with them. */
export async function publishRun({ events, log, settings, clock }: RunPorts, row: RunRow): Promise<void> {
  // Events of scripts go to users who may read scripts.
  if (row.order.forecast) return
  const { id: jobId, scriptId, runConfigurationId, state, attempt, progress, progressMessage, logLines } = row
  const data = {
    jobId,
    scriptId,
    runConfigurationId: runConfigurationId === 0 ? null : runConfigurationId,
    state,
    attempt,
    progress: { value: progress, message: progressMessage },
    logLines,
    timestamp: timeFormat(settings.timeZone)(clock.now()),
  }
  try {
    await events.publish({ kind: 'script', data })
  } catch (error) {
    log.error("runs: publishing a run's change to event streams failed", error)
  }
}

/** Takes a run from its runner, so that it is lost or queued again.
 * @param isIt whether the run is still to be taken
 * @param why the reason in the message */
export function loseRun(
  ports: RunPorts,
  { id, attemptHash }: Pick<RunRow, 'id' | 'attemptHash'>,
  why: string,
  isIt: (row: RunRow) => boolean = () => true,
): Promise<RunRow | null> {
  return changeRun(ports, id, (row) => {
    // Hashes of hashes: the time of the comparison reveals nothing.
    const isSame = isHeld(row.state) && row.attemptHash === attemptHash && isIt(row)
    if (!isSame) return null
    const error = row.state === 'assigned' ? row.error : `Attempt ${row.attempt} was lost: ${why}`
    return { event: { kind: 'lose' }, set: { error } }
  })
}
