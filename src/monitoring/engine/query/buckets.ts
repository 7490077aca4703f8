import type { BucketsAnswer, BucketsOfAll, SeriesName } from '../../../domain/series.ts'
import { HOURS, MINUTES, ROLLUP_LEVELS, stepOf } from '../../../timeseries/rollup-block.ts'
import type { RollupCell, RollupLevel } from '../../../timeseries/rollup-block.ts'
import { AnswerCache, answerNames } from './answer-cache.ts'
import type { AnswerQuery } from './answer-cache.ts'
import { RollupCache } from '../../../timeseries/rollup-cache.ts'
import { BucketSums } from '../../../timeseries/bucket-sums.ts'
import { firstAtOrAfter, sliceSamples } from '../../../timeseries/samples.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { Head } from '../head/head.ts'
import { seriesOf } from '../blocks/series.ts'
import { readOverviews } from '../store/rollups.ts'
import type { BlockRow, Overview } from '../store/rollups.ts'
import { readSegments } from '../store/segments.ts'
import type { SegmentRow } from '../store/segments.ts'
import { readStored } from '../blocks/segment-body.ts'
import type { StoredSegment } from '../blocks/segment-body.ts'

/** Shared by all engines of a process or isolate: at the edge there may be hundreds. */
const rollupCache = new RollupCache()
const answerCache = new AnswerCache()

/** Half-open, in order of time. */
type Span = { readonly from: number; end: number }

/** The sums of one read of buckets, and the samples that are still to be added to them. */
export type BucketPlan = {
  readonly rollup: BucketSums
  /** For each level, the spans in which samples count instead of cells. */
  readonly spans: Readonly<Record<RollupLevel, readonly Span[]>>
  /** The segments whose samples are to be added. */
  readonly segments: readonly StoredSegment[]
  readonly tail: Samples<number> | null
  /** Caches the answer; null where samples of the range are not flushed. */
  readonly cache: ((answer: BucketsAnswer) => void) | null
}

type SeriesSource = {
  readonly jobId: number
  readonly series: number
  readonly request: AnswerQuery
  /** Samples that are not flushed yet. */
  readonly tail: Samples<number> | null
  /** False where some of the tail lies in the range. */
  readonly isFlushed: boolean
}

/** A plan for each series, or its answer from the cache. @throws {Refusal} not_found */
export async function planBuckets(
  head: Head,
  blocks: Blocks,
  names: readonly SeriesName[],
  query: BucketsOfAll,
): Promise<readonly (BucketPlan | BucketsAnswer)[]> {
  const range = { beginAt: query.edges[0] ?? 0, endAt: query.edges.at(-1) ?? 0 }
  const { values } = blocks
  const asOf = values.writes
  const nameOf = answerNames(query)
  const sources = names.map(({ jobId, key }): SeriesSource => {
    const job = head.job(jobId)
    const series = seriesOf(key)
    const request = { ...query, name: nameOf(job.serial, series), asOf }
    const samples = job.flushed().tail?.series(key) ?? null
    const tail = samples as Samples<number> | null
    return { jobId, series, request, tail, isFlushed: !tail || !hasSamples(tail, range) }
  })
  const known = sources.map(({ request, isFlushed }) => (isFlushed ? answerCache.recall(request) : null))
  const unknown = sources.filter((_, index) => !known[index])
  const overviews = await readOverviews(values, unknown, range)
  const overviewOf = new Map(unknown.map((source, index) => [source, overviews[index]]))
  const plans: (BucketPlan | BucketsAnswer)[] = []
  for (const [index, source] of sources.entries()) {
    const answer = known[index]
    const overview = overviewOf.get(source)
    if (answer) plans.push(answer)
    else if (overview) plans.push(await planOf({ blocks, range }, source, overview))
  }
  return plans
}

/**
 * Adds cells and segment headers to the sums, and finds the segments that must be decoded for the rest: segments of no
 * level that an edge divides, and segments of a level where an edge divides a cell. Every sample is in one level only.
 */
