import { Temporal } from 'temporal-polyfill'
import type { Context } from '../../context.ts'
import { rangeOfQuery } from '../../http/instants.ts'
import { Refusal, invalidAt, noSuch } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import type { TimeFormat } from '../../lib/time.ts'
import type { Value } from '../../domain/delivery.ts'
import type { BucketsAnswer, Mode } from '../../domain/series.ts'
import { findParameters } from '../jobs/service.ts'
import type { Parameters } from '../job-config/schema.ts'
import { bucketEdges, defaultScale } from './buckets.ts'
import type { BucketView, HistoriesQuery, HistoryQuery, SeriesView } from './schema.ts'

/** Buckets of one answer, of all its series together. */
const CELLS_MAX = 32_000

type Series = {
  readonly jobId: number
  readonly key: string
  readonly name: string
  readonly unit: string
  readonly precision: number | null
  readonly divisor: number
}
type SeriesQuery = Omit<HistoriesQuery, 'jobId'>
type Range = {
  readonly beginAt: number
  readonly endAt: number
  readonly scale: Temporal.Duration
  readonly timeZone: string
  readonly isOnClock: boolean
  readonly format: TimeFormat
}

/** One series for each key, in the order of the query; values are user values.
 * @throws {Refusal} not_found, value_not_defined, too_many_buckets, invalid */
export async function readHistory(
  context: Context,
  jobId: number,
  query: HistoryQuery,
): Promise<readonly SeriesView[]> {
  const parameters = (await findParameters(context, [jobId])).get(jobId)
  if (!parameters) throw noSuch('job')
  const range = rangeAsked(context, query)
  const keys = listOf(query.key)
  if (query.cursor !== undefined && keys.length > 1)
    throw invalidAt('?cursor', 'can be used with one key only')
  const all = keys.map((key) => {
    const series = seriesOf(parameters, jobId, key)
    if (series) return series
    throw undefinedValue({ pointer: '?key', message: `${key} is not defined on the job` })
  })
  const isPlain = (series: Series) => range.scale.blank || isText(series.key)
  const inBuckets = all.filter((series) => !isPlain(series))
  const read = await readBuckets(context, inBuckets, { range, query })
  return Promise.all(
    all.map(async (series) => ({
      ...viewOf(series, range, query),
      ...(isPlain(series)
        ? await readSamples(context, { series, range, query })
        : read[inBuckets.indexOf(series)]),
    })),
  )
}

/** The series of many jobs in buckets, by job and then by key, in the order of the query; values are user values.
 * @throws {Refusal} not_found, value_not_defined, too_many_buckets, invalid */
export async function readHistories(context: Context, query: HistoriesQuery): Promise<readonly SeriesView[]> {
  const ids = listOf(query.jobId)
  const keys = listOf(query.key)
  const parameters = await findParameters(context, ids)
  const pointerTo = (index: number) => (typeof query.jobId === 'number' ? '?jobId' : `?jobId/${index}`)
  const missing = ids.flatMap((id, index) =>
    parameters.has(id)
      ? []
      : [{ pointer: pointerTo(index), message: 'must be the id of a job that you can read' }],
  )
  if (missing.length > 0) throw noSuch('job', missing)
  const range = rangeAsked(context, query)
  if (range.scale.blank)
    throw invalidAt(
      '?scale',
      'must be longer than zero; read single samples with GET /jobs/{id}/value-history',
    )
  if (keys.some(isText))
    throw invalidAt('?key', 'must be the key of a number; read strings with GET /jobs/{id}/value-history')
  const all = ids.flatMap((id, index) =>
    keys.map((key) => {
      const known = parameters.get(id)
      const series = known && seriesOf(known, id, key)
      if (series) return series
      throw undefinedValue({
        pointer: pointerTo(index),
        message: `must be the id of a job that defines ${key}`,
      })
    }),
  )
  const inBuckets = await readBuckets(context, all, { range, query })
  return all.map((series, index) => ({ ...viewOf(series, range, query), ...inBuckets[index] }))
}

/** The series of numbers of jobs in buckets, in one call; null for a job that the caller may not read, or that does not define
 * the number. @throws {Refusal} too_many_buckets, invalid */
export async function readSeries(
  context: Context,
  asked: readonly Pick<Series, 'jobId' | 'key'>[],
  given: Pick<SeriesQuery, 'begin' | 'end' | 'scale' | 'mode' | 'values'>,
): Promise<readonly (SeriesView | null)[]> {
  const query = { ...given, key: [] }
  const parameters = await findParameters(context, [...new Set(asked.map(({ jobId }) => jobId))])
  const range = rangeAsked(context, query)
  const all = asked.map(({ jobId, key }) => {
    const known = isText(key) ? undefined : parameters.get(jobId)
    return known ? seriesOf(known, jobId, key) : null
  })
  const found = all.filter((series) => series !== null)
  const inBuckets = await readBuckets(context, found, { range, query })
  return all.map((series) =>
    series ? { ...viewOf(series, range, query), ...inBuckets[found.indexOf(series)] } : null,
  )
}

function rangeAsked({ ports }: Context, query: SeriesQuery): Range {
  const { scale } = query
  const asked = rangeOfQuery(query, ports.clock.now())
  const { timeZone } = ports.settings
  return {
    ...asked,
    scale: scale === undefined ? defaultScale(asked.beginAt, asked.endAt) : Temporal.Duration.from(scale),
    timeZone,
    isOnClock: scale === undefined,
    format: timeFormat(timeZone),
  }
}

