import type { Context } from '../../../context.ts'
import type { BulkItem } from '../../../domain/delivery.ts'
import { Refusal } from '../../../lib/errors.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { BARE } from '../../../monitoring/jobs/delivery.ts'
import { deliverAll } from '../../../monitoring/jobs/service/deliver.ts'
import { JOBS } from '../plant.ts'
import { sampleAt, STEP_MS } from '../samples.ts'

/** A day. */
export const STEPS_AT_ONCE = DAY_MS / STEP_MS

/** A plant whose jobs can get samples. */
export type Feedable = {
  readonly seed: string
  readonly anchorAt: number
  readonly ids: ReadonlyMap<string, number>
}

/** Delivers the samples after the step `from` up to and with the step `to` to all jobs that exist. A repetition stores no
 * sample twice.
 * @throws {Refusal} when a job cannot take samples at present */
export async function feed(
  context: Context,
  { seed, anchorAt, ids }: Feedable,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const items: BulkItem[] = []
  for (let step = from + 1; step <= to; step++) {
    for (const [index, { place }] of JOBS.entries()) {
      const jobId = ids.get(place)
      const sample = jobId === undefined ? null : sampleAt(seed, index, step)
      if (jobId === undefined || !sample) continue
      const delivery = { ...BARE, ...sample, timestampAt: anchorAt + step * STEP_MS }
      items.push({ jobId, sent: { delivery }, repeat: null, isOnce: true })
    }
  }
  const outcomes = await deliverAll(context, items)
  for (const outcome of outcomes) if (outcome instanceof Refusal && RETRIED.has(outcome.code)) throw outcome
}

/** Refusals that a later attempt can end. Others, such as of a stopped job, are left alone. */
const RETRIED: ReadonlySet<string> = new Set([
  'unavailable',
  'overloaded',
  'too_fast',
  'storage_full',
  'too_many_jobs',
])
