import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import type { Value } from '../../domain/delivery.ts'
import { CYCLE_HOURS, JOBS } from './plant.ts'
import type { Incident, PlantJob, PlantValue } from './plant.ts'

/** A step is this long; step 0 is the anchor of the plant. */
export const STEP_MS = 5 * MINUTE_MS
/** The length of the history at the making: less than the 30 days for which jobs take late samples. */
export const HISTORY_STEPS = (30 * DAY_MS - 2 * HOUR_MS) / STEP_MS
export const HISTORY_MS = HISTORY_STEPS * STEP_MS
const STEPS_PER_HOUR = HOUR_MS / STEP_MS
const TIDE_HOURS = 12.42
/** Steps of silence after which the timeout of a job has passed. */
const TIMEOUT_STEPS = 3

/** The delivery of a job at one step. */
export type PlantSample = {
  readonly values: Readonly<Record<string, Value>>
  readonly errorCode: number
}

/** The sample of the job with this index at a step; null while the job is silent. Equal arguments give equal samples. In
 * the past, a silence has one sample with error code 5, where the timeout passed. */
export function sampleAt(seed: string, index: number, step: number): PlantSample | null {
  const job = JOBS[index]?.job
  if (!job) return null
  const incident = job.incidents?.find((one) => isIn(one, step))
  if (incident && incident.add === undefined) {
    const isTimeout = step <= 0 && stepsInto(incident, step) === TIMEOUT_STEPS
    return isTimeout ? { values: {}, errorCode: 5 } : null
  }
  return {
    values: valuesOf(job, { seed: hashOf(seed) ^ index, step, add: incident?.add ?? 0 }),
    errorCode: 0,
  }
}

type Moment = { readonly seed: number; readonly step: number; readonly add: number }

function valuesOf(job: PlantJob, { seed, step, add }: Moment): PlantSample['values'] {
  const values: Record<string, Value> = {}
  job.values.forEach((value, place) => {
    const number = numberOf(value, mixed(seed, place), step) + (place === 0 ? add : 0)
    values[`returnValue${place + 1}`] = rounded(Math.max(number, value.min ?? -Infinity), value.precision)
  })
  if (job.text) {
    const turn = Math.floor(step / (job.text.hours * STEPS_PER_HOUR))
    const { texts } = job.text
    values['stringValue1'] = texts[Math.floor(chance(mixed(seed, 99), turn) * texts.length)] ?? ''
  }
  return values
}

function numberOf({ base, tide = 0, day = 0, noise }: PlantValue, seed: number, step: number): number {
  const hour = step / STEPS_PER_HOUR
  const phase = chance(seed, 0) * 2 * Math.PI
  const spring = 1 + 0.15 * Math.sin((2 * Math.PI * hour) / (14.77 * 24))
  return (
    base +
    tide * spring * Math.sin((2 * Math.PI * hour) / TIDE_HOURS + phase) +
    day * Math.sin((2 * Math.PI * hour) / 24 + phase) +
    noise * (2 * chance(seed, step) - 1)
  )
}

function isIn(incident: Incident, step: number): boolean {
  return stepsInto(incident, step) < incident.hours * STEPS_PER_HOUR
}

/** Steps since the latest begin of an incident. */
function stepsInto({ fromHour }: Incident, step: number): number {
  const cycle = CYCLE_HOURS * STEPS_PER_HOUR
  const into = (step - Math.round(fromHour * STEPS_PER_HOUR)) % cycle
  return into < 0 ? into + cycle : into
}

function rounded(value: number, precision: number): number {
  return Number(value.toFixed(precision))
}

/** A number in [0, 1) that depends on both arguments alone. */
function chance(seed: number, step: number): number {
  return mixed(seed, step) / 2 ** 32
}

function mixed(seed: number, step: number): number {
  let bits = Math.imul(seed ^ Math.imul(step, 0x9e3779b1), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 15), 0xc2b2ae35)
  bits = Math.imul(bits ^ (bits >>> 13), 0x27d4eb2f)
  return (bits ^ (bits >>> 16)) >>> 0
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}
