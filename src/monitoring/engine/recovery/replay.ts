import type { Round } from '../../../domain/delivery.ts'
import type { ValuesDatabase } from '../../../ports/values-database.ts'
import { step } from '../../jobs/actor.ts'
import type { Unfolded } from '../wal/wal.ts'
import { effectsOf, Job } from '../head/job.ts'
import type { Effect, Heard } from '../head/job.ts'
import type { Entry, RoundEntry } from '../wal/entry.ts'
import { partOf, takeRound } from '../ingest/row.ts'
import { readActors } from '../store.ts'
import { readJournal, readLastJournalId } from '../wal/store.ts'

type Replaying = {
  readonly values: ValuesDatabase
  readonly jobs: Map<number, Job>
  readonly keep: (effect: Effect, journalId: number) => void
  readonly keepHeard: (heard: Heard, journalId: number) => void
  readonly drop: (job: Job) => void
  readonly unfolded: Unfolded
}

/** Brings every job to its last acknowledged event. @returns the last journal row there was */
export async function replay(replaying: Replaying): Promise<number> {
  const { values, jobs, unfolded } = replaying
  for await (const page of readActors(values)) {
    for (const { journalId, state } of page) jobs.set(state.jobId, new Job(state, journalId))
  }
  for await (const { id, entries, sizeBytes } of readJournal(values)) {
    for (const entry of entries) replayEntry(replaying, id, entry)
    unfolded.rows++
    unfolded.sizeBytes += sizeBytes
  }
  return readLastJournalId(values)
}

function replayEntry(replaying: Replaying, id: number, { jobId, at, event }: Entry | RoundEntry): void {
  if (event.kind === 'round') return replayRound(replaying, id, { at, round: event.round })
  const { jobs, keep, drop } = replaying
  const known = jobs.get(jobId)
  if (event.kind === 'forget') {
    // A checkpoint from after this row is that of another job, made anew under the same id.
    if (!known || known.foldedId >= id) return
    jobs.delete(jobId)
    drop(known)
    return
  }
  if (!known && event.kind === 'configure') {
    const result = step(null, event, at)
    const job = new Job(result.state, null)
    jobs.set(jobId, job)
    keep({ job, result }, id)
    return
  }
  const only = known ? [known] : []
  for (const job of jobId === 0 ? jobs.values() : only) {
    if (job.foldedId >= id) continue
    for (const effect of effectsOf(job, event, at)) {
      job.state = effect.result.state
      keep(effect, id)
    }
  }
}

/** Lets what was accepted of a round take effect again on the jobs whose checkpoints are older. */
function replayRound(
  { jobs, keep, keepHeard }: Replaying,
  id: number,
  { at, round }: { readonly at: number; readonly round: Round },
): void {
  const isDue = (jobId: number) => (jobs.get(jobId)?.foldedId ?? id) < id
  const places = [...round.jobIds.keys()].filter((index) => isDue(round.jobIds[index] ?? 0))
  const { heard, effects, refused } = takeRound(partOf(round, places), at, {
    find: (jobId) => jobs.get(jobId) ?? null,
    admit: () => {},
  })
  if (refused.length > 0) throw new TypeError(`Row ${id} of the journal holds values that are refused.`)
  keepHeard(heard, id)
  for (const effect of effects) keep(effect, id)
}
