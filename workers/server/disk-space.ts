import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Log } from '../../src/ports/log.ts'

const LOOK_MS = 250
/** The part of the disk that deliveries leave for deletes and the system database; of a small disk an eighth. */
const LOW_BYTES = 64 * 1024 * 1024
/** The copies of a write on the disk: one in the write-ahead log, one in the file. */
const COPIES = 2
/** The reserve that is released when other programs have filled even that part: enough for deletes. */
const BALLAST_BYTES = 16 * 1024 * 1024

/** The room on the disk that holds the data. */
export type DiskSpace = {
  /** The bytes that may be stored before the free part is touched; negative when it is. */
  readonly bytes: number
  /** Counts bytes that are about to be stored, at their size on the disk, until the next check of the disk. */
  spend(bytes: number): void
  /** Releases the ballast at once, because a write has failed on the full disk. */
  ranOut(): void
  close(): Promise<void>
}

/** Checks the disk of `dataDir` four times a second from now on. When this resolves, the ballast is on the disk if it has room.
 * `freeInside` reads the bytes that are free inside the databases, where deletes free them. */
export async function watchDiskSpace(
  dataDir: string,
  log: Log,
  freeInside: () => Promise<number>,
): Promise<DiskSpace> {
  const room = new WatchedDisk(dataDir, log, freeInside)
  await room.look()
  room.start()
  return room
}

class WatchedDisk implements DiskSpace {
  readonly #dataDir: string
  readonly #ballast: string
  readonly #log: Log
  readonly #freeInside: () => Promise<number>
  #bytes = 0
  /** The bytes written since the last check of the disk. */
  #spentBytes = 0
  #hasBallast: boolean | null = null
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()

  constructor(dataDir: string, log: Log, freeInside: () => Promise<number>) {
    this.#dataDir = dataDir
    this.#ballast = join(dataDir, 'ballast')
    this.#log = log
    this.#freeInside = freeInside
  }

  get bytes(): number {
    return this.#bytes - COPIES * this.#spentBytes
  }

  spend(bytes: number): void {
    this.#spentBytes += bytes
  }

  ranOut(): void {
    this.#tell(-1)
    this.#looking = this.#looking.then(() => this.#give())
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#looking = this.#looking
        .then(() => this.look())
        .catch((error: unknown) =>
          this.#log.error('disk space: reading the free space failed; retrying', error),
        )
    }, LOOK_MS)
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    await this.#looking
  }

  async look(): Promise<void> {
    const seenBytes = this.#spentBytes
    const { bavail, blocks, bsize } = await statfs(this.#dataDir)
    const freeBytes = bavail * bsize
    const lowBytes = Math.min(LOW_BYTES, (blocks * bsize) / 8)
    const ballastBytes = Math.min(BALLAST_BYTES, (blocks * bsize) / 32)
    // First, because the next steps may write.
    if (freeBytes < lowBytes / 4) await this.#give()
    if (freeBytes > lowBytes + 2 * ballastBytes) await this.#take(ballastBytes)
    this.#tell(freeBytes + (await this.#freeInside()) - lowBytes)
    this.#spentBytes -= seenBytes
  }

  #tell(bytes: number): void {
    if (bytes < 0 && this.#bytes >= 0)
      this.#log.warn('disk space: the disk is nearly full; deliveries are rejected until there is free space')
    if (bytes >= 0 && this.#bytes < 0) this.#log.info('disk space: deliveries are accepted again')
    this.#bytes = bytes
  }

  async #give(): Promise<void> {
    if (this.#hasBallast === false) return
    await rm(this.#ballast, { force: true })
    this.#hasBallast = false
  }

  async #take(sizeBytes: number): Promise<void> {
    if (this.#hasBallast === true) return
    // With written bytes, because a sparse file would free no space.
    await writeFile(this.#ballast, new Uint8Array(sizeBytes))
    this.#hasBallast = true
  }
}
