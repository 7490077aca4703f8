import type { Delivered, Delivery, Value } from '../../../domain/delivery.ts'
import type { Job } from '../head/job.ts'
import { Mutex } from '../../../lib/mutex.ts'
import type { Query } from '../query/query.ts'
import type { Wal } from '../wal/wal.ts'

/** Finds stored values among the samples. */
export class StoredSamples {
  readonly #query: Query
  readonly #wal: Wal
  readonly #turns = new Mutex()

  constructor(query: Query, wal: Wal) {
    this.#query = query
    this.#wal = wal
  }

  /** Runs look-ups and the acceptance of what they did not find, one caller at a time: two callers that send a value at once
   * would both not find it. */
  inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(task)
  }

  /** The stored values of an instant. */
  async at(jobId: number, key: string, at: number): Promise<readonly Value[]> {
    // Samples do not have the accepted values of a pending commit. A failed commit is answered to its callers.
    await this.#wal.durable.catch(() => undefined)
    return this.#query.at(jobId, key, at)
  }
}

/** Whether a job has stored a value for a key at an instant; null where only its samples tell. Reads no samples. */
export function hasStored(job: Job, key: string, at: number, value: Value): boolean | null {
  const { newestAt } = job
  if (newestAt === null || at > newestAt) return false
  const newest = job.currentState().current[key]
  if (newest?.at === at && newest.value === value) return true
  // A value of the newest instant is the newest of its key: it came in order.
  return at === newestAt && newest?.at !== at ? false : null
}

/** The delivery without the values that its job has stored at their instant; null when no value is left. */
export async function withoutStored(
  job: Job,
  delivery: Delivery,
  samples: StoredSamples,
): Promise<Delivery | null> {
  const { timestampAt: at, values } = delivery
  if (at === null || at > (job.newestAt ?? Number.NEGATIVE_INFINITY)) return delivery
  const left: Record<string, Value> = {}
  for (const [key, value] of Object.entries(values)) {
    const isStored = hasStored(job, key, at, value) ?? (await samples.at(job.id, key, at)).includes(value)
    if (!isStored) left[key] = value
  }
  return Object.keys(left).length === 0 ? null : { ...delivery, values: left }
}

/** The answer to a delivery whose values were all stored before. */
export function storedBefore(job: Job, { timestampAt, values }: Delivery): Delivered {
  const state = job.currentState()
  return {
    accepted: Object.keys(values).length,
    timestampAt: timestampAt ?? state.nowAt,
    late: (timestampAt ?? state.nowAt) < (state.newestAt ?? 0),
    state: state.state,
    errorCode: state.errorCode,
    deadlineAt: state.deadline?.at ?? null,
    replayed: true,
  }
}
