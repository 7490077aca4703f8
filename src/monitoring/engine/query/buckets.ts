import type { BucketsAnswer, BucketsOfAll, SeriesName } from '../../../domain/series.ts'
import { HOURS, MINUTES, stepOf } from '../../../timeseries/rollup-block.ts'
import type { RollupCell, RollupLevel } from '../../../timeseries/rollup-block.ts'
import { AnswerCache } from './answer-cache.ts'
import type { AnswerQuery } from './answer-cache.ts'
import { RollupCache } from '../../../timeseries/rollup-cache.ts'
import { BucketSums } from '../../../timeseries/bucket-sums.ts'
import { firstAtOrAfter } from '../../../timeseries/samples.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Job } from '../head/job.ts'
import { seriesOf } from '../blocks/series.ts'
import { readOverviews } from '../store/rollups.ts'
import type { BlockRow, Overview } from '../store/rollups.ts'
import { readBodies, readSegments } from '../store/segments.ts'
import type { SegmentRow } from '../store/segments.ts'
import type { WriteCounter } from '../blocks/write-counter.ts'
import type { ReadCounts, StoredSegment } from '../blocks/segment-body.ts'

const LEVELS: readonly RollupLevel[] = [MINUTES, HOURS]

/** Of all engines of the process or isolate together: at the edge there may be hundreds. */
const rollupCache = new RollupCache()
const answerCache = new AnswerCache()

/** Half-open, in order of time. */
type Span = { readonly from: number; end: number }

/** What was found in the database for one read of buckets, and what of it is still to be added. */
export type BucketPlan = {
  readonly rollup: BucketSums
  /** Of each level the spans in which its single samples count instead of its cells. */
  readonly spans: Readonly<Record<RollupLevel, readonly Span[]>>
  readonly wanted: readonly StoredSegment[]
  readonly tail: Samples<number> | null
  /** Takes the answer, where it would be the same until something else is stored. */
  readonly keep: ((answer: BucketsAnswer) => void) | null
}

/** What is wanted, and the job that has it. */
type SeriesSource = {
  readonly job: Job
  readonly asked: AnswerQuery
  /** What is not flushed yet. */
  readonly tail: Samples<number> | null
  /** False where some of it lies in the range. */
  readonly isFlushed: boolean
}

/** What the database has of each series for one read of buckets, or the answer, where it was told before. */
export async function planBuckets(
  { values, touched }: { readonly values: WriteCounter; readonly touched: ReadCounts },
  jobOf: (jobId: number) => Job,
  names: readonly SeriesName[],
  query: BucketsOfAll,
): Promise<readonly (BucketPlan | BucketsAnswer)[]> {
  const range = { beginAt: query.edges[0] ?? 0, endAt: query.edges.at(-1) ?? 0 }
  const asOf = values.writes
  const sources = names.map(({ jobId, key }): SeriesSource => {
    const job = jobOf(jobId)
    const asked = { ...query, jobSerial: job.serial, series: seriesOf(key), asOf }
    const tail = job.tail ? (job.tail.series(key) as Samples<number>) : null
    return { job, asked, tail, isFlushed: !tail || !hasSamples(tail, range) }
  })
  const known = sources.map(({ asked, isFlushed }) => (isFlushed ? answerCache.recall(asked) : null))
  const unknown = sources.filter((_, index) => !known[index])
  const overviews = await readOverviews(
    values,
    unknown.map(({ job, asked }) => ({ jobId: job.id, series: asked.series })),
    range,
  )
  const overviewOf = new Map(unknown.map((source, index) => [source, overviews[index]]))
  const gathered: (BucketPlan | BucketsAnswer)[] = []
  for (const [index, source] of sources.entries()) {
    const answer = known[index]
    const overview = overviewOf.get(source)
    if (answer) gathered.push(answer)
    else if (overview) gathered.push(await planOf({ values, touched, range }, source, overview))
  }
  return gathered
}

/**
 * Adds what cells and heads tell without any sample, and finds the segments that must be decoded for the rest: those
 * of no level that a border cuts, and those of a level where a border cuts a cell. Every sample is in one level only.
 */
async function planOf(
  { values, touched, range }: { values: WriteCounter; touched: ReadCounts; range: Range },
  { job, asked, tail, isFlushed }: SeriesSource,
  { blocks, segments, expiredAt }: Overview,
): Promise<BucketPlan | BucketsAnswer> {
  const cells = blocks.map((block) => rollupCache.cellsOf(block))
  touched.rollups += blocks.length
  touched.segments += segments.length
  const question = { ...asked, cells, segments, expiredAt }
  const known = isFlushed ? answerCache.find(question) : null
  if (known) return known
  const rollup = new BucketSums(asked.edges, asked.mode)
  const spans = addCells(blocks, cells, rollup, { ...range, expiredAt })
  const rows = await readSegments(
    values,
    { jobId: job.id, series: asked.series },
    LEVELS.flatMap((level) => spans[level].map(({ from, end }) => ({ level, beginAt: from, endAt: end }))),
  )
  touched.segments += rows.length
  // The order of equal instants: minutes, hours, what is in neither, and the tail.
  const ordered = LEVELS.flatMap((level) => rows.filter((row) => row.level === level))
  const needed = ordered.filter((row) => needsSamples(row, rollup, spans))
  const bodies = await readBodies(values, needed)
  const wanted = [
    ...needed.map((row, index) => ({ row, body: bodies[index] ?? missing(row) })),
    ...segments.filter((row) => needsSamples(row, rollup, spans)).map((row) => ({ row, body: row.body })),
  ]
  const keep = (answer: BucketsAnswer) => answerCache.keep(question, answer)
  return { rollup, spans, wanted, tail, keep: isFlushed ? keep : null }
}

/** Adds the samples of a segment that count as samples. */
export function addSamples({ rollup, spans }: BucketPlan, level: number, samples: Samples<number>): void {
  if (level !== MINUTES && level !== HOURS) return rollup.addSamples(samples)
  for (const { from, end } of spans[level]) {
    const begin = firstAtOrAfter(samples.at, from)
    const until = firstAtOrAfter(samples.at, end, begin)
    if (until === begin) continue
    rollup.addSamples({ at: samples.at.slice(begin, until), values: samples.values.slice(begin, until) })
  }
}

type Range = { readonly beginAt: number; readonly endAt: number }

/** Adds the cells that need no telling apart; the others are answered as spans. Past the expiry of its samples a cell
 * is all there is: it counts where it begins. */
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
      const isAll = cell.from < samplesFrom
      if (isAll || (!rollup.wantsSamples && rollup.takesWhole(cell))) rollup.addCell(cell)
      else if (!rollup.wantsSamples) extend(spans[level], cell)
    }
  }
  if (rollup.wantsSamples) {
    for (const level of LEVELS) {
      const from = Math.max(beginAt, samplesFromAt(level, expiredAt))
      if (from < endAt) spans[level].push({ from, end: endAt })
    }
  }
  return spans
}

/** From here on the samples of a level are there, cell by cell. */
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
  // A segment of one instant is added in its turn: its last sample may be that of a bucket.
  if (head.from === head.to || rollup.needsSamples(head.numbers)) return true
  rollup.addSummary(head.numbers)
  return false
}

function missing(row: SegmentRow): never {
  throw new Error(`The segment of job ${row.jobId} that begins at ${row.from} vanished while it was read.`)
}
