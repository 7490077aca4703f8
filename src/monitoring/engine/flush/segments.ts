import type { Value } from '../../../domain/delivery.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { levelFor } from '../../../timeseries/rollup-block.ts'
import { firstAtOrAfter, joinSamples, mergeSamples, sliceSamples } from '../../../timeseries/samples.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Segment } from '../../../timeseries/segments.ts'
import {
  endBehind,
  endOf,
  OPEN_MAX,
  openedFrom,
  sampleBytesOf,
  becomesOwnSegment,
} from '../blocks/open-segments.ts'
import type { NewSamples, SeriesEnd } from '../blocks/open-segments.ts'
import { decodeBody, isFull, isText, packSeries, SEGMENT_BOUNDS, seriesOf } from '../blocks/series.ts'
import { writeActors } from '../store.ts'
import { deleteSegments, readBodies, readSegmentsFrom, writeSegments } from '../store/segments.ts'
import type { NewSegment, SegmentKey, SegmentRow, SeriesKey, SizedRow } from '../store/segments.ts'
import type { Job } from '../head/job.ts'
import type { Tail as FlushedTail } from '../head/tail.ts'
import { addToRollups } from './rollup-deltas.ts'
import type { RollupDelta } from './rollup-deltas.ts'

type Tail = SeriesKey & {
  readonly samples: Samples<Value>
  /** Null where it is not known. */
  readonly end: SeriesEnd | null
}

/** The statements of a flush, and the ends of series once these are committed. */
type FlushedJobs = {
  readonly statements: readonly Statement[]
  readonly ends: readonly (SeriesKey & SeriesEnd)[]
}

/** The statements that turn the tails of jobs into segments and their states into checkpoints at their WAL row.
 * Few statements for any number of jobs: a statement costs more than the samples of most tails. */
export async function flushJobs(values: ValuesDatabase, jobs: readonly Job[]): Promise<FlushedJobs> {
  const flushed = jobs.map((job) => ({ job, ...job.flushed() }))
  const tails = flushed.flatMap(({ job, tail }) => tailsOf(job, tail))
  const parts = await partsOf(values, tails)
  const touched = parts.flatMap(touchedBy)
  const found = await readBodies(values, touched)
  const bodies: Bodies = new Map(touched.map((row, index) => [row, found[index] ?? null]))
  const written = parts.map((part) => rewrite(part, bodies))
  const segments = written.flatMap(({ added }) => added)
  const removed = written.flatMap(({ replaced, added }) =>
    replaced.filter((row) => !added.some((segment) => isSame(row, segment))),
  )
  const gains = await addToRollups(
    values,
    written.flatMap((one) => one.gains),
  )
  const actors = flushed.flatMap(({ job, walId, durable }) =>
    durable ? [{ jobId: job.id, walId, state: durable }] : [],
  )
  return {
    statements: [...deleteSegments(removed), ...writeSegments(segments), ...gains, ...writeActors(actors)],
    ends: written.flatMap(({ end }) => end ?? []),
  }
}

function tailsOf(job: Job, tail: FlushedTail | null): readonly Tail[] {
  if (!tail) return []
  return tail.keys().map((key) => {
    const series = seriesOf(key)
    return { jobId: job.id, series, samples: tail.look(key), end: job.endOf(series) }
  })
}

/** Samples of a tail that lie in the span of one segment or before all segments. */
type Part = Tail & {
  readonly row: SegmentRow | null
  readonly next: SegmentRow | null
  /** The open segments, the last ones of the series, that are packed anew together with these samples. */
  readonly opened: readonly SizedRow[]
  /** Where the series ends without them. */
  readonly end: SeriesEnd | null
}

type Bodies = ReadonlyMap<SegmentRow, Uint8Array | null>

