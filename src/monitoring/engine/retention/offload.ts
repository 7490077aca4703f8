import type { Value } from '../../../domain/delivery.ts'
import { ByteWriter, SAMPLES_PER_BODY_MAX } from '../../../timeseries/bytes.ts'
import { encodeHeader } from '../../../timeseries/segment-header.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Segment } from '../../../timeseries/segments.ts'
import type { Job } from '../head/job.ts'
import { decodeBody, packSeries, SEGMENT_BOUNDS } from '../blocks/series.ts'
import { keepBlob, nextBlobId, reserveBlob } from '../store/blobs.ts'
import { deleteSegments, readBodies, writeSegments } from '../store/segments.ts'
import type { NewSegment, SegmentKey, SizedRow } from '../store/segments.ts'
import { blobKey, deflate } from '../blocks/segment-body.ts'
import type { SegmentRewrites } from './rewrites.ts'
import { commitUnlessForgotten } from './context.ts'
import type { RetentionContext } from './context.ts'

/** Constant samples never make so many bytes; a row of so many is as good. */
const CHUNK_SAMPLES = SAMPLES_PER_BODY_MAX
/** Rows so small that a fifth of them can be saved are worth it. */
const LOOSE_SHARE = 0.8
/** From here on a last wide row wastes less than small ones would. */
const WIDE_SHARE = 0.9

/** A row of SQLite of so many bytes fills a page of its own and a quarter of one in the tree. One that is a little larger,
 * or between this and what a segment may take, would leave most of a page empty. */
const WIDE_BYTES = SEGMENT_BOUNDS.sizeMaxBytes + 4_092
/** Packed into one, rows take less than in sum. */
const WIDEN_FROM_BYTES = WIDE_BYTES + 2 * SEGMENT_BOUNDS.sizeMaxBytes

export type OffloadContext = {
  readonly context: RetentionContext
  readonly rewrites: SegmentRewrites
  readonly job: Job
}

/** Makes blobs of the cold segments of a series, as many as they fill; the others are packed into fewer rows. Where the
 * blobs are away, the segments stay where they are. */
export async function offloadSegments(cooling: OffloadContext, rows: readonly SizedRow[]): Promise<void> {
  const { context } = cooling
  for (const group of groupsOf(rows, context.blobBytes)) {
    const isHere = group.isFull ? await makeChunk(cooling, group.rows) : await packRest(cooling, group.rows)
    if (!isHere) return
    await context.turn()
  }
}

async function readSamples(
  context: RetentionContext,
  rows: readonly SizedRow[],
): Promise<Samples<Value> | null> {
  const bodies = await context.lock.run(() => readBodies(context.values, rows))
  const samples: { at: number[]; values: Value[] } = { at: [], values: [] }
  for (const [index, body] of bodies.entries()) {
    if (!body) return null
    const part = decodeBody(rows[index]?.series ?? 0, body)
    for (const at of part.at) samples.at.push(at)
    for (const value of part.values) samples.values.push(value)
  }
  return samples
}

/** False when the job was forgotten meanwhile. */
async function makeChunk(cooling: OffloadContext, rows: readonly SizedRow[]): Promise<boolean> {
  const { context, rewrites, job } = cooling
  const [first] = rows
  const samples = await readSamples(context, rows)
  if (!first || !samples) return samples !== null
  const [chunk] = packSeries(first.series, samples, { countMax: CHUNK_SAMPLES, sizeMaxBytes: Infinity })
  if (!chunk) return true
  const deflated = await deflate(chunk.body)
  const isDeflated = deflated.length < chunk.body.length
  const body = isDeflated ? deflated : chunk.body
  const isBlob = body.length * 4 >= context.blobBytes
  const row = { ...keyOf(first), head: encodeHeader(chunk.summary, { isDeflated, isBlob }), body }
  if (isBlob) return replaceByBlob(context, job, rows, row)
  await rewrites.add(job, rows, [row])
  return true
}

/** What does not fill a blob yet: small rows become wide ones, or at least fewer. */
async function packRest(cooling: OffloadContext, rows: readonly SizedRow[]): Promise<boolean> {
  for (const run of smallRunsOf(rows)) {
    const sizeBytes = run.reduce((sum, row) => sum + row.sizeBytes, 0)
    const isWorthIt = sizeBytes >= WIDEN_FROM_BYTES || rowsOf(sizeBytes) < run.length * LOOSE_SHARE
    if (isWorthIt && !(await packTighter(cooling, run))) return false
  }
  return true
}

