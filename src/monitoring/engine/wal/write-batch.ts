import type { Value } from '../../../domain/delivery.ts'
import type { Sample } from '../../jobs/actor.ts'
import type { Arrival } from '../head/hot-state.ts'
import type { AppendedRows, Job } from '../head/job.ts'
import type { WalRecord } from './commit.ts'
import { encodeEntry } from './entry.ts'
import type { GroupCommit } from './group-commit.ts'

/** About so many characters are in a batch at most: an entry has to fit into a row. */
export const BATCH_BYTES = 256 * 1024
/** The size of a number in the WAL, with the id of its job. */
const VALUE_BYTES = 32

/** A WAL record that takes more values until it is committed: routine values that arrived one by one in the same
 * millisecond. Written as one row, they cost a fraction of what an entry for each would cost. */
class WriteBatch implements AppendedRows {
  readonly key: string
  readonly timestampAt: number | null
  readonly now: number
  readonly jobs: Job[] = []
  readonly at: number[] = []
  readonly values: Value[] = []
  #sizeBytes = 0

  constructor(key: string, { timestampAt, now }: Arrival) {
    this.key = key
    this.timestampAt = timestampAt
    this.now = now
  }

  isFor(key: string, { timestampAt, now }: Arrival): boolean {
    const isSame = now === this.now && key === this.key && timestampAt === this.timestampAt
    return isSame && this.#sizeBytes < BATCH_BYTES
  }

  /** @returns about how many characters the entry grew by */
  add(job: Job, at: number, value: Value): number {
    const sizeBytes = VALUE_BYTES + (typeof value === 'string' ? value.length : 0)
    this.jobs.push(job)
    this.at.push(at)
    this.values.push(value)
    this.#sizeBytes += sizeBytes
    return sizeBytes
  }

  /** The WAL entry of the values so far. */
  text(): string {
    const { key, timestampAt, now, jobs, values } = this
    const round = { key, timestampAt, jobIds: jobs.map(({ id }) => id), values }
    return encodeEntry({ jobId: 0, at: now, event: { kind: 'round', round } })
  }
}

/** Adds an appended value to the open batch, or to a new one if the open one does not fit. Resolves as `GroupCommit.push`. */
export function appendToBatch(
  commits: GroupCommit<WalRecord>,
  job: Job,
  { key, at, value }: Sample,
  arrival: Arrival,
): Promise<void> {
  const last = commits.last?.entry
  if (last instanceof WriteBatch && last.isFor(key, arrival)) return commits.grow(last.add(job, at, value))
  const batch = new WriteBatch(key, arrival)
  const sizeBytes = batch.add(job, at, value)
  const record: WalRecord = {
    entry: batch,
    rows: batch,
    isRow: false,
    effects: [],
    forgotten: null,
    repeat: null,
    isDelivery: true,
  }
  return commits.push(record, sizeBytes)
}
