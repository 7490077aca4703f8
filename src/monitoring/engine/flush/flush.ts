import type { Lock } from '../../../lib/mutex.ts'
import type { Unfolded } from '../wal/wal.ts'
import type { Facts } from '../wal/transition-outbox.ts'
import type { KeeperHost } from '../host.ts'
import type { Job } from '../head/job.ts'
import type { Panels } from '../head/pending-rows.ts'
import { replaceJournal, trimJournal, trimSome } from '../wal/store.ts'
import { pruneRepeats } from '../store/repeats.ts'
import { foldJobs } from './segments.ts'

/** What a fold writes at once, while deliveries wait: some two milliseconds of work. The tail of a job is not divided. */
const JOBS_PER_SLICE = 64
const SAMPLES_PER_SLICE = 2_000
const ROWS_PER_TRIM = 1_000
/** What a new journal in place of the old one writes, besides the rows that it takes over. */
const ROWS_TO_REPLACE = 11
/** After which a delivery that came meanwhile is durable and answered. */
const TURNS_OF_REST = 4
/** How many times as much at once, where it would otherwise fall behind what arrives. */
const HASTE_MAX = 32

type Folding = {
  readonly host: Pick<KeeperHost, 'values' | 'clock' | 'turn'>
  readonly lock: Lock
  readonly facts: Facts
  readonly jobs: ReadonlyMap<number, Job>
  /** Jobs whose end is not durable yet. */
  readonly leaving: ReadonlySet<Job>
  readonly panels: Panels
  readonly unfolded: Unfolded
}

/** Moves everything up to this row from the journal into segments, a little at a time, between which deliveries have their
 * turn. False when the listener is away, before whom nothing is folded that it has not been told. */
export async function foldUpTo(journalId: number, folding: Folding): Promise<boolean> {
  const { host, lock, facts, jobs, leaving, panels, unfolded } = folding
  const { rows, sizeBytes } = unfolded
  facts.willFold()
  for (const panel of panels.waiting()) {
    panel.handOut()
    await host.turn()
  }
  const due = [...jobs.values(), ...leaving].filter((job) => !job.isFolded)
  for (const slice of slicesOf(due, unfolded)) {
    // A checkpoint must not overtake its transitions: what it covers is never replayed.
    do if (!(await facts.tell())) return false
    while (!(await lock.run(() => foldSlice(slice, folding))))
    await rest(folding)
  }
  await trim(journalId, rows, folding)
  unfolded.rows -= rows
  unfolded.sizeBytes -= sizeBytes
  return true
}

/** Jobs in their order, divided by how much there is to fold: each slice twice as much as the one before it while more than
 * half as much arrives as was moved, and half as much while it does not. */
function* slicesOf(jobs: readonly Job[], unfolded: Readonly<Unfolded>): Generator<readonly Job[]> {
  const begunWith = unfolded.samples
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
      const isOutrun = unfolded.samples > begunWith - moved / 2
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
async function foldSlice(
  slice: readonly Job[],
  { host, facts, jobs, leaving, unfolded }: Folding,
): Promise<boolean> {
  if (!facts.told) return false
  const here = slice.filter((job) => jobs.get(job.id) === job || leaving.has(job))
  const { statements, ends } = await foldJobs(host.values, here)
  await host.values.commit(statements)
  for (const job of here) {
    unfolded.samples -= job.tail?.size ?? 0
    job.fold()
  }
  for (const end of ends) jobs.get(end.jobId)?.endsAt(end)
  return true
}

/** Removes the rows of the journal up to this one, of which there are about so many. */
async function trim(upTo: number, rows: number, folding: Folding): Promise<void> {
  const { lock, unfolded } = folding
  const { values, clock } = folding.host
  let left = rows
  for (; left > ROWS_PER_TRIM; left -= ROWS_PER_TRIM) {
    await lock.run(() => values.commit([trimSome(upTo, ROWS_PER_TRIM)]))
    await rest(folding)
  }
  await lock.run(() => {
    const newer = unfolded.rows - rows
    const trimmed = newer + ROWS_TO_REPLACE < left ? replaceJournal(upTo) : trimJournal(upTo)
    return values.commit([...trimmed, pruneRepeats(clock.now())])
  })
}

/** A delivery waits for one slice of a fold, not for one in each turn that it needs itself. */
async function rest({ host }: Folding): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_REST; turn++) await host.turn()
}
