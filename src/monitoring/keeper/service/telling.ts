import { valuesOf } from '../../events/values.ts'
import type { Onlookers } from '../../events/values.ts'
import type { Accepted } from './commit.ts'

/** Tells onlookers what a committed batch brought to the jobs that they watch, in its order. */
export async function tellValues(onlookers: Onlookers, batch: readonly Accepted[]): Promise<void> {
  const told = batch.flatMap(({ effects }) =>
    effects.flatMap(({ job, result }) => (onlookers.watches(job.id) ? (valuesOf(result) ?? []) : [])),
  )
  if (told.length > 0) await onlookers.tell(told)
}
