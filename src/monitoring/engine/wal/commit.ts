import type { Statement } from '../../../ports/values-database.ts'
import type { Effect, Heard, Job } from '../head/job.ts'
import { rowsOf } from './entry.ts'
import { forgetJob } from '../store.ts'
import { writeJournal } from './store.ts'
import { forgetRepeats, pruneRepeats, writeRepeats } from '../store/repeats.ts'
import type { RepeatRow } from '../store/repeats.ts'
import type { Gathering } from './write-batch.ts'

/** An accepted event that waits for its commit. */
export type Accepted = {
  /** What stands in the journal of it, or is still being gathered for that. */
  readonly entry: string | Gathering
  /** What was only noted, before its effects. */
  readonly heard: Heard | null
  readonly effects: readonly Effect[]
  /** The job that ends with it. */
  readonly forgotten: Job | null
  /** The key under which it is known again. */
  readonly repeat: RepeatRow | null
  /** True of what a sender has sent. */
  readonly isDelivery: boolean
}

/** What few events have. */
export type Besides = Partial<Pick<Accepted, 'heard' | 'forgotten' | 'repeat'>>

/** What makes a batch durable: its statements, and how many journal rows after the last one there is, and characters in
 * them, that are. */
type Commit = {
  readonly statements: readonly Statement[]
  readonly rows: number
  readonly sizeBytes: number
}

export function commitOf(batch: readonly Accepted[], lastId: number, now: number): Commit {
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
const TOLD_MS = 5_000

/** When the jobs of a batch want to be looked at: at the earliest of their deadlines, and soon where somebody has to hear
 * of a change of state. What was only noted moves deadlines later. */
export function lookAtOf(batch: readonly Accepted[]): number {
  let at = Number.POSITIVE_INFINITY
  for (const { effects } of batch) {
    for (const { job, result } of effects) {
      at = Math.min(at, job.deadlineAt)
      if (result.transitions.length > 0) at = Math.min(at, result.state.nowAt + TOLD_MS)
    }
  }
  return at
}
