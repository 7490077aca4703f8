import { Temporal } from 'temporal-polyfill'
import type { Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { rangeOf } from '../../lib/range.ts'
import { timeFormat } from '../../lib/time.ts'
import type { TimeFormat } from '../../lib/time.ts'
import type { Bucket, BucketsAnswer, Value } from '../../ports/job-actors.ts'
import { readParameters } from '../jobs/service.ts'
import type { Parameters } from '../rules/schema.ts'
import { bucketEdges, defaultScale } from './buckets.ts'
import type { HistoryQuery, SeriesView } from './schema.ts'

type Series = {
  readonly key: string
  readonly name: string
  readonly unit: string
  readonly precision: number | null
  readonly divisor: number
}
type Range = {
  readonly jobId: number
  readonly beginAt: number
  readonly endAt: number
  readonly format: TimeFormat
}

/** One series for each key that was asked for, in that order; values are user values.
 * @throws {Refusal} not_found, value_not_defined, too_many_buckets, invalid */
export async function readHistory(
  context: Context,
  jobId: number,
  query: HistoryQuery,
): Promise<SeriesView[]> {
  const parameters = await readParameters(context, jobId)
  const { ports } = context
  const { timestamp_begin: begin, timestamp_end: end } = query
  const asked = rangeOf({ begin, end }, ports.clock.now(), '?timestamp_end')
  const keys = typeof query.key === 'string' ? [query.key] : query.key
  if (query.cursor !== undefined && keys.length > 1) throw invalid('?cursor', 'goes with one key only')
  const range = { jobId, ...asked, format: timeFormat(ports.settings.timeZone) }
  const series = keys.map((key) => seriesOf(parameters, key))
  return Promise.all(series.map((one) => readSeries(context, { series: one, range, query })))
}

type Reading = { readonly series: Series; readonly range: Range; readonly query: HistoryQuery }

async function readSeries(context: Context, reading: Reading): Promise<SeriesView> {
  const { series, range, query } = reading
  const { key, name, unit, precision } = series
  const scale =
    query.scale === undefined ? defaultScale(range.beginAt, range.endAt) : Temporal.Duration.from(query.scale)
  const view = {
    jobId: range.jobId,
    key,
    name,
    unit,
    precision,
    mode: query.mode,
    scale: scale.toString(),
    begin: range.format(range.beginAt),
    end: range.format(range.endAt),
  }
  const isText = key.startsWith('stringValue')
  if (isText || scale.blank) return { ...view, ...(await readSamples(context, reading, isText)) }
  const edges = bucketEdges({ ...range, scale, timeZone: context.ports.settings.timeZone })
  const answer = await context.ports.jobActors.buckets(range.jobId, { key, edges, mode: query.mode })
  return { ...view, ...bucketsView(answer, reading) }
}

function bucketsView(
  { buckets, aggregate }: BucketsAnswer,
  { series, range, query }: Reading,
): Partial<SeriesView> {
  const user = (raw: number | null) => (raw === null ? null : raw / series.divisor)
  const { min, max, avg, last, sum, count } = aggregate
  const whole = { min: user(min), max: user(max), avg: user(avg), last: user(last), count, sum: user(sum) }
  if (!query.values) return { aggregate: whole }
  const valueOf = (bucket: Bucket) => (query.mode === 'count' ? bucket.value : user(bucket.value))
  const values = buckets.map((bucket) => ({
    timestamp: range.format(bucket.at),
    value: valueOf(bucket),
    min: user(bucket.min),
    max: user(bucket.max),
    count: bucket.count,
  }))
  return { values, aggregate: whole }
}

async function readSamples(
  context: Context,
  { series, range, query }: Reading,
  changesOnly: boolean,
): Promise<Partial<SeriesView>> {
  const from = query.cursor === undefined ? { at: range.beginAt, skip: 0 } : parseCursor(query.cursor)
  // Whether the first value of a page is a change, the last one of the page before tells.
  const overlap = changesOnly && from.skip > 0 ? 1 : 0
  const { samples, more } = await context.ports.jobActors.samples(range.jobId, {
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
  // Several samples may share an instant: the cursor says how many of them have been read.
  const sameInstant = samples.filter(({ at }) => at === lastAt).length
  const skip = sameInstant + (lastAt === from.at ? from.skip - overlap : 0)
  return { values, nextCursor: `${lastAt}.${skip}` }
}

function seriesOf(parameters: Parameters, key: string): Series {
  if (key === 'errorCode') return { key, name: 'Error code', unit: '', precision: 0, divisor: 1 }
  const index = Number(key.replace(/^\D+/, '')) - 1
  const text = key.startsWith('stringValue') ? parameters.stringValue[index] : undefined
  if (text) return { key, name: text.valueName, unit: text.valueUnit, precision: null, divisor: 1 }
  const number = key.startsWith('returnValue') ? parameters.returnValue[index] : undefined
  if (number) {
    const {
      valueName: name,
      valueUnit: unit,
      valuePrecision: precision = null,
      valueDivisor: divisor,
    } = number
    return { key, name, unit, precision, divisor }
  }
  const fault = [{ pointer: '?key', message: `${key} is not defined on the job` }]
  throw new Refusal('value_not_defined', 'The job has no such value.', fault)
}

function parseCursor(cursor: string): { at: number; skip: number } {
  const [, at, skip] = /^(\d{1,16})\.(\d{1,9})$/.exec(cursor) ?? []
  if (at === undefined || skip === undefined) throw invalid('?cursor', 'is not one that was answered')
  return { at: Number(at), skip: Number(skip) }
}

function invalid(pointer: string, message: string): Refusal {
  return new Refusal('invalid', 'The query is not what this request takes; see errors.', [
    { pointer, message },
  ])
}
