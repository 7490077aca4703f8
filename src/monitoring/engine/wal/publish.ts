import { valuesOf } from '../../events/values.ts'
import type { JobValues, Subscribers } from '../../events/values.ts'
import type { AppendedRows } from '../head/job.ts'
import type { WalRecord } from './commit.ts'

/** Tells subscribers what a committed batch brought to the jobs that they watch, in its order. */
export async function publishValues(subscribers: Subscribers, batch: readonly WalRecord[]): Promise<void> {
  const told = batch.flatMap(({ rows, effects }) => [
    ...valuesOfRows(subscribers, rows),
    ...effects.flatMap(({ job, result }) => (subscribers.watches(job.id) ? (valuesOf(result) ?? []) : [])),
  ])
  if (told.length > 0) await subscribers.tell(told)
}

function valuesOfRows(subscribers: Subscribers, heard: AppendedRows | null): JobValues[] {
  if (!heard) return []
  const { key, jobs, at, values } = heard
  return jobs.flatMap((job, index) => {
    if (!subscribers.watches(job.id)) return []
    const sample = { key, at: at[index] ?? 0, value: values[index] ?? 0 }
    return valuesOf({ state: job.state, samples: [sample], run: null }) ?? []
  })
}
