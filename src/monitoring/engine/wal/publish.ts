import { valuesOf } from '../../events/values.ts'
import type { JobValues, Subscribers } from '../../events/values.ts'
import type { AppendedRows } from '../head/job.ts'
import type { WalRecord } from './commit.ts'

/** Sends the values of a committed batch to subscribers, in order, for the jobs that they watch. */
export async function publishValues(subscribers: Subscribers, batch: readonly WalRecord[]): Promise<void> {
  const received = batch.flatMap(({ rows, effects }) => [
    ...valuesOfRows(subscribers, rows),
    ...effects.flatMap(({ job, result }) => (subscribers.watches(job.id) ? (valuesOf(result) ?? []) : [])),
  ])
  if (received.length > 0) await subscribers.tell(received)
}

function valuesOfRows(subscribers: Subscribers, rows: AppendedRows | null): JobValues[] {
  if (!rows) return []
  const { key, jobs, at, values } = rows
  return jobs.flatMap((job, index) => {
    if (!subscribers.watches(job.id)) return []
    const sample = { key, at: at[index] ?? 0, value: values[index] ?? 0 }
    return valuesOf({ state: job.currentState(), samples: [sample], run: null }) ?? []
  })
}