async function planOf(
  { blocks: { values, touched }, range }: { blocks: Blocks; range: Range },
  { jobId, series, request, tail, isFlushed }: SeriesSource,
  { blocks, segments, expiredAt }: Overview,
): Promise<BucketPlan | BucketsAnswer> {
  const cells = blocks.map((block) => rollupCache.cellsOf(block))
  touched.rollups += blocks.length
  touched.segments += segments.length
  const question = { ...request, cells, segments, expiredAt }
  const known = isFlushed ? answerCache.find(question) : null
  if (known) return known
  const rollup = new BucketSums(request.edges, request.mode)
  const spans = addCells(blocks, cells, rollup, { ...range, expiredAt })
  const rows = await readSegments(
    values,
    { jobId, series },
    ROLLUP_LEVELS.flatMap((level) =>
      spans[level].map(({ from, end }) => ({ level, beginAt: from, endAt: end })),
    ),
  )
  touched.segments += rows.length
  // The order of equal instants: minutes, hours, segments of no level, tail.
  const ordered = ROLLUP_LEVELS.flatMap((level) => rows.filter((row) => row.level === level))
  const needed = ordered.filter((row) => needsSamples(row, rollup, spans))
  const toDecode = [
    ...(await readStored(values, needed)),
    ...segments.filter((row) => needsSamples(row, rollup, spans)).map((row) => ({ row, body: row.body })),
  ]
  const cache = (answer: BucketsAnswer) => answerCache.keep(question, answer)
  return { rollup, spans, segments: toDecode, tail, cache: isFlushed ? cache : null }
}

/** Adds the samples of a segment that count as samples. */
export function addSamples({ rollup, spans }: BucketPlan, level: number, samples: Samples<number>): void {
  if (level !== MINUTES && level !== HOURS) return rollup.addSamples(samples)
  for (const { from, end } of spans[level]) {
    const begin = firstAtOrAfter(samples.at, from)
    const until = firstAtOrAfter(samples.at, end, begin)
    if (until === begin) continue
    rollup.addSamples(sliceSamples(samples, begin, until))
  }
}

type Range = { readonly beginAt: number; readonly endAt: number }

/** Adds the cells that no edge divides; the others are returned as spans. A cell whose samples have expired is added
 * whole, at its beginning. */
function addCells(
  blocks: readonly BlockRow[],
  cells: readonly (readonly RollupCell[])[],
  rollup: BucketSums,
  { beginAt, endAt, expiredAt }: Range & { readonly expiredAt: number },
): BucketPlan['spans'] {
  const spans: Record<RollupLevel, Span[]> = { [MINUTES]: [], [HOURS]: [] }
  for (const [index, { level }] of blocks.entries()) {
    const samplesFrom = samplesFromAt(level, expiredAt)
    for (const cell of cells[index] ?? []) {
      const isExpired = cell.from < samplesFrom
      if (isExpired || (!rollup.wantsSamples && rollup.takesWhole(cell))) rollup.addCell(cell)
      else if (!rollup.wantsSamples) extend(spans[level], cell)
    }
  }
  if (rollup.wantsSamples) {
    for (const level of ROLLUP_LEVELS) {
      const from = Math.max(beginAt, samplesFromAt(level, expiredAt))
      if (from < endAt) spans[level].push({ from, end: endAt })
    }
  }
  return spans
}

/** The begin of the first cell of a level whose samples have not expired. */
function samplesFromAt(level: RollupLevel, expiredAt: number): number {
  return Math.ceil(expiredAt / stepOf(level)) * stepOf(level)
}

function hasSamples({ at }: Samples<number>, { beginAt, endAt }: Range): boolean {
  return firstAtOrAfter(at, beginAt) < firstAtOrAfter(at, endAt)
}

function extend(spans: Span[], { from, end }: RollupCell): void {
  const last = spans.at(-1)
  if (last?.end === from) last.end = end
  else spans.push({ from, end })
}

function needsSamples(row: SegmentRow, rollup: BucketSums, spans: BucketPlan['spans']): boolean {
  const { level, head } = row
  if (level === MINUTES || level === HOURS) {
    return spans[level].some(({ from, end }) => head.to >= from && head.from < end)
  }
  if (!head.numbers)
    throw new TypeError(`The segment of job ${row.jobId} that begins at ${row.from} holds no numbers.`)
  // A segment of one instant is added in order: its last sample may be the last of a bucket.
  if (head.from === head.to || rollup.needsSamples(head.numbers)) return true
  rollup.addSummary(head.numbers)
  return false
}
