import type { Context } from '../../../context.ts'
import { callersOf } from '../../../access/users/callers.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { cutText, sameText } from '../../../lib/text.ts'
import { commit, isNotNullViolation } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { LEASE_MS, LOG_HEAD_LINES, LOG_TAIL_LINES } from '../protocol.ts'
import type { Beat, Finished, LogChunk, Progress, Started } from '../protocol.ts'
import { isHeld } from '../run.ts'
import type { RunEvent } from '../run.ts'
import * as store from '../store.ts'
import type { RunRow } from '../store.ts'
import { appendLog } from '../store/log.ts'
import { changeRun, publishRun } from './transition-run.ts'

/** The bounds of a run's log: its first and its last lines. */
const KEPT = { headLines: LOG_HEAD_LINES, tailLines: LOG_TAIL_LINES }

/** A runner, and the attempt of a run that was assigned to it. */
export type Holder = { readonly id: string; readonly runnerId: number; readonly attemptHash: string }

/** The runner and the run of a report. @throws {Refusal} bad_request without a token of an attempt */
export async function holderOf({ caller }: Context, request: Request, id: string): Promise<Holder> {
  const token = request.headers.get('x-attempt-token')
  if (token === null || token.length > 255)
    throw new Refusal('bad_request', 'The header X-Attempt-Token is missing.')
  const runnerId = caller.kind === 'runner' ? caller.runnerId : 0
  return { id, runnerId, attemptHash: await sha256(token) }
}

/** The run is still this runner's, and its lease goes on. @throws {Refusal} fenced */
export async function keepHold({ database, clock }: Ports, holder: Holder): Promise<Beat> {
  const cancel = await store.extendLease(database, holder, clock.now() + LEASE_MS)
  if (cancel === null) throw fenced()
  return { cancel }
}

/** The runner took the run. A repetition changes nothing. @throws {Refusal} fenced */
export function accept(ports: Ports, holder: Holder): Promise<Beat> {
  return extendRun(ports, holder, { kind: 'accept' }, () => ({}))
}

/** Records that the script of a run begins. A repetition changes nothing. @throws {Refusal} fenced */
export function start(ports: Ports, holder: Holder, { isolation }: Started): Promise<Beat> {
  return extendRun(ports, holder, { kind: 'start' }, ({ startedAt }) => ({
    isolation,
    startedAt: startedAt ?? ports.clock.now(),
  }))
}

/** The attempt is over. A repetition changes nothing. @throws {Refusal} fenced */
export async function finish(ports: Ports, holder: Holder, finished: Finished): Promise<void> {
  const { outcome, exitCode, logLines } = finished
  const error = finished.error === null ? null : cutText(finished.error, ERROR_MAX)
  const after = await changeRun(ports, holder.id, (row) => {
    const mine = requireHolder(row, holder)
    if (!isHeld(mine.state)) return null
    const set = { exitCode, error, logLines: Math.max(logLines, row.logLines) }
    return { event: { kind: 'finish', outcome }, set }
  })
  if (!after) throw fenced()
  callersOf(ports).clear()
  await ports.dispatch.wake()
}

const ERROR_MAX = 1_000

/** Takes a part of the log; one that was taken before changes nothing.
 * @throws {Refusal} fenced, conflict where one before it is missing */
export async function takeLog(ports: Ports, holder: Holder, { sequence, lines }: LogChunk): Promise<Beat> {
  const beat = await keepHold(ports, holder)
  const row = await store.findRun(ports.database, holder.id)
  if (!row) throw fenced()
  if (sequence <= row.logSequence) return beat
  const { id: runId, attemptHash } = holder
  const lastLine = lines.reduce((last, { line }) => Math.max(last, line), row.logLines)
  try {
    const chunk = { runId, attemptHash, sequence, lines, lastLine }
    await commit(ports.database, appendLog(ports.database, chunk, KEPT))
  } catch (error) {
    if (!isNotNullViolation(error, 'runs.log_lines')) throw error
    throw new Refusal('conflict', `The next part of the log must have the sequence ${row.logSequence + 1}.`)
  }
  await publishRun(ports, { ...row, logLines: lastLine })
  return beat
}

/** Records the progress of the script. @throws {Refusal} fenced */
export async function takeProgress(
  ports: Ports,
  holder: Holder,
  { value, message }: Progress,
): Promise<Beat> {
  const beat = await keepHold(ports, holder)
  const progress = { progress: value, progressMessage: message }
  await commit(ports.database, [store.setProgress(ports.database, holder, progress)])
  const row = await store.findRun(ports.database, holder.id)
  if (row) await publishRun(ports, row)
  return beat
}

async function extendRun(
  ports: Ports,
  holder: Holder,
  event: RunEvent,
  set: (row: RunRow) => Partial<RunRow>,
): Promise<Beat> {
  const leaseUntil = ports.clock.now() + LEASE_MS
  const after = await changeRun(ports, holder.id, (row) => {
    const mine = requireHolder(row, holder)
    return isHeld(mine.state) ? { event, set: { ...set(row), leaseUntil } } : null
  })
  if (!after || !isHeld(after.state)) throw fenced()
  return { cancel: after.isCancelled }
}

function requireHolder(row: RunRow, { runnerId, attemptHash }: Holder): RunRow {
  if (row.runnerId !== runnerId || !sameText(row.attemptHash ?? '', attemptHash)) throw fenced()
  return row
}

/** The refusal for a runner that lost the run. */
export function fenced(): Refusal {
  return new Refusal('fenced', 'This attempt has ended, or the run was assigned to another runner.')
}
