import type { Delivery } from '../../domain/delivery.ts'
import { VALUES_MAX } from '../job-config/schema.ts'
import type { Point } from './points.ts'
import type { Tally } from './tally.ts'

/** A job's value that a data point asks for by its metric's name; an empty name asks for the job alone. */
export type Wish = { readonly jobId: number; readonly name: string }

/** What a job has for a wish: how many numeric values, and the number of the one of that name, from 1. */
export type Found = { readonly valueCount: number; readonly valueNumber: number | null }

/** A point whose job is known to be well named, with the value it names explicitly, if any. */
export type Named = { readonly point: Point; readonly jobId: number; readonly valueNumber: number | null }

/** What goes to one job for one instant, and the points it is made of. */
export type Bundle = {
  readonly jobId: number
  readonly delivery: Delivery
  readonly points: readonly Point[]
}

/** The names of values are no longer than this. */
const NAME_MAX = 255

/** The points that name a job and, where they name a value themselves, one that can be. The rest is tallied. */
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

/** What has to be known of the jobs, each wish once. */
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

/** The deliveries that the points make, in order of time: the points of one job with one timestamp make one. What finds
 * no value is tallied. */
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

/** Puts a point's numbers among the values; answers why when not a single one has a place. */
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

/** A name that no value can have is not looked for. */
function nameOf({ metric }: Point, suffix: string): string {
  const name = metric + suffix
  return name.length > NAME_MAX ? '' : name
}

/** Who sends metrics sends no error codes: that values come at all is what heals a silent job. */
function deliveryOf({ at, values }: { at: number | null; values: Record<string, number> }): Delivery {
  return { signal: 'result', values, errorCode: 0, timestampAt: at, message: null, ttlMs: null, runId: null }
}
