import type { Value } from '../../../ports/job-actors.ts'
import { ByteWriter, SAMPLES_PER_BODY_MAX } from '../../history/bytes.ts'
import { encodeHead } from '../../history/heads.ts'
import type { Job } from '../job.ts'
import { decodeBody, packSeries } from '../series.ts'
import { keepBlob, nextBlobId, reserveBlob } from '../store/blobs.ts'
import { deleteSegments, readBodies, writeSegments } from '../store/segments.ts'
import type { NewSegment, SizedRow } from '../store/segments.ts'
import { blobKey, deflate } from './bodies.ts'
import { commitWhileHere } from './tidying.ts'
import type { Tidying } from './tidying.ts'

/** A blob takes pages of a disk or a request of its own: below this it is dearer than a few rows. */
const CHUNK_BYTES = 16 * 1024
/** Constant samples never make so many bytes; a row of so many is as good. */
const CHUNK_SAMPLES = 32_768
/** What is smaller stays in the database. */
const BLOB_MIN_BYTES = 4 * 1024

/** Makes large chunks of the cold segments of a series, and moves these to the blobs. Where they are away, the segments
 * stay where they are. */
export async function coolSegments(tidying: Tidying, job: Job, rows: readonly SizedRow[]): Promise<void> {
  for (const group of groupsOf(rows)) {
    const bodies = await tidying.lock.run(() => readBodies(tidying.values, group))
    const [first] = group
    if (!first || bodies.includes(null)) return
    const samples: { at: number[]; values: Value[] } = { at: [], values: [] }
    for (const body of bodies) {
      const part = decodeBody(first.series, body ?? new Uint8Array())
      for (const at of part.at) samples.at.push(at)
      for (const value of part.values) samples.values.push(value)
    }
    const [chunk] = packSeries(first.series, samples, {
      countMax: SAMPLES_PER_BODY_MAX,
      sizeMaxBytes: Infinity,
    })
    if (!chunk) return
    const deflated = await deflate(chunk.body)
    const isDeflated = deflated.length < chunk.body.length
    const body = isDeflated ? deflated : chunk.body
    const isBlob = body.length >= BLOB_MIN_BYTES
    const head = encodeHead(chunk.summary, { isDeflated, isBlob })
    const { jobId, series, level, from, place } = first
    const row = { jobId, series, level, from, place, head, body }
    if (!(await (isBlob ? replaceByBlob(tidying, job, group, row) : replace(tidying, job, group, row))))
      return
    await tidying.turn()
  }
}

/** Neighbours of one level that together are worth a chunk. */
function groupsOf(rows: readonly SizedRow[]): readonly (readonly SizedRow[])[] {
  const groups: SizedRow[][] = []
  let group = new Group()
  for (const row of rows) {
    if (row.head.isBlob || row.head.isDeflated) {
      group = new Group()
      continue
    }
    if (!group.takes(row)) {
      if (group.isWorthIt) groups.push(group.rows)
      group = new Group()
    }
    group.add(row)
    if (group.sizeBytes < CHUNK_BYTES) continue
    groups.push(group.rows)
    group = new Group()
  }
  return groups.filter((one) => one.length > 1)
}

class Group {
  readonly rows: SizedRow[] = []
  sizeBytes = 0
  count = 0

  /** So few bytes that only the number of samples ended the group. */
  get isWorthIt(): boolean {
    return this.count > CHUNK_SAMPLES / 2
  }

  takes(row: SizedRow): boolean {
    const isNeighbour = this.rows.length === 0 || this.rows.at(-1)?.level === row.level
    return isNeighbour && this.count + row.head.count <= CHUNK_SAMPLES
  }

  add(row: SizedRow): void {
    this.rows.push(row)
    this.sizeBytes += row.sizeBytes
    this.count += row.head.count
  }
}

function replace(tidying: Tidying, job: Job, group: readonly SizedRow[], row: NewSegment): Promise<boolean> {
  return commitWhileHere(tidying, job, () =>
    Promise.resolve([...deleteSegments(group), ...writeSegments([row])]),
  )
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
