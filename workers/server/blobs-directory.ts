import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import {
  checkBlobKey,
  checkBlobPrefix,
  checkByteSpan,
  type Blobs,
  type ByteSpan,
} from '../../src/ports/blobs.ts'
import { cleanUp } from '../../src/ports/log.ts'
import type { Log } from '../../src/ports/log.ts'

type ErrorLog = Pick<Log, 'error'>

/** Blobs that are files, which other processes of this machine can read. */
export type BlobFiles = Blobs & {
  /** The path of the file of a key, which may not exist. */
  fileOf(key: string): string
}

/**
 * Blobs in a directory of the local file system, which is created when missing and belongs to this store alone.
 * The file system must distinguish upper and lower case.
 */
export async function openBlobsDirectory(path: string, log: ErrorLog): Promise<BlobFiles> {
  const root = resolve(path)
  await mkdir(join(root, TEMPORARY), { recursive: true, mode: 0o700 })
  await syncDirectory(dirname(root), log)
  await removeLeftovers(join(root, TEMPORARY))
  return {
    async put(key, body) {
      const file = pathOf(root, key)
      const temporary = join(root, TEMPORARY, randomUUID())
      try {
        await writeDurably(temporary, body, log)
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        await rename(temporary, file)
      } catch (error) {
        await cleanUp(log, 'blobs: deleting a temporary file failed; a start after a day deletes it', () =>
          rm(temporary, { force: true }),
        )
        throw error
      }
      for (let directory = dirname(file); ; directory = dirname(directory)) {
        await syncDirectory(directory, log)
        if (directory === root) break
      }
    },

    async get(key, span) {
      const descriptor = await openFile(pathOf(root, key), 'r').catch(nullIfMissing)
      if (descriptor === null) return null
      const { size } = fs.fstatSync(descriptor)
      try {
        if (span) checkByteSpan(span, size)
      } catch (error) {
        await cleanUp(log, CLOSING_FAILED, () => closeFile(descriptor))
        throw error
      }
      const read = span ?? { offsetBytes: 0, sizeBytes: size }
      return { body: streamFile(descriptor, read, log), sizeBytes: read.sizeBytes }
    },

    async delete(key) {
      const file = pathOf(root, key)
      if ((await unlink(file).catch(nullIfMissing)) !== null) await syncDirectory(dirname(file), log)
    },

    async list(prefix) {
      checkBlobPrefix(prefix)
      const keys: string[] = []
      await collectKeys({ directory: root, begins: '' }, prefix, keys)
      return keys.sort()
    },

    fileOf: (key) => pathOf(root, key),
  }
}

// These marks are in no key, so the file of `a`, the directory of `a/b` and the store's own names never meet.
const FILE_MARK = '@'
const CONTINUED_MARK = '+'
const TEMPORARY = '@tmp'

const CLOSING_FAILED = 'blobs: closing a file failed'

// A name in a key may be longer than a file system allows. The rest of the name is then a directory below.
function pathOf(root: string, key: string): string {
  checkBlobKey(key)
  const names = key.split('/').map((name) => name.replace(LONG_NAME, `$&${CONTINUED_MARK}/`))
  return join(root, ...names) + FILE_MARK
}

// Two characters at least are left over, because a lone dot would be the directory itself.
const LONG_NAME = /.{200}(?=..)/g

async function collectKeys(
  from: { directory: string; begins: string },
  prefix: string,
  keys: string[],
): Promise<void> {
  for (const entry of await readdir(from.directory, { withFileTypes: true })) {
    const { name } = entry
    if (entry.isFile() && name.endsWith(FILE_MARK)) {
      const key = from.begins + name.slice(0, -FILE_MARK.length)
      if (key.startsWith(prefix)) keys.push(key)
    } else if (entry.isDirectory() && name !== TEMPORARY) {
      const continued = name.endsWith(CONTINUED_MARK)
      const begins = from.begins + (continued ? name.slice(0, -CONTINUED_MARK.length) : `${name}/`)
      if (!begins.startsWith(prefix) && !prefix.startsWith(begins)) continue
      await collectKeys({ directory: join(from.directory, name), begins }, prefix, keys)
    }
  }
}

// The write-ahead log of values on the same disk waits for each flush: a flush of 100 MB takes 40 ms.
const SYNCED_BYTES = 4 * 1024 * 1024

async function writeDurably(
  path: string,
  body: Uint8Array | ReadableStream<Uint8Array>,
  log: ErrorLog,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    let pending = 0
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      for (let written = 0; written < chunk.length;) {
        const most = Math.min(chunk.length - written, SYNCED_BYTES - pending)
        const { bytesWritten } = await file.write(chunk, written, most)
        written += bytesWritten
        pending += bytesWritten
        if (pending < SYNCED_BYTES) continue
        await file.datasync()
        pending = 0
      }
    }
    await file.sync()
  } finally {
    await cleanUp(log, CLOSING_FAILED, () => file.close())
  }
}

async function syncDirectory(path: string, log: ErrorLog): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await cleanUp(log, CLOSING_FAILED, () => directory.close())
  }
}

// Removes files of processes that ended during a put. A put of another process takes less than a day.
async function removeLeftovers(directory: string): Promise<void> {
  const dayAgo = Date.now() - 24 * 60 * 60 * 1000
  for (const name of await readdir(directory)) {
    const found = await stat(join(directory, name)).catch(nullIfMissing)
    if (found !== null && found.mtimeMs < dayAgo) await rm(join(directory, name), { force: true })
  }
}

const openFile = promisify(fs.open)
const closeFile = promisify(fs.close)

const CHUNK_BYTES = 256 * 1024

function streamFile(
  descriptor: number,
  { offsetBytes, sizeBytes }: ByteSpan,
  log: ErrorLog,
): ReadableStream<Uint8Array> {
  const end = offsetBytes + sizeBytes
  let position = offsetBytes
  let reading: Promise<number> = Promise.resolve(0)
  const token = {}
  const close = async () => {
    if (!abandoned.unregister(token)) return
    await reading.catch(() => 0)
    await cleanUp(log, CLOSING_FAILED, () => closeFile(descriptor))
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, end - position))
        reading = readChunk(descriptor, chunk, position)
        try {
          position += await reading
        } catch (error) {
          await close()
          throw error
        }
        if (chunk.length > 0) controller.enqueue(chunk)
        if (position < end) return
        await close()
        controller.close()
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
  abandoned.register(stream, descriptor, token)
  return stream
}

// An unread body, such as the body of a response to HEAD, must not keep its file open.
const abandoned = new FinalizationRegistry<number>((descriptor) => fs.closeSync(descriptor))

const readFile = promisify(fs.read)

async function readChunk(descriptor: number, chunk: Uint8Array, position: number): Promise<number> {
  for (let filled = 0; filled < chunk.length;) {
    const { bytesRead } = await readFile(descriptor, chunk, filled, chunk.length - filled, position + filled)
    if (bytesRead === 0) throw new Error('The file ended before its size.')
    filled += bytesRead
  }
  return chunk.length
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
