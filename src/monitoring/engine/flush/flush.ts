import type { Mutex } from '../../../lib/mutex.ts'
import type { Unflushed } from '../wal/wal.ts'
import type { TransitionOutbox } from '../wal/transition-outbox.ts'
import type { EngineHost } from '../host.ts'
import type { Job } from '../head/job.ts'
import type { PendingRowLists } from '../head/pending-rows.ts'
import { replaceJournal, trimJournal, trimSome } from '../wal/store.ts'
import { pruneRepeats } from '../store/repeats.ts'
import { flushJobs } from './segments.ts'

/** What a flush writes at once, while deliveries wait: some two milliseconds of work. The tail of a job is not divided. */
const JOBS_PER_SLICE = 64
const SAMPLES_PER_SLICE = 2_000
const ROWS_PER_TRIM = 1_000
/** What a new journal in place of the old one writes, besides the rows that it takes over. */
const ROWS_TO_REPLACE = 11
/** After which a delivery that came meanwhile is durable and answered. */
const TURNS_OF_REST = 4
/** How many times as much at once, where it would otherwise fall behind what arrives. */
const HASTE_MAX = 32

type FlushContext = {
  readonly host: Pick<EngineHost, 'values' | 'clock' | 'turn'>
  readonly lock: Mutex
  readonly outbox: TransitionOutbox
  readonly jobs: ReadonlyMap<number, Job>
  /** Jobs whose end is not durable yet. */
  readonly leaving: ReadonlySet<Job>
  readonly pendingRows: PendingRowLists
  readonly unflushed: Unflushed
}

/** Moves everything up to this row from the journal into segments, a little at a time, between which deliveries have their
 * turn. False when the listener is away, before whom nothing is flushed that it has not been told. */
export async function flushUpTo(journalId: number, flush: FlushContext): Promise<boolean> {
  const { host, lock, outbox, jobs, leaving, pendingRows, unflushed } = flush
  const { rows, sizeBytes } = unflushed
  outbox.willFlush()
  for (const panel of pendingRows.waiting()) {
    panel.flushToJobs()
    await host.turn()
  }
  const due = [...jobs.values(), ...leaving].filter((job) => !job.isFlushed)
  for (const slice of slicesOf(due, unflushed)) {
    // A checkpoint must not overtake its transitions: what it covers is never replayed.
    do if (!(await outbox.deliver())) return false
    while (!(await lock.run(() => flushSlice(slice, flush))))
    await rest(flush)
  }
  await trim(journalId, rows, flush)
  unflushed.rows -= rows
  unflushed.sizeBytes -= sizeBytes
  return true
}

/** Jobs in their order, divided by how much there is to flush: each slice twice as much as the one before it while more than
 * half as much arrives as was moved, and half as much while it does not. */
function* slicesOf(jobs: readonly Job[], unflushed: Readonly<Unflushed>): Generator<readonly Job[]> {
  const begunWith = unflushed.samples
  let moved = 0
  let haste = 1
  let slice: Job[] = []
  let samples = 0
  for (const job of jobs) {
    const size = job.takenSize
    const isFull = slice.length >= JOBS_PER_SLICE * haste || samples + size > SAMPLES_PER_SLICE * haste
    if (isFull && slice.length > 0) {
      yield slice
      moved += samples
      const isOutrun = unflushed.samples > begunWith - moved / 2
      haste = isOutrun ? Math.min(HASTE_MAX, haste * 2) : Math.max(1, haste / 2)
      slice = []
      samples = 0
    }
    slice.push(job)
    samples += size
  }
  if (slice.length > 0) yield slice
}

/** False when there is something to be told first. */
async function flushSlice(
  slice: readonly Job[],
  { host, outbox, jobs, leaving, unflushed }: FlushContext,
): Promise<boolean> {
  if (!outbox.isDrained) return false
  const here = slice.filter((job) => jobs.get(job.id) === job || leaving.has(job))
  const { statements, ends } = await flushJobs(host.values, here)
  await host.values.commit(statements)
  for (const job of here) {
    unflushed.samples -= job.tail?.size ?? 0
    job.markFlushed()
  }
  for (const end of ends) jobs.get(end.jobId)?.endsAt(end)
  return true
}

/** Removes the rows of the journal up to this one, of which there are about so many. */
async function trim(upTo: number, rows: number, flush: FlushContext): Promise<void> {
  const { lock, unflushed } = flush
  const { values, clock } = flush.host
  let left = rows
  for (; left > ROWS_PER_TRIM; left -= ROWS_PER_TRIM) {
    await lock.run(() => values.commit([trimSome(upTo, ROWS_PER_TRIM)]))
    await rest(flush)
  }
  await lock.run(() => {
    const newer = unflushed.rows - rows
    const trimmed = newer + ROWS_TO_REPLACE < left ? replaceJournal(upTo) : trimJournal(upTo)
    return values.commit([...trimmed, pruneRepeats(clock.now())])
  })
}

/** A delivery waits for one slice of a flush, not for one in each turn that it needs itself. */
async function rest({ host }: FlushContext): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_REST; turn++) await host.turn()
}
