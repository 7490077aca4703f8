import type { Value } from '../../../ports/job-actors.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { levelFor } from '../../history/cells.ts'
import { firstAtOrAfter, mergeSamples } from '../../history/samples.ts'
import type { Samples } from '../../history/samples.ts'
import type { Segment } from '../../history/segments.ts'
import { decodeBody, isFull, isText, packSeries, seriesOf } from '../series.ts'
import { writeActors } from '../store.ts'
import { deleteSegments, readBodies, readSegmentsFrom, writeSegments } from '../store/segments.ts'
import type { NewSegment, SegmentKey, SegmentRow, SeriesKey } from '../store/segments.ts'
import type { Job } from '../job.ts'
import { addToRollups } from './gains.ts'
import type { Gain } from './gains.ts'

type Tail = SeriesKey & { readonly samples: Samples<Value> }

/** The statements that turn the tails of jobs into segments and their states into checkpoints at their journal row.
 * As few as can be, whatever the number of jobs: a statement costs more than the samples of most tails. */
export async function foldJobs(values: ValuesDatabase, jobs: readonly Job[]): Promise<readonly Statement[]> {
  const tails = jobs.flatMap(tailsOf)
  const rows = await readSegmentsFrom(
    values,
    tails.map(({ jobId, series, samples }) => ({ jobId, series, at: samples.at[0] ?? 0 })),
  )
  const parts = tails.flatMap((tail, index) => partition(tail, rows[index] ?? []))
  const touched = parts.filter(hasRow)
  const found = await readBodies(
    values,
    touched.map(({ row }) => row),
  )
  const bodies = new Map(touched.map((part, index) => [part as Part, found[index] ?? null]))
  const written = parts.flatMap((part) => rewrite(part, bodies.get(part) ?? null))
  const segments = written.flatMap(({ added }) => added)
  const kept = new Set(segments.map(nameOf))
  const removed = written.flatMap(({ replaced }) =>
    replaced && !kept.has(nameOf(replaced)) ? [replaced] : [],
  )
  const actors = jobs.flatMap(({ id, journalId, durable }) =>
    durable ? [{ jobId: id, journalId, state: durable }] : [],
  )
  return [
    ...deleteSegments(removed),
    ...writeSegments(segments),
    ...(await addToRollups(
      values,
      written.flatMap(({ gains }) => gains),
    )),
    ...writeActors(actors),
  ]
}

function tailsOf({ id, tail }: Job): readonly Tail[] {
  if (!tail) return []
  return tail.keys().map((key) => ({ jobId: id, series: seriesOf(key), samples: tail.series(key) }))
}

/** Samples of a tail that lie in the span of one segment or, where there is none, before all of them. */
type Part = Tail & { readonly row: SegmentRow | null; readonly next: SegmentRow | null }

/** Gives each sample to the segment in whose span it falls, so that late values rewrite only the segments they hit. */
function partition(tail: Tail, rows: readonly SegmentRow[]): readonly Part[] {
  const { at, values } = tail.samples
  if (rows.length === 0) return [{ ...tail, row: null, next: null }]
  const parts: Part[] = []
  let from = 0
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1] ?? null
    const to = next ? firstAtOrAfter(at, next.from, from) : at.length
    const samples = { at: at.slice(from, to), values: values.slice(from, to) }
    from = to
    if (samples.at.length > 0) parts.push({ ...tail, samples, row, next })
  }
  return parts
}

function hasRow(part: Part): part is Part & { readonly row: SegmentRow } {
  return part.row !== null
}

type Rewritten = {
  readonly replaced: SegmentKey | null
  readonly added: readonly NewSegment[]
  readonly gains: readonly Gain[]
}

function rewrite(part: Part, body: Uint8Array | null): Rewritten {
  const { row, next } = part
  if (!row) return append(part, null)
  if (!body) throw new Error(`The segment of job ${row.jobId} that begins at ${row.from} has no body.`)
  if (row.head.isBlob || row.head.isDeflated) return behindCold(part, row)
  if (next) return insert(part, row, body)
  // What is in the rollups is closed, also where late values have made a small segment of it.
  const isOpen = row.level === 0 && !isFull(row.head, body.length)
  if (isOpen) return append(part, { row, older: decodeBody(part.series, body) })
  // The last segment is closed: what lies within it is put there, what follows begins a new one.
  const border = firstAtOrAfter(part.samples.at, row.head.to + 1)
  if (border === 0) return append(part, null)
  const within = insert(withSamples(part, 0, border), row, body)
  if (border === part.samples.at.length) return within
  const follows = append(withSamples(part, border, part.samples.at.length), null)
  return { ...within, added: [...within.added, ...follows.added], gains: [...within.gains, ...follows.gains] }
}

/** New samples at the end of a series: all segments but the last are closed, and from then on in the rollups. */
function append(part: Part, open: { row: SegmentRow; older: Samples<Value> } | null): Rewritten {
  const samples = open ? mergeSamples(open.older, part.samples) : part.samples
  const packed = packSeries(part.series, samples)
  const gains: Gain[] = []
  const added = packed.map((segment, index) => {
    const isClosed = index < packed.length - 1 || isFull(segment.summary, segment.body.length)
    const level = isClosed ? levelOf(part, segment) : 0
    if (level !== 0)
      gains.push({ jobId: part.jobId, series: part.series, level, samples: numbers(segment.samples) })
    return segmentOf(part, level, segment)
  })
  return {
    replaced: open?.row ?? null,
    added: placed(added, open ? { row: open.row, step: 0 } : behind(part)),
    gains,
  }
}

/** Late samples in a closed segment: it stays in the rollups where it was, and they gain what it gains. */
function insert(part: Part, row: SegmentRow, body: Uint8Array): Rewritten {
  const { jobId, series, samples, next } = part
  const merged = mergeSamples(decodeBody(series, body), samples)
  const { level } = row
  const added = packSeries(series, merged).map((segment) => segmentOf(part, level, segment))
  const gains =
    level === 1 || level === 2 ? [{ jobId, series, level, samples: numbers(samples) } as const] : []
  return { replaced: row, added: beforeNext(placed(added, { row, step: 0 }), next), gains }
}

/** What follows a segment that has gone cold leaves it alone: it can only be read from afar. */
function behindCold(part: Part, row: SegmentRow): Rewritten {
  if ((part.samples.at[0] ?? 0) < row.head.to) {
    throw new Error(`A sample of job ${row.jobId} is older than what has gone cold.`)
  }
  if (!part.next) return append(part, null)
  const added = packSeries(part.series, part.samples).map((segment) => segmentOf(part, 0, segment))
  return { replaced: null, added: beforeNext(placed(added, behind(part)), part.next), gains: [] }
}

function levelOf({ series }: Part, { summary }: Segment<Value>): 0 | 1 | 2 {
  return isText(series) ? 0 : (levelFor(summary) ?? 0)
}

function numbers(samples: Samples<Value>): Samples<number> {
  return samples as Samples<number>
}

function withSamples(part: Part, from: number, to: number): Part {
  const { at, values } = part.samples
  return { ...part, samples: { at: at.slice(from, to), values: values.slice(from, to) } }
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

/** Those that begin with the instant at which the next segment begins come before it. */
function beforeNext(segments: readonly NewSegment[], next: SegmentRow | null): readonly NewSegment[] {
  if (!next) return segments
  return segments.map((segment, index) =>
    segment.from === next.from ? { ...segment, place: next.place - (segments.length - index) } : segment,
  )
}

function nameOf({ jobId, series, level, from, place }: SegmentKey): string {
  return `${jobId}.${series}.${level}.${from}.${place}`
}
