import type { Value } from '../../../domain/delivery.ts'
import type {
  BucketsAnswer,
  BucketsOfAll,
  SamplesAnswer,
  SamplesQuery,
  SeriesName,
} from '../../../domain/series.ts'
import { firstAtOrAfter, joinSamples, mergeSamples, sliceSamples } from '../../../timeseries/samples.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { Head } from '../head/head.ts'
import { seriesOf } from '../blocks/series.ts'
import { readSegments } from '../store/segments.ts'
import type { SegmentRow } from '../store/segments.ts'
import { MissingBlob, readStored, samplesOf } from '../blocks/segment-body.ts'
import type { StoredSegment } from '../blocks/segment-body.ts'
import { addSamples, planBuckets } from './buckets.ts'
import type { BucketPlan } from './buckets.ts'

/** Samples that are decoded in one turn of the event loop. */
const DECODED_PER_TURN = 32_768

/** Buckets over rollups, segments and tail of each series. The lock is held for the database only, never for blobs.
 * @throws {Refusal} not_found */
export function readBuckets(
  head: Head,
  blocks: Blocks,
  names: readonly SeriesName[],
  query: BucketsOfAll,
): Promise<readonly BucketsAnswer[]> {
  return withRetry(async () => {
    const plans = await blocks.lock.run(() => planBuckets(head, blocks, names, query))
    const answers: BucketsAnswer[] = []
    for (const plan of plans) answers.push('buckets' in plan ? plan : await answerOf(blocks, plan))
    return answers
  })
}

async function answerOf(blocks: Blocks, plan: BucketPlan): Promise<BucketsAnswer> {
  const { rollup, segments, tail, cache } = plan
  for await (const { row, samples } of decoded(blocks, segments))
    addSamples(plan, row.level, samples as Samples<number>)
  if (tail) rollup.addSamples(tail)
  const answer = rollup.result()
  cache?.(answer)
  return answer
}

/** Samples of segments and tail, ordered by time. @throws {Refusal} not_found */
export function readSamples(
  head: Head,
  blocks: Blocks,
  jobId: number,
  query: SamplesQuery,
): Promise<SamplesAnswer> {
  return withRetry(async () => {
    const { segments, tail } = await blocks.lock.run(() => planSamples(head, blocks, jobId, query))
    const stored: Samples<Value>[] = []
    for await (const { samples } of decoded(blocks, segments)) stored.push(within(samples, query))
    return samplesPage(mergeSamples(joinSamples(stored), tail), query)
  })
}

async function planSamples(head: Head, { values, touched }: Blocks, jobId: number, query: SamplesQuery) {
  const { tail } = head.job(jobId).flushed()
  const series = { jobId, series: seriesOf(query.key) }
  const rows = await readSegments(
    values,
    series,
    [0, 1, 2].map((level) => ({ level, beginAt: query.beginAt, endAt: query.endAt })),
  )
  touched.segments += rows.length
  const needed = upTo(rows, query)
  const segments = await readStored(values, needed)
  const recent = tail ? within(tail.series(query.key), query) : { at: [], values: [] }
  return { segments, tail: recent }
}

/** The segments that are needed for a page; part of the first may lie before the range. */
function upTo(rows: readonly SegmentRow[], { skip, limit }: SamplesQuery): readonly SegmentRow[] {
  let count = 0
  const end = rows.findIndex(({ head }, index) => {
    if (index > 0) count += head.count
    return count > skip + limit
  })
  return end < 0 ? rows : rows.slice(0, end + 1)
}

function samplesPage(merged: Samples<Value>, query: SamplesQuery): SamplesAnswer {
  const first = Math.min(query.skip, firstAtOrAfter(merged.at, query.beginAt + 1))
  const end = Math.min(merged.at.length, first + query.limit)
  const samples = merged.at
    .slice(first, end)
    .map((at, index) => ({ at, value: merged.values[first + index] ?? 0 }))
  return { samples, more: end < merged.at.length }
}

async function* decoded(
  { blobs, touched, host }: Blocks,
  segments: readonly StoredSegment[],
): AsyncGenerator<{ row: SegmentRow; samples: Samples<Value> }> {
  let count = 0
  for (const segment of segments) {
    if (count > DECODED_PER_TURN) {
      await host.turn()
      count = 0
    }
    count += segment.row.head.count
    yield { row: segment.row, samples: await samplesOf(segment, blobs, touched) }
  }
}

function within(samples: Samples<Value>, range: { beginAt: number; endAt: number }): Samples<Value> {
  const from = firstAtOrAfter(samples.at, range.beginAt)
  return sliceSamples(samples, from, firstAtOrAfter(samples.at, range.endAt))
}

/** Samples may expire, and their blob be deleted, between the read of the row and the read of the blob; a second read does
 * not find the row. */
async function withRetry<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof MissingBlob) return read()
    throw error
  }
}
