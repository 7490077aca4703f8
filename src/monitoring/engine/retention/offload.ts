import type { Value } from '../../../domain/delivery.ts'
import { ByteWriter, SAMPLES_PER_BODY_MAX } from '../../../timeseries/bytes.ts'
import { encodeHeader } from '../../../timeseries/segment-header.ts'
import { joinSamples } from '../../../timeseries/samples.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Segment } from '../../../timeseries/segments.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { Job } from '../head/job.ts'
import { decodeBody, packSeries, SEGMENT_BOUNDS } from '../blocks/series.ts'
import { keepBlob, nextBlobId, reserveBlob } from '../store/blobs.ts'
import { deleteSegments, readBodies, writeSegments } from '../store/segments.ts'
import type { NewSegment, SegmentKey, SizedRow } from '../store/segments.ts'
import { blobKey, deflate } from '../blocks/segment-body.ts'
import type { SegmentRewrites } from './rewrites.ts'
import { commitUnlessForgotten } from './context.ts'
import type { RetentionContext } from './context.ts'

/** Constant samples never fill a blob; a row of so many is as good. */
const CHUNK_SAMPLES = SAMPLES_PER_BODY_MAX
/** Packing is worth it where it saves a fifth of the rows. */
const LOOSE_SHARE = 0.8
/** A last wide row that is fuller than this wastes less than small rows would. */
const WIDE_SHARE = 0.9

/** An SQLite row of so many bytes fills an overflow page and a quarter of a page in the tree. A slightly larger row, or one
 * between this and the size of a segment, would leave most of a page empty. */
const WIDE_BYTES = SEGMENT_BOUNDS.sizeMaxBytes + 4_092
/** Rows that are packed into one take less than their sum. */
const WIDEN_FROM_BYTES = WIDE_BYTES + 2 * SEGMENT_BOUNDS.sizeMaxBytes

export type OffloadContext = {
  readonly context: RetentionContext
  readonly rewrites: SegmentRewrites
  readonly job: Job
}

/** Moves the cold segments of a series into blobs, as many as they fill; the others are packed into fewer rows. Segments
 * stay in the database while the blobs are unavailable. */
export async function offloadSegments(offload: OffloadContext, rows: readonly SizedRow[]): Promise<void> {
  const { context } = offload
  for (const group of groupsOf(rows, context.blocks.blobBytes)) {
    const isKnown = group.isFull ? await makeChunk(offload, group.rows) : await packRest(offload, group.rows)
    if (!isKnown) return
    await context.blocks.host.turn()
  }
}

/** The samples of these segments as one list; null where a segment is gone. */
async function readSamples(
  { values, lock }: Blocks,
  rows: readonly SizedRow[],
): Promise<Samples<Value> | null> {
  const bodies = await lock.run(() => readBodies(values, rows))
  const parts: Samples<Value>[] = []
  for (const [index, body] of bodies.entries()) {
    if (!body) return null
    parts.push(decodeBody(rows[index]?.series ?? 0, body))
  }
  return joinSamples(parts)
}

/** False when the job was forgotten meanwhile. */
async function makeChunk(offload: OffloadContext, rows: readonly SizedRow[]): Promise<boolean> {
  const { context, rewrites, job } = offload
  const [first] = rows
  const samples = await readSamples(context.blocks, rows)
  if (!first || !samples) return samples !== null
  const [chunk] = packSeries(first.series, samples, { countMax: CHUNK_SAMPLES, sizeMaxBytes: Infinity })
  if (!chunk) return true
  const deflated = await deflate(chunk.body)
  const isDeflated = deflated.length < chunk.body.length
  const body = isDeflated ? deflated : chunk.body
  const isBlob = body.length * 4 >= context.blocks.blobBytes
  const row = { ...keyOf(first), head: encodeHeader(chunk.summary, { isDeflated, isBlob }), body }
  if (isBlob) return replaceByBlob(context, job, rows, row)
  await rewrites.add(job, rows, [row])
  return true
}

/** Packs segments that do not fill a blob: small rows become wide rows, or at least fewer. */
async function packRest(offload: OffloadContext, rows: readonly SizedRow[]): Promise<boolean> {
  for (const run of smallRunsOf(rows)) {
    const sizeBytes = run.reduce((sum, row) => sum + row.sizeBytes, 0)
    const isWorthIt = sizeBytes >= WIDEN_FROM_BYTES || rowsOf(sizeBytes) < run.length * LOOSE_SHARE
    if (isWorthIt && !(await packTighter(offload, run))) return false
  }
  return true
}

/** The maximum number of small rows for so many bytes. */
function rowsOf(sizeBytes: number): number {
  const share = sizeBytes / SEGMENT_BOUNDS.sizeMaxBytes
  return share <= 0.5 ? 1 : Math.ceil(share) + 1
}

/** Ignores the bound on samples: these segments fill their rows by size. */
async function packTighter(offload: OffloadContext, rows: readonly SizedRow[]): Promise<boolean> {
  const { context, rewrites, job } = offload
  const [first] = rows
  const samples = await readSamples(context.blocks, rows)
  if (!first || !samples) return samples !== null
  const packed = packRows(first.series, samples)
  const froms = new Set(packed.map(({ summary }) => summary.from))
  // Rows of one instant keep their places.
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

/** Wide rows; the samples of a last one that is not full go into small rows. */
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

/** Groups neighbouring segments of one level, as many as fit into a blob. */
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
  /** True once a segment did not fit. */
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

/** Writes the blob before the row that refers to it: no row ever refers to a missing blob. */
async function replaceByBlob(
  context: RetentionContext,
  job: Job,
  group: readonly SizedRow[],
  row: NewSegment,
): Promise<boolean> {
  const { values, blobs, lock, reserved } = context.blocks
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
    // From now on a blob without a row is swept.
    reserved.delete(id)
  }
}
