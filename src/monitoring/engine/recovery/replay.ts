import type { Round } from '../../../domain/delivery.ts'
import { step } from '../../jobs/actor.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { Head } from '../head/head.ts'
import { effectsOf, Job } from '../head/job.ts'
import type { Effect } from '../head/job.ts'
import type { Entry, RoundEntry } from '../wal/entry.ts'
import { partOf } from '../../jobs/round.ts'
import { acceptRow } from '../ingest/row.ts'
import { readActors } from '../store.ts'
import { readLastWalId, readWal } from '../wal/store.ts'
import type { Wal } from '../wal/wal.ts'

/** Brings every job to its last acknowledged event: reads the checkpoints, and applies the WAL rows after each. */
export async function replay(head: Head, wal: Wal, { values }: Blocks): Promise<void> {
  for await (const page of readActors(values)) {
    for (const { walId, state } of page) head.add(new Job(state, walId))
  }
  for await (const { id, entries, sizeBytes } of readWal(values)) {
    for (const entry of entries) replayEntry(head, wal, id, entry)
    head.unflushed.rows++
    head.unflushed.sizeBytes += sizeBytes
  }
  wal.lastId = await readLastWalId(values)
}

function replayEntry(head: Head, wal: Wal, id: number, { jobId, at, event }: Entry | RoundEntry): void {
  if (event.kind === 'round') return replayRow(head, wal, id, { at, round: event.round })
  const known = head.find(jobId)
  if (event.kind === 'forget') {
    // A newer checkpoint belongs to another job, which was created later with the same id.
    if (!known || known.flushedId >= id) return
    head.jobs.delete(jobId)
    head.drop(known)
    return
  }
  if (!known && event.kind === 'configure') {
    const result = step(null, event, at)
    const job = new Job(result.state, null)
    head.add(job)
    markDurable(head, wal, id, { job, result })
    return
  }
  const only = known ? [known] : []
  for (const job of jobId === 0 ? head.jobs.values() : only) {
    if (job.flushedId >= id) continue
    for (const effect of effectsOf(job, event, at)) {
      job.accept(effect.result.state)
      markDurable(head, wal, id, effect)
    }
  }
}

/** Applies the accepted values of a row again to the jobs whose checkpoints are older. */
function replayRow(
  head: Head,
  wal: Wal,
  id: number,
  { at, round }: { readonly at: number; readonly round: Round },
): void {
  const isDue = (jobId: number) => (head.find(jobId)?.flushedId ?? id) < id
  const places = [...round.jobIds.keys()].filter((index) => isDue(round.jobIds[index] ?? 0))
  const { rows, effects, refused } = acceptRow(partOf(round, places), at, head, null)
  if (refused.length > 0) throw new TypeError(`Row ${id} of the WAL has values that are refused.`)
  head.markRowsDurable(rows, id, true)
  for (const effect of effects) markDurable(head, wal, id, effect)
}

function markDurable(head: Head, wal: Wal, id: number, effect: Effect): void {
  head.markEffectDurable(effect, id)
  wal.outbox.add(effect.result.transitions)
}
