import { asExpiredUpload, claimBlobs } from '../../../content/blobs/service.ts'
import { Refusal } from '../../../lib/errors.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { commitAndRead, isUniqueViolation, onlyOf } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { isRefused } from '../store.ts'
import type { RunRow } from '../store.ts'
import { insertFiles } from '../store/files.ts'
import type { RunFile } from '../store/files.ts'
import { trimHistory } from '../store/history.ts'
import { readRun, runOf, selectRun } from '../store/lists.ts'
import type { ListedRun } from '../store/lists.ts'
import { findRepeat, insertRepeat } from '../store/repeats.ts'
import { historyOf, publishRun } from './transition-run.ts'

const REPEAT_MS = DAY_MS

/** A file that came with an order; its bytes are stored, and orphaned until a row refers to them. */
export type Upload = Pick<RunFile, 'name' | 'blob' | 'sizeBytes' | 'sha256' | 'mimeType'>

/** An order under the `Idempotency-Key` of a user; null without a key. */
export type KeyedOrder = {
  readonly scriptId: number
  readonly userId: number
  readonly key: string | null
  /** Equal for equal orders. */
  readonly digest: string
}

/** The run that the user has ordered with this key before; null where no order had the key.
 * @throws {Refusal} idempotency_conflict for a different order, conflict where the run was deleted */
export async function repeatedRun(
  { database, clock }: Pick<Ports, 'database' | 'clock'>,
  { scriptId, userId, key, digest }: KeyedOrder,
): Promise<ListedRun | null> {
  const repeat = key === null ? null : await findRepeat(database, { userId, key, now: clock.now() })
  if (!repeat) return null
  if (repeat.digest !== digest)
    throw new Refusal(
      'idempotency_conflict',
      'A different run was ordered with this Idempotency-Key before. Use a new key.',
    )
  const run = await readRun(database, scriptId, repeat.runId)
  if (!run) throw new Refusal('conflict', 'The run that was ordered with this Idempotency-Key was deleted.')
  return run
}

type OrderCommit = {
  readonly keyed: KeyedOrder
  readonly uploads: readonly Upload[]
  /** Insert the row, with further writes of the same commit. */
  readonly writes: readonly Write[]
  /** The refusal where the insert fails, as `isRefused` recognises. */
  readonly refusal: Refusal
}

/** Commits the order of a run with its files and its key, trims the history, and wakes the assignment to runners.
 * @returns the run as it is stored; the repeated one where another request with this key was committed first
 * @throws {Refusal} `refusal`, unavailable for uploads that took too long, and as `repeatedRun` */
export async function commitOrder(
  ports: Ports,
  row: RunRow,
  { uploads, keyed, writes, refusal }: OrderCommit,
): Promise<{ readonly run: ListedRun; readonly isReplayed: boolean }> {
  const { database } = ports
  const { id: runId, scriptId, queuedAt: now } = row
  const { userId, key, digest } = keyed
  const blobs = uploads.map(({ blob }) => blob)
  const repeat = key === null ? null : { userId, key, digest, runId, untilAt: now + REPEAT_MS }
  const all = [
    ...writes,
    ...insertFiles(database, { runId, kind: 'upload', at: now }, uploads),
    ...claimBlobs(ports, blobs),
    ...trimHistory(database, historyOf(row, now)),
    ...(repeat ? insertRepeat(database, repeat, now) : []),
  ]
  let run: ListedRun
  try {
    const [found] = await commitAndRead(database, all, [selectRun(database, scriptId, runId)])
    run = runOf(onlyOf(found))
  } catch (error) {
    const wasRefused = isRefused(error)
    const isSame = wasRefused || isUniqueViolation(error, 'run_repeats.key')
    const again = isSame ? await repeatedRun(ports, keyed) : null
    if (again) return { run: again, isReplayed: true }
    throw wasRefused ? refusal : asExpiredUpload(error)
  }
  await publishRun(ports, row)
  await ports.dispatch.wake()
  return { run, isReplayed: false }
}
