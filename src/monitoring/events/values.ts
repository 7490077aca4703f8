import type { SampleSeries, Value } from '../../domain/delivery.ts'
import type { Sample, Step } from '../jobs/actor.ts'
import { userValue } from '../job-config/value-keys.ts'

/** The values that one event brought to a job. */
export type JobValues = {
  readonly jobId: number
  readonly samples: readonly { readonly key: string; readonly at: number; readonly value: Value }[]
  /** Whether there were more values; those are in the value history only. */
  readonly truncated: boolean
}

/** The subscribers of values. */
export type Subscribers = {
  /** False without subscribers: then no other member is called. */
  readonly areThere: boolean
  watches(jobId: number): boolean
  /** Never rejects. */
  tell(values: readonly JobValues[]): Promise<void>
}

/** Samples of one event that are published. */
const SAMPLES_MAX = 100
/** Characters of text values in one event. */
const TEXT_MAX = 16 * 1024

/** The latest samples that a step stored, as user values; null if it stored none. */
export function valuesOf({ state, samples, run }: Pick<Step, 'state' | 'samples' | 'run'>): JobValues | null {
  const total = samples.length + (run?.at.length ?? 0)
  if (total === 0) return null
  let room = TEXT_MAX
  const told = [...samples.slice(-SAMPLES_MAX), ...latestOf(run)]
    .slice(-SAMPLES_MAX)
    .toReversed()
    .filter(({ value }) => typeof value === 'number' || (room -= value.length) >= 0)
    .toReversed()
    .map(({ key, at, value }) => ({ key, at, value: userValue(state.rules, key, value) }))
  return { jobId: state.jobId, samples: told, truncated: told.length < total }
}

function latestOf(run: SampleSeries | null): Sample[] {
  if (!run) return []
  const values = run.values.slice(-SAMPLES_MAX)
  const ats = run.at.slice(-SAMPLES_MAX)
  return values.map((value, index) => ({ key: run.key, at: ats[index] ?? 0, value }))
}
