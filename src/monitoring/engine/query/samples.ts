import type { Blobs } from '../../../ports/blobs.ts'
import type { Value } from '../../../domain/delivery.ts'
import type {
  BucketsAnswer,
  BucketsOfAll,
  SamplesAnswer,
  SamplesQuery,
  SeriesName,
} from '../../../domain/series.ts'
import { mergeSamples, firstAtOrAfter } from '../../../timeseries/samples.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Job } from '../head/job.ts'
import type { Mutex } from '../../../lib/mutex.ts'
import { seriesOf } from '../blocks/series.ts'
import { readBodies, readSegments } from '../store/segments.ts'
import type { SegmentRow } from '../store/segments.ts'
import type { WriteCounter } from '../blocks/write-counter.ts'
import { MissingBlob, samplesOf } from '../blocks/segment-body.ts'
import type { ReadCounts, StoredSegment } from '../blocks/segment-body.ts'
import { addSamples, planBuckets } from './buckets.ts'
import type { BucketPlan } from './buckets.ts'

/** What reads need of the engine. */
export type Reading = {
  readonly values: WriteCounter
  readonly blobs: Blobs
  readonly lock: Mutex
  readonly touched: ReadCounts
  /** Lets deliveries in between. */
  readonly turn: () => Promise<void>
}

/** Samples that are decoded before others have their turn. */
const DECODED_PER_TURN = 32_768

/** Buckets over rollups, segments and tail, of each series. The lock is held for the database only, never for blobs. */
export function readBuckets(
  reading: Reading,
  jobOf: (jobId: number) => Job,
  names: readonly SeriesName[],
  query: BucketsOfAll,
): Promise<readonly BucketsAnswer[]> {
  return again(async () => {
    const gathered = await reading.lock.run(() => planBuckets(reading, jobOf, names, query))
    const answers: BucketsAnswer[] = []
    for (const one of gathered) answers.push('buckets' in one ? one : await answerOf(reading, one))
    return answers
  })
}

async function answerOf(reading: Reading, gathered: BucketPlan): Promise<BucketsAnswer> {
  const { rollup, wanted, tail, keep } = gathered
  for await (const { row, samples } of decoded(reading, wanted))
    addSamples(gathered, row.level, samples as Samples<number>)
  if (tail) rollup.addSamples(tail)
  const answer = rollup.result()
  keep?.(answer)
  return answer
}

/** Samples of segments and tail, merged in order of time. */
export function readSamples(reading: Reading, find: () => Job, query: SamplesQuery): Promise<SamplesAnswer> {
  return again(async () => {
    const { wanted, tail } = await reading.lock.run(() => gatherSamples(reading, find(), query))
    const stored: { at: number[]; values: Value[] } = { at: [], values: [] }
    for await (const { samples } of decoded(reading, wanted)) {
      const part = within(samples, query)
      for (const at of part.at) stored.at.push(at)
      for (const value of part.values) stored.values.push(value)
    }
    return pageOf(mergeSamples(stored, tail), query)
  })
}

async function gatherSamples({ values, touched }: Reading, job: Job, query: SamplesQuery) {
  const series = { jobId: job.id, series: seriesOf(query.key) }
  const rows = await readSegments(
    values,
    series,
    [0, 1, 2].map((level) => ({ level, beginAt: query.beginAt, endAt: query.endAt })),
  )
  touched.segments += rows.length
  const rowsWanted = upTo(rows, query)
  const bodies = await readBodies(values, rowsWanted)
  const wanted = rowsWanted.map((row, index) => ({ row, body: bodies[index] ?? missing(row) }))
  const tail = job.tail ? within(job.tail.series(query.key), query) : { at: [], values: [] }
  return { wanted, tail }
}

/** As many segments as hold what is asked for: of the first, part may lie before the range. */
function upTo(rows: readonly SegmentRow[], { skip, limit }: SamplesQuery): readonly SegmentRow[] {
  let count = 0
  const end = rows.findIndex(({ head }, index) => {
    if (index > 0) count += head.count
    return count > skip + limit
  })
  return end < 0 ? rows : rows.slice(0, end + 1)
}

function pageOf(merged: Samples<Value>, query: SamplesQuery): SamplesAnswer {
  const first = Math.min(query.skip, firstAtOrAfter(merged.at, query.beginAt + 1))
  const end = Math.min(merged.at.length, first + query.limit)
  const samples = merged.at
    .slice(first, end)
    .map((at, index) => ({ at, value: merged.values[first + index] ?? 0 }))
  return { samples, more: end < merged.at.length }
}

async function* decoded(
  { blobs, touched, turn }: Reading,
  wanted: readonly StoredSegment[],
): AsyncGenerator<{ row: SegmentRow; samples: Samples<Value> }> {
  let count = 0
  for (const one of wanted) {
    if (count > DECODED_PER_TURN) {
      await turn()
      count = 0
    }
    count += one.row.head.count
    yield { row: one.row, samples: await samplesOf(one, blobs, touched) }
  }
}

function within(samples: Samples<Value>, range: { beginAt: number; endAt: number }): Samples<Value> {
  const from = firstAtOrAfter(samples.at, range.beginAt)
  const to = firstAtOrAfter(samples.at, range.endAt)
  return { at: samples.at.slice(from, to), values: samples.values.slice(from, to) }
}

/** A blob may go between the look at its row and the look for it, when its samples expire; that happens once. */
async function again<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof MissingBlob) return read()
    throw error
  }
}

function missing(row: SegmentRow): never {
  throw new Error(`The segment of job ${row.jobId} that begins at ${row.from} vanished while it was read.`)
}
