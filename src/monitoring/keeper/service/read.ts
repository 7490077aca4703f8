import type {
  BucketsAnswer,
  BucketsQuery,
  SamplesAnswer,
  SamplesQuery,
  Value,
} from '../../../ports/job-actors.ts'
import type { ValuesDatabase } from '../../../ports/values-database.ts'
import { decodeNumbers } from '../../history/numbers-codec.ts'
import { Rollup } from '../../history/rollup.ts'
import { firstAtOrAfter, mergeSamples } from '../../history/samples.ts'
import type { Samples } from '../../history/samples.ts'
import type { NumberSummary } from '../../history/segments.ts'
import type { Job } from '../job.ts'
import { decodeBody, seriesOf } from '../series.ts'
import { readBodies, readSegments } from '../store.ts'
import type { SegmentRow } from '../store.ts'

/** How many segment bodies are in memory at once during one read. */
const BODIES_PER_READ = 64

/** Buckets over segments and tail; only segments that a bucket's border cuts, or percentiles need, are decoded. */
export async function readBuckets(
  values: ValuesDatabase,
  job: Job,
  query: BucketsQuery,
): Promise<BucketsAnswer> {
  const series = { jobId: job.id, series: seriesOf(query.key) }
  const rollup = new Rollup(query.edges, query.mode)
  const beginAt = query.edges[0] ?? 0
  const rows = await readSegments(values, series, { beginAt, endAt: query.edges.at(-1) ?? 0 })
  for (let from = 0; from < rows.length; from += BODIES_PER_READ) {
    const page = rows.slice(from, from + BODIES_PER_READ)
    const wanted = page.filter((row) => rollup.needsSamples(summary(row))).map((row) => row.id)
    const bodies = await readBodies(values, wanted)
    for (const row of page) rollup.addSegment(summary(row), () => decodeNumbers(bodyOf(bodies, row.id)))
  }
  if (job.tail) rollup.addSamples(job.tail.series(query.key) as Samples<number>)
  return rollup.result()
}

/** Samples of segments and tail, merged in order of time. */
export async function readSamples(
  values: ValuesDatabase,
  job: Job,
  query: SamplesQuery,
): Promise<SamplesAnswer> {
  const series = { jobId: job.id, series: seriesOf(query.key) }
  const rows = await readSegments(values, series, query)
  const wanted = query.skip + query.limit + 1
  const stored: { at: number[]; values: Value[] } = { at: [], values: [] }
  for (let from = 0; from < rows.length && stored.at.length < wanted; from += BODIES_PER_READ) {
    const page = rows.slice(from, from + BODIES_PER_READ)
    const bodies = await readBodies(
      values,
      page.map((row) => row.id),
    )
    for (const row of page) {
      const decoded = within(decodeBody(series.series, bodyOf(bodies, row.id)), query)
      for (const at of decoded.at) stored.at.push(at)
      for (const value of decoded.values) stored.values.push(value)
    }
  }
  const merged = job.tail ? mergeSamples(stored, within(job.tail.series(query.key), query)) : stored
  const first = Math.min(query.skip, firstAtOrAfter(merged.at, query.beginAt + 1))
  const end = Math.min(merged.at.length, first + query.limit)
  const samples = merged.at
    .slice(first, end)
    .map((at, index) => ({ at, value: merged.values[first + index] ?? 0 }))
  return { samples, more: end < merged.at.length }
}

function within(samples: Samples<Value>, range: { beginAt: number; endAt: number }): Samples<Value> {
  const from = firstAtOrAfter(samples.at, range.beginAt)
  const to = firstAtOrAfter(samples.at, range.endAt)
  return { at: samples.at.slice(from, to), values: samples.values.slice(from, to) }
}

function summary(row: SegmentRow): NumberSummary {
  const { min, max, first, last } = row
  if (min === null || max === null || first === null || last === null) {
    throw new TypeError(`Segment ${row.id} holds no numbers.`)
  }
  return { ...row, min, max, first, last }
}

function bodyOf(bodies: ReadonlyMap<number, Uint8Array>, id: number): Uint8Array {
  const body = bodies.get(id)
  if (!body) throw new Error(`Segment ${id} vanished while it was read.`)
  return body
}
