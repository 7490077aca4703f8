import type { Value } from '../../../domain/delivery.ts'
import type { Sample } from '../../jobs/actor.ts'
import type { GroupCommit } from './group-commit.ts'
import type { AppendedRows, Job } from '../head/job.ts'
import { encodeEntry } from './entry.ts'
import type { Arrival } from '../head/hot-state.ts'
import type { WalRecord } from './commit.ts'

/** About so many characters are gathered at most: an entry has to fit into a row. */
export const GATHERED_BYTES = 256 * 1024
/** What a value takes in the journal, with the id of its job, where it is no text. */
const VALUE_BYTES = 32

/** Routine values that came one by one at the same instant of the clock. They are written down as one round, at a fraction
 * of what an entry for each would take. */
export class WriteBatch implements AppendedRows {
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
    return isSame && this.#sizeBytes < GATHERED_BYTES
  }

  /** @returns what it takes more of the journal for that, about */
  add(job: Job, at: number, value: Value): number {
    const sizeBytes = VALUE_BYTES + (typeof value === 'string' ? value.length : 0)
    this.jobs.push(job)
    this.at.push(at)
    this.values.push(value)
    this.#sizeBytes += sizeBytes
    return sizeBytes
  }

  /** The journal entry of what was gathered so far. */
  text(): string {
    const { key, timestampAt, now, jobs, values } = this
    const round = { key, timestampAt, jobIds: jobs.map(({ id }) => id), values }
    return encodeEntry({ jobId: 0, at: now, event: { kind: 'round', round } })
  }
}

/** Lets a value that was only noted wait for its commit, with those that came just before it where that is possible.
 * Resolves as `GroupCommit.push`. */
export function appendToBatch(
  commits: GroupCommit<WalRecord>,
  job: Job,
  { key, at, value }: Sample,
  arrival: Arrival,
): Promise<void> {
  const last = commits.last?.entry
  if (last instanceof WriteBatch && last.isFor(key, arrival)) return commits.grow(last.add(job, at, value))
  const entry = new WriteBatch(key, arrival)
  const sizeBytes = entry.add(job, at, value)
  const accepted = { entry, rows: entry, effects: [], forgotten: null, repeat: null, isDelivery: true }
  return commits.push(accepted, sizeBytes)
}
