import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const BYTES_MAX = 512 * 1024 * 1024

/** Bytes of scripts by their SHA-256, so that the next run need not fetch them. The most recently used stay. */
export class FileCache {
  readonly #dir: string
  readonly #bytesMax: number
  #untidyBytes = 0

  private constructor(dir: string, bytesMax: number) {
    this.#dir = dir
    this.#bytesMax = bytesMax
  }

  /** @param bytesMax the size of all files together */
  static async open(dir: string, bytesMax = BYTES_MAX): Promise<FileCache> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const cache = new FileCache(dir, bytesMax)
    await cache.#tidy()
    return cache
  }

  /** The bytes with this digest, from the cache or from `fetchBytes`.
   * @throws {Error} when other bytes were fetched */
  async read(
    sha256: string,
    fetchBytes: () => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError('A digest must have 64 hexadecimal digits.')
    const path = join(this.#dir, sha256)
    // A machine that lost power may have left less than was written.
    const kept = await readFile(path).catch(() => null)
    if (kept && digestOf(kept) === sha256) {
      const now = new Date(Date.now())
      // Another job may have removed the file meanwhile. The bytes are read already.
      await utimes(path, now, now).catch(() => undefined)
      return new Uint8Array(kept)
    }
    const bytes = await fetchBytes()
    if (digestOf(bytes) !== sha256) throw new Error('The digest of a downloaded file of the script is wrong.')
    await this.#keep(path, bytes)
    return bytes
  }

  async #keep(path: string, bytes: Uint8Array): Promise<void> {
    const unfinished = `${path}.${randomUUID()}`
    await writeFile(unfinished, bytes, { mode: 0o600 })
    await rename(unfinished, path)
    this.#untidyBytes += bytes.length
    if (this.#untidyBytes > this.#bytesMax / 8) await this.#tidy()
  }

  async #tidy(): Promise<void> {
    this.#untidyBytes = 0
    const files = await Promise.all((await readdir(this.#dir)).map((name) => look(join(this.#dir, name))))
    let bytes = 0
    for (const file of files.flat().toSorted((a, b) => b.usedAt - a.usedAt)) {
      bytes += file.sizeBytes
      if (bytes > this.#bytesMax) await rm(file.path, { force: true })
    }
  }
}

async function look(path: string) {
  const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: -1 }))
  return mtimeMs < 0 ? [] : [{ path, sizeBytes: size, usedAt: mtimeMs }]
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
