import type { Statement } from '../../../ports/values-database.ts'
import type { HeadChange } from '../head/head.ts'
import { rowsOf } from './entry.ts'
import { forgetJob } from '../store.ts'
import { writeWal } from './store.ts'
import { forgetRepeats, pruneRepeats, writeRepeats } from '../store/repeats.ts'
import type { RepeatRow } from '../store/repeats.ts'

/** An accepted event, or a batch of values, that waits for its commit. */
export type WalRecord = HeadChange & {
  /** The WAL entry as JSON, or a batch that may still grow. */
  readonly entry: string | { text(): string }
  /** The idempotency key of the delivery, and the answer to it. */
  readonly repeat: RepeatRow | null
}

/** The parts of a record that few events have. */
export type RecordExtras = Partial<Pick<WalRecord, 'rows' | 'forgotten' | 'repeat'>>

/** The statements that make a batch durable, the number of WAL rows among them, and the characters in these rows. */
type Commit = {
  readonly statements: readonly Statement[]
  readonly rows: number
  readonly sizeBytes: number
}

export function commitOf(batch: readonly WalRecord[], lastId: number, now: number): Commit {
  const rows = rowsOf(batch.map(({ entry }) => (typeof entry === 'string' ? entry : entry.text())))
  const statements = rows.map((text, index) => writeWal(lastId + 1 + index, text))
  const repeats: RepeatRow[] = []
  const ends: Statement[] = []
  for (const { forgotten, repeat } of batch) {
    if (repeat) repeats.push(repeat)
    if (forgotten) ends.push(...forgetJob(forgotten.id), forgetRepeats(forgotten.id))
  }
  if (repeats.length > 0) statements.push(...writeRepeats(repeats), pruneRepeats(now))
  statements.push(...ends)
  return { statements, rows: rows.length, sizeBytes: rows.reduce((sum, text) => sum + text.length, 0) }
}

/** After this time the outbox has delivered a transition, or its host has died. */
const DELIVERED_WITHIN_MS = 5_000

/** When the jobs of a batch have to be woken after a crash: at the earliest of their deadlines, and soon where there is a
 * transition to deliver. Epoch ms. Appended values move deadlines later, and so do not count. */
export function wakeAtOf(batch: readonly WalRecord[]): number {
  let at = Number.POSITIVE_INFINITY
  for (const { effects } of batch) {
    for (const { job, result } of effects) {
      at = Math.min(at, job.deadlineAt())
      if (result.transitions.length > 0) at = Math.min(at, result.state.nowAt + DELIVERED_WITHIN_MS)
    }
  }
  return at
}
