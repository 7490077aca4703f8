import type { Value } from '../../../ports/job-actors.ts'
import { ByteWriter, SAMPLES_PER_BODY_MAX } from '../../history/bytes.ts'
import { encodeHead } from '../../history/heads.ts'
import type { Samples } from '../../history/samples.ts'
import type { Job } from '../job.ts'
import { decodeBody, packSeries, SEGMENT_BOUNDS } from '../series.ts'
import { keepBlob, nextBlobId, reserveBlob } from '../store/blobs.ts'
import { deleteSegments, readBodies, writeSegments } from '../store/segments.ts'
import type { NewSegment, SegmentKey, SizedRow } from '../store/segments.ts'
import { blobKey, deflate } from './bodies.ts'
import { commitWhileHere } from './tidying.ts'
import type { Tidying } from './tidying.ts'

/** A blob takes pages of a disk and a request of its own: it fills two pages, and hardly less. */
const CHUNK_BYTES = 8 * 1024
/** No row of several samples is larger: a chunk that cannot take one more is full. */
const ROW_BYTES = 1_024
/** Constant samples never make so many bytes; a row of so many is as good. */
const CHUNK_SAMPLES = 32_768
/** What is smaller stays in the database. */
const BLOB_MIN_BYTES = 4 * 1024

/** Makes large chunks of the cold segments of a series, and moves these to the blobs; what is too little for that is
 * packed into fewer rows. Where the blobs are away, the segments stay where they are. */
export async function coolSegments(tidying: Tidying, job: Job, rows: readonly SizedRow[]): Promise<void> {
  for (const group of groupsOf(rows)) {
    const bodies = await tidying.lock.run(() => readBodies(tidying.values, group.rows))
    const samples: { at: number[]; values: Value[] } = { at: [], values: [] }
    for (const [index, body] of bodies.entries()) {
      if (!body) return
      const part = decodeBody(group.rows[index]?.series ?? 0, body)
      for (const at of part.at) samples.at.push(at)
      for (const value of part.values) samples.values.push(value)
    }
    const isHere = group.isChunk
      ? await makeChunk(tidying, job, group.rows, samples)
      : await packTighter(tidying, job, group.rows, samples)
    if (!isHere) return
    await tidying.turn()
  }
}

async function makeChunk(
  tidying: Tidying,
  job: Job,
  rows: readonly SizedRow[],
  samples: Samples<Value>,
): Promise<boolean> {
  const [first] = rows
  if (!first) return true
  const [chunk] = packSeries(first.series, samples, {
    countMax: SAMPLES_PER_BODY_MAX,
    sizeMaxBytes: Infinity,
  })
  if (!chunk) return true
  const deflated = await deflate(chunk.body)
  const isDeflated = deflated.length < chunk.body.length
  const body = isDeflated ? deflated : chunk.body
  const isBlob = body.length >= BLOB_MIN_BYTES
  const row = { ...keyOf(first), head: encodeHead(chunk.summary, { isDeflated, isBlob }), body }
  return isBlob ? replaceByBlob(tidying, job, rows, row) : replace(tidying, job, rows, [row])
}

/** The bound on samples is for segments that are written again and again; these fill their rows. */
function packTighter(
  tidying: Tidying,
  job: Job,
  rows: readonly SizedRow[],
  samples: Samples<Value>,
): Promise<boolean> {
  const [first] = rows
  if (!first) return Promise.resolve(true)
  const bounds = { countMax: CHUNK_SAMPLES, sizeMaxBytes: SEGMENT_BOUNDS.sizeMaxBytes }
  const packed = packSeries(first.series, samples, bounds)
  const froms = new Set(packed.map(({ summary }) => summary.from))
  // Where one instant fills several rows, their places are left as they are.
  const isPlain = froms.size === packed.length && !froms.has(samples.at.at(-1) ?? 0)
  if (!isPlain || packed.length >= rows.length) return Promise.resolve(true)
  return replace(
    tidying,
    job,
    rows,
    packed.map((segment, index) => ({
      ...keyOf(first),
      from: segment.summary.from,
      place: index === 0 ? first.place : 0,
      head: segment.head,
      body: segment.body,
    })),
  )
}

function keyOf({ jobId, series, level, from, place }: SizedRow): SegmentKey {
  return { jobId, series, level, from, place }
}

/** Neighbours of one level that together are worth writing anew. */
function groupsOf(rows: readonly SizedRow[]): readonly Group[] {
  const groups = [new Group()]
  for (const row of rows) {
    const last = groups.at(-1)
    const isRaw = !row.head.isBlob && !row.head.isDeflated
    const fits = isRaw && last?.takes(row) === true
    if (!fits) groups.push(new Group())
    if (isRaw) groups.at(-1)?.add(row)
  }
  return groups.filter((group) => group.isChunk || group.isLoose)
}

class Group {
  readonly rows: SizedRow[] = []
  #sizeBytes = 0
  #count = 0

  /** So many samples or bytes that they are worth a body of their own. */
  get isChunk(): boolean {
    return (
      this.rows.length > 1 && (this.#sizeBytes > CHUNK_BYTES - ROW_BYTES || this.#count > CHUNK_SAMPLES / 2)
    )
  }

  /** In rows so small that a fifth of them can be saved. */
  get isLoose(): boolean {
    return Math.ceil(this.#sizeBytes / SEGMENT_BOUNDS.sizeMaxBytes) + 1 < this.rows.length * 0.8
  }

  takes(row: SizedRow): boolean {
    const isNeighbour = this.rows.length === 0 || this.rows.at(-1)?.level === row.level
    const isRoom = this.#sizeBytes + row.sizeBytes <= CHUNK_BYTES || this.rows.length === 0
    return isNeighbour && isRoom && this.#count + row.head.count <= CHUNK_SAMPLES
  }

  add(row: SizedRow): void {
    this.rows.push(row)
    this.#sizeBytes += row.sizeBytes
    this.#count += row.head.count
  }
}

function replace(
  tidying: Tidying,
  job: Job,
  rows: readonly SizedRow[],
  by: readonly NewSegment[],
): Promise<boolean> {
  return commitWhileHere(tidying, job, () => Promise.resolve([...deleteSegments(rows), ...writeSegments(by)]))
}

/** The blob first and its row after: no row ever points to a blob that is not there. */
async function replaceByBlob(
  tidying: Tidying,
  job: Job,
  group: readonly SizedRow[],
  row: NewSegment,
): Promise<boolean> {
  const { values, blobs, lock, reserved } = tidying
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
    return await commitWhileHere(tidying, job, () => Promise.resolve(statements))
  } finally {
    // What came to nothing is swept from now on.
    reserved.delete(id)
  }
}
