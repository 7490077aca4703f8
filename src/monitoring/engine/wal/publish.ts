import { valuesOf } from '../../events/values.ts'
import type { JobValues, Onlookers } from '../../events/values.ts'
import type { Heard } from '../head/job.ts'
import type { Accepted } from './commit.ts'

/** Tells onlookers what a committed batch brought to the jobs that they watch, in its order. */
export async function tellValues(onlookers: Onlookers, batch: readonly Accepted[]): Promise<void> {
  const told = batch.flatMap(({ heard, effects }) => [
    ...heardBy(onlookers, heard),
    ...effects.flatMap(({ job, result }) => (onlookers.watches(job.id) ? (valuesOf(result) ?? []) : [])),
  ])
  if (told.length > 0) await onlookers.tell(told)
}

function heardBy(onlookers: Onlookers, heard: Heard | null): JobValues[] {
  if (!heard) return []
  const { key, jobs, at, values } = heard
  return jobs.flatMap((job, index) => {
    if (!onlookers.watches(job.id)) return []
    const sample = { key, at: at[index] ?? 0, value: values[index] ?? 0 }
    return valuesOf({ state: job.state, samples: [sample], run: null }) ?? []
  })
}
