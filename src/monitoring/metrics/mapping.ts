import type { BulkItem, Round } from '../../domain/delivery.ts'
import { VALUES_MAX } from '../job-config/schema.ts'
import { BARE } from '../jobs/delivery.ts'
import type { Point } from './points.ts'
import type { Tally } from './tally.ts'

/** A value that data points need: the name of their metric in a job; an empty name needs the job only. */
export type Wish = { readonly jobId: number; readonly name: string }

/** The answer of a job to a wish: the number of its numeric values, and the index of the one with that name, from 1. */
export type Found = { readonly valueCount: number; readonly valueNumber: number | null }

/** The number of numeric values that a job has, and the indexes of named ones, from 1. */
export type JobValues = { readonly valueCount: number; readonly valueNumbers: ReadonlyMap<string, number> }
export type KnownJobs = ReadonlyMap<number, JobValues>

/** A point with a valid job id, and the value that it names explicitly, if any. */
export type Named = { readonly point: Point; readonly jobId: number; readonly valueNumber: number | null }

/** The points of one job and one instant. */
type Bundle = {
  /** The first value; empty before it. */
  key: string
  value: number
  /** All values, if there are several. */
  values: Record<string, number> | null
  readonly points: Point[]
}

/** One value of each of many jobs at one instant, with the point of each. */
export type Row = { readonly round: Round; readonly points: readonly Point[] }

/** One delivery of a job, and its points. */
export type Item = { readonly item: BulkItem; readonly points: readonly Point[] }

export type Arranged = { readonly rows: readonly Row[]; readonly items: readonly Item[] }

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

/** The values to read: each unknown value that a point needs, once. */
export function wishesOf(points: readonly Named[], known: KnownJobs): readonly Wish[] {
  const wishes = new Map<string, Wish>()
  for (const { point, jobId, valueNumber } of points) {
    const job = known.get(jobId)
    for (const { suffix } of point.numbers) {
      const name = valueNumber === null ? nameOf(point, suffix) : ''
      if (!job || (name !== '' && !job.valueNumbers.has(name)))
        wishes.set(`${jobId} ${name}`, { jobId, name })
    }
  }
  return [...wishes.values()]
}

/** The deliveries of the points: all points of one job and one instant make one delivery. Points without a value are tallied.
 * All deliveries of a job are in the rows or all in the items, in order of time. */
export function arrange(points: readonly Named[], known: KnownJobs, tally: Tally): Arranged {
  const instants = new Map<number | null, Map<number, Bundle>>()
  /** Jobs with several values at one instant. */
  const wide = new Set<number>()
  for (const one of points) {
    const { point, jobId } = one
    const jobs = instants.getOrInsertComputed(point.at, () => new Map<number, Bundle>())
    const bundle = jobs.get(jobId) ?? { key: '', value: 0, values: null, points: [] }
    const fault = place(one, known.get(jobId), bundle)
    if (fault !== null) {
      tally.reject(point, fault)
      continue
    }
    if (bundle.values) wide.add(jobId)
    bundle.points.push(point)
    if (bundle.points.length === 1) jobs.set(jobId, bundle)
  }
  const inOrder = [...instants].sort(([a], [b]) => (a ?? LAST) - (b ?? LAST) || 0)
  return { rows: inOrder.flatMap(([at, jobs]) => rowsOf(at, jobs, wide)), items: itemsOf(inOrder, wide) }
}

const LAST = Number.POSITIVE_INFINITY

/** Senders of metrics send no error codes: error code 0 lets values end the silence of a job. Senders repeat requests that
 * got no answer, and sometimes others. */
const COMMON = { errorCode: 0, isOnce: true } as const

/** The single values of one instant, one row for each key. */
function rowsOf(
  timestampAt: number | null,
  jobs: ReadonlyMap<number, Bundle>,
  wide: ReadonlySet<number>,
): Row[] {
  const rows = new Map<string, { jobIds: number[]; values: number[]; points: Point[] }>()
  for (const [jobId, { key, value, points }] of jobs) {
    const [point] = points
    if (!point || wide.has(jobId)) continue
    const row = rows.getOrInsertComputed(key, () => ({ jobIds: [], values: [], points: [] }))
    row.jobIds.push(jobId)
    row.values.push(value)
    row.points.push(point)
  }
  return [...rows].map(([key, { jobIds, values, points }]) => ({
    round: { key, timestampAt, jobIds, values, ...COMMON },
    points,
  }))
}

function itemsOf(
  instants: readonly (readonly [number | null, ReadonlyMap<number, Bundle>])[],
  wide: ReadonlySet<number>,
): Item[] {
  if (wide.size === 0) return []
  return instants.flatMap(([at, jobs]) =>
    [...jobs].flatMap(([jobId, { key, value, values, points }]) => {
      if (!wide.has(jobId)) return []
      const delivery = {
        ...BARE,
        values: values ?? { [key]: value },
        errorCode: COMMON.errorCode,
        timestampAt: at,
      }
      return { item: { jobId, sent: { delivery }, repeat: null, isOnce: COMMON.isOnce }, points }
    }),
  )
}

/** Adds a point's numbers to the values; returns the fault if none of them has a value. */
function place({ point, valueNumber }: Named, job: JobValues | undefined, bundle: Bundle): string | null {
  let placed = 0
  let fault: string | null = null
  for (const { suffix, number } of point.numbers) {
    if (Number.isNaN(number)) continue
    const key = keyOf(job, valueNumber ?? job?.valueNumbers.get(nameOf(point, suffix)))
    const wrong = faultOf(job, key, number) ?? (has(bundle, key) ? TWICE : null)
    if (wrong === null) {
      add(bundle, key, number)
      placed++
    } else fault ??= wrong
  }
  return placed > 0 ? null : fault
}

const TWICE = 'the request has this value twice for the same time'

function has({ key: only, values }: Bundle, key: string): boolean {
  return values ? key in values : only === key
}

function add(bundle: Bundle, key: string, value: number): void {
  if (bundle.key === '') {
    bundle.key = key
    bundle.value = value
  } else {
    bundle.values ??= { [bundle.key]: bundle.value }
    bundle.values[key] = value
  }
}

const KEYS = Array.from({ length: VALUES_MAX + 1 }, (_, number) => `returnValue${number}`)

/** Empty for a value that the job does not have. */
function keyOf(job: JobValues | undefined, valueNumber: number | undefined): string {
  if (job === undefined || valueNumber === undefined || valueNumber > job.valueCount) return ''
  return KEYS[valueNumber] ?? ''
}

function faultOf(job: JobValues | undefined, key: string, number: number): string | null {
  if (job === undefined) return 'there is no such webhook job'
  if (key === '') return 'the value is not defined on the job'
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
