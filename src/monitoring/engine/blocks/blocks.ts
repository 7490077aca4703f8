import { Mutex } from '../../../lib/mutex.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { EngineHost } from '../host.ts'
import type { ReadCounts } from './segment-body.ts'
import { WriteCounter } from './write-counter.ts'

/** A file takes whole pages of a disk, a job's folder another page, and a blob a request of its own. */
const BLOB_BYTES = 64 * 1024

/** Segments, rollups and blobs: the samples of jobs up to their last flush. */
export class Blocks {
  readonly host: EngineHost
  readonly values: WriteCounter
  readonly blobs: Blobs
  /** The maximum size of a blob; the minimum is a quarter of it. */
  readonly blobBytes: number
  /** Held while the head and the database are read as one, or changed together. */
  readonly lock: Mutex
  /** Held while rows of a job are moved or copied. */
  readonly layoutLock = new Mutex()
  /** Blobs that are being written: no row refers to them yet, and they must not be swept. */
  readonly reserved = new Set<number>()
  /** Counts since the engine was opened. */
  readonly touched: ReadCounts = { rollups: 0, segments: 0, decoded: 0, blobs: 0 }

  constructor(host: EngineHost, lock: Mutex) {
    this.host = host
    this.values = new WriteCounter(host.values)
    this.blobs = host.blobs
    this.blobBytes = host.blobBytes ?? BLOB_BYTES
    this.lock = lock
  }
}
