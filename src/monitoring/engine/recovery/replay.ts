import type { Round } from '../../../domain/delivery.ts'
import type { ValuesDatabase } from '../../../ports/values-database.ts'
import { step } from '../../jobs/actor.ts'
import type { Unflushed } from '../wal/wal.ts'
import { effectsOf, Job } from '../head/job.ts'
import type { Effect, AppendedRows } from '../head/job.ts'
import type { Entry, RoundEntry } from '../wal/entry.ts'
import { partOf } from '../../jobs/round.ts'
import { acceptRow } from '../ingest/row.ts'
import { readActors } from '../store.ts'
import { readJournal, readLastJournalId } from '../wal/store.ts'

type ReplayContext = {
  readonly values: ValuesDatabase
  readonly jobs: Map<number, Job>
  readonly markDurable: (effect: Effect, journalId: number) => void
  readonly markRowsDurable: (rows: AppendedRows, journalId: number) => void
  readonly drop: (job: Job) => void
  readonly unflushed: Unflushed
}

/** Brings every job to its last acknowledged event. @returns the last journal row there was */
export async function replay(replaying: ReplayContext): Promise<number> {
  const { values, jobs, unflushed } = replaying
  for await (const page of readActors(values)) {
    for (const { journalId, state } of page) jobs.set(state.jobId, new Job(state, journalId))
  }
  for await (const { id, entries, sizeBytes } of readJournal(values)) {
    for (const entry of entries) replayEntry(replaying, id, entry)
    unflushed.rows++
    unflushed.sizeBytes += sizeBytes
  }
  return readLastJournalId(values)
}

function replayEntry(replaying: ReplayContext, id: number, { jobId, at, event }: Entry | RoundEntry): void {
  if (event.kind === 'round') return replayRound(replaying, id, { at, round: event.round })
  const { jobs, markDurable, drop } = replaying
  const known = jobs.get(jobId)
  if (event.kind === 'forget') {
    // A checkpoint from after this row is that of another job, made anew under the same id.
    if (!known || known.flushedId >= id) return
    jobs.delete(jobId)
    drop(known)
    return
  }
  if (!known && event.kind === 'configure') {
    const result = step(null, event, at)
    const job = new Job(result.state, null)
    jobs.set(jobId, job)
    markDurable({ job, result }, id)
    return
  }
  const only = known ? [known] : []
  for (const job of jobId === 0 ? jobs.values() : only) {
    if (job.flushedId >= id) continue
    for (const effect of effectsOf(job, event, at)) {
      job.state = effect.result.state
      markDurable(effect, id)
    }
  }
}

/** Lets what was accepted of a round take effect again on the jobs whose checkpoints are older. */
function replayRound(
  { jobs, markDurable, markRowsDurable }: ReplayContext,
  id: number,
  { at, round }: { readonly at: number; readonly round: Round },
): void {
  const isDue = (jobId: number) => (jobs.get(jobId)?.flushedId ?? id) < id
  const places = [...round.jobIds.keys()].filter((index) => isDue(round.jobIds[index] ?? 0))
  const { rows, effects, refused } = acceptRow(partOf(round, places), at, {
    find: (jobId) => jobs.get(jobId) ?? null,
    admit: () => {},
  })
  if (refused.length > 0) throw new TypeError(`Row ${id} of the journal holds values that are refused.`)
  markRowsDurable(rows, id)
  for (const effect of effects) markDurable(effect, id)
}
