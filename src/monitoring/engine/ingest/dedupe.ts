import type { Delivered, Delivery, Value } from '../../../domain/delivery.ts'
import type { Job } from '../head/job.ts'

/** Whether a job has stored a value under a key at an instant; null where only its samples say. Nothing is read. */
export function hasStored(job: Job, key: string, at: number, value: Value): boolean | null {
  const { newestAt } = job
  if (newestAt === null || at > newestAt) return false
  const newest = job.state.current[key]
  if (newest?.at === at && newest.value === value) return true
  // A value of the newest instant is the newest of its key: it came in order.
  return at === newestAt && newest?.at !== at ? false : null
}

export type StoredValuesAt = (jobId: number, key: string, at: number) => Promise<readonly Value[]>

/** The values of a delivery that its job has not stored at their instant yet; null if all of them are stored. */
export async function withoutStored(
  job: Job,
  delivery: Delivery,
  storedAt: StoredValuesAt,
): Promise<Delivery | null> {
  const { timestampAt: at, values } = delivery
  if (at === null || at > (job.newestAt ?? Number.NEGATIVE_INFINITY)) return delivery
  const left: Record<string, Value> = {}
  for (const [key, value] of Object.entries(values)) {
    const isStored = hasStored(job, key, at, value) ?? (await storedAt(job.id, key, at)).includes(value)
    if (!isStored) left[key] = value
  }
  return Object.keys(left).length === 0 ? null : { ...delivery, values: left }
}

/** The answer to a delivery of which everything was kept before. */
export function storedBefore({ state }: Job, { timestampAt, values }: Delivery): Delivered {
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
