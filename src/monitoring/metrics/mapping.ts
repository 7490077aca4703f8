import type { Delivery } from '../../domain/delivery.ts'
import { VALUES_MAX } from '../job-config/schema.ts'
import type { Point } from './points.ts'
import type { Tally } from './tally.ts'

/** A value that data points need: the name of their metric in a job; an empty name needs the job only. */
export type Wish = { readonly jobId: number; readonly name: string }

/** What a job has for a wish: the number of its numeric values, and the index of the one with that name, from 1. */
export type Found = { readonly valueCount: number; readonly valueNumber: number | null }

/** A point with a valid job id, and the value that it names explicitly, if any. */
export type Named = { readonly point: Point; readonly jobId: number; readonly valueNumber: number | null }

/** The points of one job and one instant, and their delivery. */
export type Bundle = {
  readonly jobId: number
  readonly delivery: Delivery
  readonly points: readonly Point[]
}

/** The maximum length of value names. */
const NAME_MAX = 255

/** The points that name a job and, if they name a value, a possible one. All others are tallied. */
export function named(points: readonly Point[], tally: Tally): readonly Named[] {
  const good: Named[] = []
  for (const point of points) {
    if (point.numbers.length > 0 && point.numbers.every(({ number }) => Number.isNaN(number))) tally.skip()
    else if (point.fault !== null) tally.reject(point, point.fault)
    else if (point.job === null) tally.reject(point, 'the data point names no job: tidemark_job is missing')
    else if (!/^[1-9]\d{0,14}$/.test(point.job)) tally.reject(point, 'tidemark_job must be the id of a job')
    else {
      const fault = valueFault(point)
      if (fault === null)
        good.push({ point, jobId: Number(point.job), valueNumber: valueNumberOf(point.value) })
      else tally.reject(point, fault)
    }
  }
  return good
}

/** What must be read of the jobs, without duplicates. */
export function wishesOf(points: readonly Named[]): readonly Wish[] {
  const wishes = new Map<string, Wish>()
  for (const { point, jobId, valueNumber } of points) {
    for (const { suffix } of point.numbers) {
      const wish = { jobId, name: valueNumber === null ? nameOf(point, suffix) : '' }
      wishes.set(wishKey(wish), wish)
    }
  }
  return [...wishes.values()]
}

export function wishKey({ jobId, name }: Wish): string {
  return `${jobId} ${name}`
}

/** The deliveries of the points, in order of time: the points of one job and one instant make one delivery. Points
 * without a value are tallied. */
export function bundlesOf(
  points: readonly Named[],
  found: ReadonlyMap<string, Found>,
  tally: Tally,
): readonly Bundle[] {
  const bundles = new Map<
    string,
    { jobId: number; at: number | null; values: Record<string, number>; points: Point[] }
  >()
  for (const one of points) {
    const { jobId, point } = one
    const key = `${jobId} ${point.at}`
    const bundle = bundles.get(key) ?? { jobId, at: point.at, values: {}, points: [] }
    const fault = place(one, found, bundle.values)
    if (fault !== null) {
      tally.reject(point, fault)
      continue
    }
    bundle.points.push(point)
    bundles.set(key, bundle)
  }
  return [...bundles.values()]
    .sort((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY) || 0)
    .map((bundle) => ({ jobId: bundle.jobId, delivery: deliveryOf(bundle), points: bundle.points }))
}

/** Adds a point's numbers to the values; returns the fault if none of them has a value. */
function place(
  { point, jobId, valueNumber }: Named,
  found: ReadonlyMap<string, Found>,
  values: Record<string, number>,
): string | null {
  let placed = 0
  let fault: string | null = null
  for (const { suffix, number } of point.numbers) {
    if (Number.isNaN(number)) continue
    const name = valueNumber === null ? nameOf(point, suffix) : ''
    const job = found.get(wishKey({ jobId, name }))
    const key = keyOf(job, valueNumber)
    const wrong = faultOf(job, key, number) ?? (key !== null && key in values ? TWICE : null)
    if (wrong === null && key !== null) {
      values[key] = number
      placed++
    } else fault ??= wrong
  }
  return placed > 0 ? null : fault
}

const TWICE = 'the request has this value twice for the same time'

function keyOf(job: Found | undefined, valueNumber: number | null): string | null {
  if (job === undefined) return null
  const number = valueNumber ?? job.valueNumber
  return number === null || number > job.valueCount ? null : `returnValue${number}`
}

function faultOf(job: Found | undefined, key: string | null, number: number): string | null {
  if (job === undefined) return 'there is no such webhook job'
  if (key === null) return 'the value is not defined on the job'
  return Number.isFinite(number) ? null : 'the value must be finite'
}

function valueFault({ value, numbers }: Point): string | null {
  if (value === null) return null
  if (valueNumberOf(value) === null) return `tidemark_value must be returnValue1 to returnValue${VALUES_MAX}`
  return numbers.length === 1 && numbers[0]?.suffix === ''
    ? null
    : 'tidemark_value names one value, but the data point has several'
}

function valueNumberOf(value: string | null): number | null {
  const number = Number(/^returnValue([1-9]\d?)$/.exec(value ?? '')?.[1] ?? 0)
  return number >= 1 && number <= VALUES_MAX ? number : null
}

/** Empty for a name that is too long for any value. */
function nameOf({ metric }: Point, suffix: string): string {
  const name = metric + suffix
  return name.length > NAME_MAX ? '' : name
}

/** Senders of metrics send no error codes: error code 0 lets values end the silence of a job. */
function deliveryOf({ at, values }: { at: number | null; values: Record<string, number> }): Delivery {
  return { signal: 'result', values, errorCode: 0, timestampAt: at, message: null, ttlMs: null, runId: null }
}
