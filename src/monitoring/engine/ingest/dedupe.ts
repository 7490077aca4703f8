import type { Delivered, Delivery, Value } from '../../../domain/delivery.ts'
import type { Job } from '../head/job.ts'

/** What a job has kept under a key at an instant. */
type StoredValuesAt = (key: string, at: number) => Promise<readonly Value[]>

/** The values of a delivery that its job has not kept yet at their instant: all of them, as a rule; null when there are
 * none. What is newer than all that the job has is not looked for. */
export async function withoutStored(
  job: Job,
  delivery: Delivery,
  kept: StoredValuesAt,
): Promise<Delivery | null> {
  const { timestampAt: at, values } = delivery
  const { newestAt, current } = job.state
  if (at === null || newestAt === null || at > newestAt) return delivery
  const left: Record<string, Value> = {}
  for (const [key, value] of Object.entries(values)) {
    const newest = current[key]
    const isNewest = newest?.at === at && newest.value === value
    if (!isNewest && !(await kept(key, at)).includes(value)) left[key] = value
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
