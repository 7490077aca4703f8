import type { Statement } from '../../../ports/values-database.ts'
import type { Effect, Job } from '../job.ts'
import { rowsOf } from '../journal.ts'
import { forgetJob, writeJournal } from '../store.ts'
import { forgetRepeats, pruneRepeats, writeRepeats } from '../store/repeats.ts'
import type { RepeatRow } from '../store/repeats.ts'

/** An accepted event that waits for its commit. */
export type Accepted = {
  /** Its journal entry. */
  readonly text: string
  readonly effects: readonly Effect[]
  /** The job that ends with it. */
  readonly forgotten: Job | null
  /** The key under which it is known again. */
  readonly repeat: RepeatRow | null
}

/** Everything that makes a batch durable, and how many journal rows that are, after the last one there is. */
export function statementsOf(
  batch: readonly Accepted[],
  lastId: number,
  now: number,
): { readonly statements: readonly Statement[]; readonly rows: number } {
  const rows = rowsOf(batch.map(({ text }) => text))
  const statements = rows.map((text, index) => writeJournal(lastId + 1 + index, text))
  const repeats: RepeatRow[] = []
  const ends: Statement[] = []
  for (const { forgotten, repeat } of batch) {
    if (repeat) repeats.push(repeat)
    if (forgotten) ends.push(...forgetJob(forgotten.id), forgetRepeats(forgotten.id))
  }
  if (repeats.length > 0) statements.push(...writeRepeats(repeats), pruneRepeats(now))
  statements.push(...ends)
  return { statements, rows: rows.length }
}
