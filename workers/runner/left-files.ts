import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** A directory of a run, opened before the run began. Reads return files in this directory and never follow a link, even if
 * the run replaces the directory or its content. */
export class JobDirectory {
  readonly #handle: FileHandle

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async open(path: string): Promise<JobDirectory> {
    return new JobDirectory(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
  }

  /** The names in it, in order. */
  async names(): Promise<string[]> {
    return (await readdir(inside(this.#handle))).toSorted()
  }

  /** The bytes of a file, `sizeMaxBytes` of them at most; null where there is no such plain file.
   * @param path from this directory, with slashes between */
  async read(path: string, sizeMaxBytes: number): Promise<Uint8Array | null> {
    const parts = path.split('/').filter((part) => part !== '' && part !== '.')
    if (parts.length === 0 || parts.includes('..') || path.startsWith('/')) return null
    const opened: FileHandle[] = []
    try {
      let at = this.#handle
      for (const [index, part] of parts.entries()) {
        const kind = index < parts.length - 1 ? O_DIRECTORY : O_NONBLOCK
        at = await open(`${inside(at)}/${part}`, O_RDONLY | O_NOFOLLOW | kind)
        opened.push(at)
      }
      return await readPlain(at, sizeMaxBytes)
    } catch (error) {
      if (isAbsence(error)) return null
      throw error
    } finally {
      for (const handle of opened) await handle.close()
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

const inside = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`

async function readPlain(file: FileHandle, sizeMaxBytes: number): Promise<Uint8Array | null> {
  const stat = await file.stat()
  // A second name may belong to a file outside the run's directory.
  if (!stat.isFile() || stat.nlink !== 1) return null
  const bytes = new Uint8Array(Math.min(stat.size, sizeMaxBytes))
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

/** The codes for a missing file, a link, a file in place of a directory, a socket, an unreadable file and an invalid name. */
const ABSENCES = new Set([
  'ENOENT',
  'ELOOP',
  'ENOTDIR',
  'ENXIO',
  'EACCES',
  'ENAMETOOLONG',
  'EINVAL',
  'ERR_INVALID_ARG_VALUE',
])

function isAbsence(error: unknown): boolean {
  return ABSENCES.has((error as NodeJS.ErrnoException).code ?? '')
}