/** The fields of a series without its values. */
function viewOf(
  { jobId, key, name, unit, precision }: Series,
  { beginAt, endAt, scale, format }: Range,
  { mode }: SeriesQuery,
): SeriesView {
  const [begin, end] = [format(beginAt), format(endAt)]
  return { jobId, key, name, unit, precision, mode, scale: scale.toString(), begin, end }
}

/** The buckets of each series, all in one call. */
async function readBuckets(
  { ports }: Context,
  all: readonly Series[],
  { range, query }: { readonly range: Range; readonly query: SeriesQuery },
): Promise<readonly Partial<SeriesView>[]> {
  if (all.length === 0) return []
  const edges = bucketEdges(range)
  if ((edges.length - 1) * all.length > CELLS_MAX) throw tooManyCells()
  const answers = await ports.jobActors.bucketsAll(all, { edges, mode: query.mode })
  return answers.map((answer, index) => bucketsView(answer, all[index]?.divisor ?? 1, range, query))
}

function bucketsView(
  answer: BucketsAnswer,
  divisor: number,
  range: Range,
  { mode, values }: SeriesQuery,
): Partial<SeriesView> {
  const { min, max, avg, last, sum, count } = answer.aggregate
  const user = userOf(divisor)
  const aggregate = {
    min: user(min),
    max: user(max),
    avg: user(avg),
    last: user(last),
    count,
    sum: user(sum),
  }
  return values ? { values: bucketViews(answer, divisor, range, mode), aggregate } : { aggregate }
}

type Viewed = { readonly divisor: number; readonly views: readonly BucketView[] }

/** The view of an answer, cached while the answer is referenced. */
const viewed = new WeakMap<BucketsAnswer, Viewed>()

/** Returns the same object for the same answer. */
function bucketViews(
  answer: BucketsAnswer,
  divisor: number,
  { format }: Range,
  mode: Mode,
): readonly BucketView[] {
  const known = viewed.get(answer)
  if (known?.divisor === divisor) return known.views
  const user = userOf(divisor)
  const views = answer.buckets.map(({ at, value, min, max, count }) => ({
    timestamp: format(at),
    value: mode === 'count' ? value : user(value),
    min: user(min),
    max: user(max),
    count,
  }))
  viewed.set(answer, { divisor, views })
  return views
}

/** Null for what is beyond the range of a double once it is divided. */
function userOf(divisor: number): (raw: number | null) => number | null {
  return (raw) => {
    if (raw === null) return null
    const value = raw / divisor
    return Number.isFinite(value) ? value : null
  }
}

async function readSamples(
  context: Context,
  { series, range, query }: { series: Series; range: Range; query: HistoryQuery },
): Promise<Partial<SeriesView>> {
  const changesOnly = isText(series.key)
  const from = query.cursor === undefined ? { at: range.beginAt, skip: 0 } : parseCursor(query.cursor)
  // Whether the first value of a page is a change depends on the last value of the previous page.
  const overlap = changesOnly && from.skip > 0 ? 1 : 0
  const { samples, more } = await context.ports.jobActors.samples(series.jobId, {
    key: series.key,
    beginAt: Math.max(range.beginAt, from.at),
    endAt: range.endAt,
    skip: from.skip - overlap,
    limit: query.limit + overlap,
  })
  const user = (raw: Value) => (typeof raw === 'number' ? raw / series.divisor : raw)
  const isShown = (index: number) =>
    index >= overlap && (!changesOnly || samples[index]?.value !== samples[index - 1]?.value)
  const shown = samples.filter((_, index) => isShown(index))
  const values = shown.map(({ at, value }) => ({ timestamp: range.format(at), value: user(value) }))
  const lastAt = samples.at(-1)?.at
  if (!more || lastAt === undefined) return { values, nextCursor: null }
  // Several samples may have the same instant: the cursor counts those that were read.
  const sameInstant = samples.filter(({ at }) => at === lastAt).length
  const skip = sameInstant + (lastAt === from.at ? from.skip - overlap : 0)
  return { values, nextCursor: `${lastAt}.${skip}` }
}

/** The value of a key as the job defines it; null if the job does not define it. */
function seriesOf(parameters: Parameters, jobId: number, key: string): Series | null {
  if (key === 'errorCode') return { jobId, key, name: 'Error code', unit: '', precision: 0, divisor: 1 }
  const index = Number(key.replace(/^\D+/, '')) - 1
  const text = isText(key) ? parameters.stringValue[index] : undefined
  if (text) return { jobId, key, name: text.valueName, unit: text.valueUnit, precision: null, divisor: 1 }
  const number = isText(key) ? undefined : parameters.returnValue[index]
  if (!number) return null
  const { valueName: name, valueUnit: unit, valuePrecision: precision = null, valueDivisor: divisor } = number
  return { jobId, key, name, unit, precision, divisor }
}

function isText(key: string): boolean {
  return key.startsWith('stringValue')
}

function listOf<Item>(items: Item | readonly Item[]): readonly Item[] {
  return Array.isArray(items) ? (items as readonly Item[]) : [items as Item]
}

function undefinedValue(fault: Fault): Refusal {
  return new Refusal('value_not_defined', 'The job does not define this value; see errors.', [fault])
}

function tooManyCells(): Refusal {
  return new Refusal(
    'too_many_buckets',
    `The series have more than ${CELLS_MAX} buckets together. Use a longer scale, a shorter range or fewer series.`,
    [{ pointer: '?scale', message: `results in more than ${CELLS_MAX} buckets` }],
  )
}

function parseCursor(cursor: string): { at: number; skip: number } {
  const [, at, skip] = /^(\d{1,16})\.(\d{1,9})$/.exec(cursor) ?? []
  if (at === undefined || skip === undefined)
    throw invalidAt('?cursor', 'must be the nextCursor of an answer')
  return { at: Number(at), skip: Number(skip) }
}
