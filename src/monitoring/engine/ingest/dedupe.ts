import type { Delivered, Delivery, Value } from '../../../domain/delivery.ts'
import type { Job } from '../head/job.ts'
import type { Query } from '../query/query.ts'

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
export async function withoutStored(job: Job, delivery: Delivery, query: Query): Promise<Delivery | null> {
  const { timestampAt: at, values } = delivery
  if (at === null || at > (job.newestAt ?? Number.NEGATIVE_INFINITY)) return delivery
  const left: Record<string, Value> = {}
  for (const [key, value] of Object.entries(values)) {
    const isStored = hasStored(job, key, at, value) ?? (await query.at(job.id, key, at)).includes(value)
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