/** Most tails stand apart, and nothing of their series is read. */
async function partsOf(values: ValuesDatabase, tails: readonly Tail[]): Promise<readonly Part[]> {
  const looked: Tail[] = []
  const parts: Part[] = []
  for (const tail of tails) {
    if (tail.end && becomesOwnSegment(tail.end, comingFrom(tail.samples)))
      parts.push({ ...tail, row: null, next: null, opened: [] })
    else looked.push(tail)
  }
  const rows = await readSegmentsFrom(
    values,
    looked.map(({ jobId, series, samples }) => ({ jobId, series, at: samples.at[0] ?? 0 })),
    OPEN_MAX,
  )
  return [...parts, ...looked.flatMap((tail, index) => partition(tail, rows[index] ?? []))]
}

function comingFrom({ at }: Samples<Value>, from = 0): NewSamples {
  return { beginAt: at[from] ?? 0, count: at.length - from }
}

/** Gives each sample to the segment in whose span it falls, so that late values rewrite only the segments they hit. Samples
 * of the open segments or after them stay together. */
function partition(tail: Tail, rows: readonly SizedRow[]): readonly Part[] {
  const open = rows.slice(rows.findLastIndex((row) => !isOpen(row)) + 1)
  const closed = rows.slice(0, rows.length - open.length)
  const { at } = tail.samples
  const parts: Part[] = []
  let from = 0
  for (const [index, row] of closed.entries()) {
    const next = rows[index + 1] ?? null
    const to = next ? firstAtOrAfter(at, next.from, from) : at.length
    if (to > from) parts.push({ ...withSamples(tail, from, to), row, next, opened: [] })
    from = to
  }
  if (from === at.length) return parts
  const row = rows.at(-1) ?? null
  const border = openedFrom(open, comingFrom(tail.samples, from))
  const end = endOf(open.slice(0, border), row?.head.to ?? 0)
  return [...parts, { ...withSamples(tail, from), row, next: null, opened: open.slice(border), end }]
}

/** Segments in the rollups are closed, including small ones of late values. */
function isOpen({ level, head, sizeBytes }: SizedRow): boolean {
  return level === 0 && !head.isBlob && !head.isDeflated && !isFull(head, sizeBytes)
}

/** The segments whose bodies are needed. */
function touchedBy({ samples, row, next, opened }: Part): readonly SegmentRow[] {
  if (opened.length > 0 || !row) return opened
  return next || (samples.at[0] ?? 0) <= row.head.to ? [row] : []
}

type Rewritten = {
  readonly replaced: readonly SegmentKey[]
  readonly added: readonly NewSegment[]
  readonly gains: readonly RollupDelta[]
  /** Null where the series ends as before. */
  readonly end: (SeriesKey & SeriesEnd) | null
}

function rewrite(part: Part, bodies: Bodies): Rewritten {
  const { row, next, opened } = part
  if (!row || opened.length > 0) return append(part, bodies)
  if (row.head.isBlob || row.head.isDeflated) return behindCold(part, row)
  if (next) return insert(part, row, bodies)
  // Samples within the last segment, which is closed or ends before, go into it; later ones begin a new segment.
  const border = firstAtOrAfter(part.samples.at, row.head.to + 1)
  if (border === 0) return append(part, bodies)
  const within = insert(withSamples(part, 0, border), row, bodies)
  if (border === part.samples.at.length) return within
  const follows = append(withSamples(part, border), bodies)
  return {
    ...follows,
    replaced: within.replaced,
    added: [...within.added, ...follows.added],
    gains: [...within.gains, ...follows.gains],
  }
}

/** New samples at the end of a series, and the samples of the segments that are opened for them: all segments that they make
 * but the last are closed, and from then on in the rollups. */
