import type { Statement } from '../../../ports/values-database.ts'
import type { Effect, AppendedRows, Job } from '../head/job.ts'
import { rowsOf } from './entry.ts'
import { forgetJob } from '../store.ts'
import { writeJournal } from './store.ts'
import { forgetRepeats, pruneRepeats, writeRepeats } from '../store/repeats.ts'
import type { RepeatRow } from '../store/repeats.ts'
import type { WriteBatch } from './write-batch.ts'

/** An accepted event that waits for its commit. */
export type WalRecord = {
  /** What stands in the journal of it, or is still being gathered for that. */
  readonly entry: string | WriteBatch
  /** What was only noted, before its effects. */
  readonly rows: AppendedRows | null
  readonly effects: readonly Effect[]
  /** The job that ends with it. */
  readonly forgotten: Job | null
  /** The key under which it is known again. */
  readonly repeat: RepeatRow | null
  /** True of what a sender has sent. */
  readonly isDelivery: boolean
}

/** What few events have. */
export type RecordExtras = Partial<Pick<WalRecord, 'rows' | 'forgotten' | 'repeat'>>

/** What makes a batch durable: its statements, and how many journal rows after the last one there is, and characters in
 * them, that are. */
type Commit = {
  readonly statements: readonly Statement[]
  readonly rows: number
  readonly sizeBytes: number
}

export function commitOf(batch: readonly WalRecord[], lastId: number, now: number): Commit {
  const rows = rowsOf(batch.map(({ entry }) => (typeof entry === 'string' ? entry : entry.text())))
  const statements = rows.map((text, index) => writeJournal(lastId + 1 + index, text))
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

/** Until then a change of state was told by whoever made it, or never will be. */
const DELIVERED_WITHIN_MS = 5_000

/** When the jobs of a batch want to be looked at: at the earliest of their deadlines, and soon where somebody has to hear
 * of a change of state. What was only noted moves deadlines later. */
export function wakeAtOf(batch: readonly WalRecord[]): number {
  let at = Number.POSITIVE_INFINITY
  for (const { effects } of batch) {
    for (const { job, result } of effects) {
      at = Math.min(at, job.deadlineAt)
      if (result.transitions.length > 0) at = Math.min(at, result.state.nowAt + DELIVERED_WITHIN_MS)
    }
  }
  return at
}
