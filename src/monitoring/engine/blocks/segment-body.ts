import type { Blobs } from '../../../ports/blobs.ts'
import type { ValuesDatabase } from '../../../ports/values-database.ts'
import type { Value } from '../../../domain/delivery.ts'
import { ByteReader } from '../../../timeseries/bytes.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import { decodeBody } from './series.ts'
import { readBodies } from '../store/segments.ts'
import type { SegmentRow } from '../store/segments.ts'

/** A segment with its body as the database has it: the samples, or the id of a blob. */
export type StoredSegment = { readonly row: SegmentRow; readonly body: Uint8Array }

/** Counters of reads since the engine was opened. */
export type ReadCounts = {
  /** Rows of rollups. */
  rollups: number
  /** Segments whose head was read. */
  segments: number
  /** Segments whose samples were decoded. */
  decoded: number
  /** Segments that were fetched from the blobs. */
  blobs: number
}

/** A segment was moved between the read of its row and the read of its blob. A second read finds it. */
export class MissingBlob extends Error {}

/** Segments with their bodies, in the order of the rows. @throws {Error} when a row is gone */
export async function readStored(
  values: ValuesDatabase,
  rows: readonly SegmentRow[],
): Promise<readonly StoredSegment[]> {
  const bodies = await readBodies(values, rows)
  return rows.map((row, index) => ({ row, body: bodies[index] ?? missing(row) }))
}

function missing(row: SegmentRow): never {
  throw new Error(`The segment of job ${row.jobId} that begins at ${row.from} vanished while it was read.`)
}

/** The samples of a segment, wherever its body is. @throws {MissingBlob} */
export async function samplesOf(
  { row, body }: StoredSegment,
  blobs: Blobs,
  touched: ReadCounts,
): Promise<Samples<Value>> {
  touched.decoded++
  let bytes = body
  if (row.head.isBlob) {
    touched.blobs++
    bytes = await bodyOfBlob(blobs, row.jobId, new ByteReader(body).unsigned())
  }
  return decodeBody(row.series, row.head.isDeflated ? await inflate(bytes) : bytes)
}

/** The bytes of a blob of a job. @throws {MissingBlob} */
export function bodyOfBlob(blobs: Blobs, jobId: number, id: number): Promise<Uint8Array> {
  return fetchBlob(blobs, blobKey(jobId, id))
}

/** The blobs of a job share a beginning. */
export function blobKey(jobId: number, id: number): string {
  return `history/${jobId}/${id}`
}

async function fetchBlob(blobs: Blobs, key: string): Promise<Uint8Array> {
  const blob = await blobs.get(key)
  if (!blob) throw new MissingBlob(`The blob ${key} is missing.`)
  return bytesOf(blob.body)
}

export function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  return bytesOf(streamOf(bytes).pipeThrough(new CompressionStream('deflate-raw')))
}

function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  return bytesOf(streamOf(bytes).pipeThrough(new DecompressionStream('deflate-raw')))
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes))
      controller.close()
    },
  })
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