function append(part: Part, bodies: Bodies): Rewritten {
  const { jobId, series, opened } = part
  const older = opened.map((row) => decodeBody(series, bodyOf(row, bodies)))
  const packed = packSeries(series, mergeSamples(joinSamples(older), part.samples), {
    ...SEGMENT_BOUNDS,
    sampleBytes: sampleBytesOf(endOf(opened, 0)),
  })
  const gains: RollupDelta[] = []
  const added = packed.map((segment, index) => {
    const isClosed = index < packed.length - 1 || isFull(segment.summary, segment.body.length)
    const level = isClosed ? levelOf(part, segment) : 0
    if (level !== 0) gains.push({ jobId, series, level, samples: numbers(segment.samples) })
    return segmentOf(part, level, segment)
  })
  const [first] = opened
  return {
    replaced: opened,
    added: placed(added, first ? { row: first, step: 0 } : behind(part)),
    gains,
    end: { jobId, series, ...endBehind(part.end, packed) },
  }
}

/** Late samples in a closed segment: it stays in the rollups where it was, and they gain what it gains. */
function insert(part: Part, row: SegmentRow, bodies: Bodies): Rewritten {
  const { jobId, series, samples, next } = part
  const merged = mergeSamples(decodeBody(series, bodyOf(row, bodies)), samples)
  const { level } = row
  const added = packSeries(series, merged).map((segment) => segmentOf(part, level, segment))
  const gains =
    level === 1 || level === 2 ? [{ jobId, series, level, samples: numbers(samples) } as const] : []
  return { replaced: [row], added: beforeNext(placed(added, { row, step: 0 }), next), gains, end: null }
}

/** Samples after an offloaded segment do not extend it: it is only readable remotely. */
function behindCold(part: Part, row: SegmentRow): Rewritten {
  if ((part.samples.at[0] ?? 0) < row.head.to) {
    throw new Error(`A sample of job ${row.jobId} is older than what has gone cold.`)
  }
  if (!part.next) return append(part, NO_BODIES)
  const added = packSeries(part.series, part.samples).map((segment) => segmentOf(part, 0, segment))
  return { replaced: [], added: beforeNext(placed(added, behind(part)), part.next), gains: [], end: null }
}

const NO_BODIES: Bodies = new Map()

function bodyOf(row: SegmentRow, bodies: Bodies): Uint8Array {
  const body = bodies.get(row)
  if (!body) throw new Error(`The segment of job ${row.jobId} that begins at ${row.from} has no body.`)
  return body
}

function levelOf({ series }: Part, { summary }: Segment<Value>): 0 | 1 | 2 {
  return isText(series) ? 0 : (levelFor(summary) ?? 0)
}

function numbers(samples: Samples<Value>): Samples<number> {
  return samples as Samples<number>
}

function withSamples<Of extends Tail>(part: Of, from: number, to?: number): Of {
  return { ...part, samples: sliceSamples(part.samples, from, to) }
}

function segmentOf({ jobId, series }: Part, level: number, segment: Segment<Value>): NewSegment {
  const { from } = segment.summary
  return { jobId, series, level, from, place: 0, head: segment.head, body: segment.body }
}

type Before = { readonly row: SegmentRow; readonly step: number } | null

function behind({ row }: Part): Before {
  return row ? { row, step: 1 } : null
}

/** Numbers the segments that begin at one instant, in their order; the first of all as the row says. */
function placed(segments: readonly NewSegment[], before: Before = null): readonly NewSegment[] {
  let last: { from: number; place: number } | null = null
  return segments.map((segment) => {
    const { from } = segment
    let place = before?.row.from === from && last === null ? before.row.place + before.step : 0
    if (last?.from === from) place = last.place + 1
    last = { from, place }
    return { ...segment, place }
  })
}

/** Segments that begin at the same instant as the next segment have places before it. */
function beforeNext(segments: readonly NewSegment[], next: SegmentRow | null): readonly NewSegment[] {
  if (!next) return segments
  return segments.map((segment, index) =>
    segment.from === next.from ? { ...segment, place: next.place - (segments.length - index) } : segment,
  )
}

/** Whether two keys of one series name the same segment. */
function isSame(one: SegmentKey, other: SegmentKey): boolean {
  return one.from === other.from && one.place === other.place && one.level === other.level
}