/** How many small rows take so many bytes, at most: one that is at most half full once packed stays one. */
function rowsOf(sizeBytes: number): number {
  const share = sizeBytes / SEGMENT_BOUNDS.sizeMaxBytes
  return share <= 0.5 ? 1 : Math.ceil(share) + 1
}

/** The bound on samples is for segments that take more; these fill their rows. */
async function packTighter(cooling: OffloadContext, rows: readonly SizedRow[]): Promise<boolean> {
  const { context, rewrites, job } = cooling
  const [first] = rows
  const samples = await readSamples(context, rows)
  if (!first || !samples) return samples !== null
  const packed = packRows(first.series, samples)
  const froms = new Set(packed.map(({ summary }) => summary.from))
  // Where one instant fills several rows, their places are left as they are.
  const isPlain = froms.size === packed.length && !froms.has(samples.at.at(-1) ?? 0)
  if (!isPlain || packed.length >= rows.length) return true
  const by = packed.map((segment, index) => ({
    ...keyOf(first),
    from: segment.summary.from,
    place: index === 0 ? first.place : 0,
    head: segment.head,
    body: segment.body,
  }))
  await rewrites.add(job, rows, by)
  return true
}

/** Wide rows, and small ones of what does not fill the last of them. */
function packRows(series: number, samples: Samples<Value>): readonly Segment<Value>[] {
  const wide = packSeries(series, samples, { countMax: CHUNK_SAMPLES, sizeMaxBytes: WIDE_BYTES })
  const last = wide.at(-1)
  if (!last || last.body.length > WIDE_BYTES * WIDE_SHARE) return wide
  const bounds = { countMax: CHUNK_SAMPLES, sizeMaxBytes: SEGMENT_BOUNDS.sizeMaxBytes }
  return [...wide.slice(0, -1), ...packSeries(series, last.samples, bounds)]
}

function keyOf({ jobId, series, level, from, place }: SizedRow): SegmentKey {
  return { jobId, series, level, from, place }
}

function isSmall({ sizeBytes }: SizedRow): boolean {
  return sizeBytes <= SEGMENT_BOUNDS.sizeMaxBytes
}

function smallRunsOf(rows: readonly SizedRow[]): readonly (readonly SizedRow[])[] {
  const runs: SizedRow[][] = [[]]
  for (const row of rows) {
    if (isSmall(row)) runs.at(-1)?.push(row)
    else runs.push([])
  }
  return runs.filter((run) => run.length > 1)
}

/** Neighbours of one level, as many as go into a blob. */
function groupsOf(rows: readonly SizedRow[], blobBytes: number): readonly Group[] {
  const groups = [new Group(blobBytes)]
  for (const row of rows) {
    const isRaw = !row.head.isBlob && !row.head.isDeflated
    if (!isRaw || groups.at(-1)?.takes(row) !== true) groups.push(new Group(blobBytes))
    if (isRaw) groups.at(-1)?.add(row)
  }
  return groups.filter((group) => group.rows.length > 1)
}

class Group {
  readonly rows: SizedRow[] = []
  /** Nothing more went into it. */
  isFull = false
  readonly #blobBytes: number
  #sizeBytes = 0
  #count = 0

  constructor(blobBytes: number) {
    this.#blobBytes = blobBytes
  }

  takes(row: SizedRow): boolean {
    const [first] = this.rows
    if (!first) return true
    if (first.level !== row.level) return false
    this.isFull =
      this.#sizeBytes + row.sizeBytes > this.#blobBytes || this.#count + row.head.count > CHUNK_SAMPLES
    return !this.isFull
  }

  add(row: SizedRow): void {
    this.rows.push(row)
    this.#sizeBytes += row.sizeBytes
    this.#count += row.head.count
  }
}

/** The blob first and its row after: no row ever points to a blob that is not there. */
async function replaceByBlob(
  context: RetentionContext,
  job: Job,
  group: readonly SizedRow[],
  row: NewSegment,
): Promise<boolean> {
  const { values, blobs, lock, reserved } = context
  const id = await lock.run(async () => {
    const free = await nextBlobId(values)
    reserved.add(free)
    await values.commit([reserveBlob({ id: free, jobId: job.id })])
    return free
  })
  try {
    await blobs.put(blobKey(job.id, id), row.body)
    const writer = new ByteWriter(8)
    writer.unsigned(id)
    const statements = [
      ...deleteSegments(group),
      ...writeSegments([{ ...row, body: writer.finish() }]),
      keepBlob(id),
    ]
    return await commitUnlessForgotten(context, job, () => Promise.resolve(statements))
  } finally {
    // What came to nothing is swept from now on.
    reserved.delete(id)
  }
}
