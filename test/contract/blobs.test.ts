import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { mkdir, mkdtemp, open, readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { startStorage } from '../hosts/storage.ts'
import { blobsContract } from './blobs.contract.ts'
import { rejection } from './rejection.ts'

const folder = await mkdtemp(join(FAST_DIR, 'tidemark-blobs-'))
afterAll(() => rm(folder, { recursive: true }))
const logged: string[] = []
const log = jsonLog((line) => logged.push(line))

blobsContract('a directory', async () => {
  const blobs = await openBlobsDirectory(join(folder, 'contract'), log)
  return { blobs, close: () => Promise.resolve() }
})

const storage = await startStorage()
afterAll(() => storage.close())

blobsContract('R2', () => Promise.resolve({ blobs: storage.blobs, close: () => Promise.resolve() }))

test('in R2 a put fails by its first error while its upload cannot be aborted', async () => {
  const { failure, logs } = await storage.putTorn()
  expect(failure).toBe('Error: The sender left.')
  expect(logs).toMatch(/"blobs: aborting an upload failed[^"]*","cause":"Error: The bucket is away\./)
})

describe('a directory of blobs', () => {
  test('keeps its blobs when opened again', async () => {
    const root = join(folder, 'again')
    await (await openBlobsDirectory(root, log)).put('a/b', new Uint8Array([1, 2]))
    const again = await openBlobsDirectory(root, log)
    expect(await new Response((await again.get('a/b'))?.body).bytes()).toEqual(new Uint8Array([1, 2]))
  })

  test('makes a large blob durable in pieces of 4 MiB', async () => {
    const blobs = await openBlobsDirectory(join(folder, 'pieces'), log)
    const file = await open(folder, 'r')
    const synced = spyOn(Object.getPrototypeOf(file) as typeof file, 'datasync')
    await file.close()
    try {
      await blobs.put('a', new Blob([new Uint8Array(10 * 1024 * 1024)]).stream())
      expect(synced).toHaveBeenCalledTimes(2)
      await blobs.put('b', new Uint8Array(10 * 1024 * 1024))
      expect(synced).toHaveBeenCalledTimes(4)
    } finally {
      synced.mockRestore()
    }
  })

  test('leaves no temporary file, and removes those of a process that died', async () => {
    const root = join(folder, 'leftovers')
    const temporary = join(root, '@tmp')
    await mkdir(temporary, { recursive: true })
    await Bun.write(join(temporary, 'old'), 'half a blob')
    await Bun.write(join(temporary, 'new'), 'of another process')
    await utimes(join(temporary, 'old'), 0, 0)
    const blobs = await openBlobsDirectory(root, log)
    await blobs.put('a', new Uint8Array(10))
    expect(
      await rejection(blobs.put('b', new ReadableStream({ pull: () => Promise.reject(new Error('gone')) }))),
    ).toBeInstanceOf(Error)
    expect(await readdir(temporary)).toEqual(['new'])
    expect(await blobs.list('')).toEqual(['a'])
  })

  test('a put fails by its first error while its files cannot be closed', async () => {
    const blobs = await openBlobsDirectory(join(folder, 'closing'), log)
    const file = await open(folder, 'r')
    const close: (this: typeof file) => Promise<void> = Reflect.get(file, 'close')
    await file.close()
    const closed = spyOn(Object.getPrototypeOf(file) as typeof file, 'close')
    closed.mockImplementation(async function closeAndFail(this: typeof file) {
      await close.call(this)
      throw new Error('The disk is away.')
    })
    try {
      const body = new ReadableStream({ pull: () => Promise.reject(new Error('The sender left.')) })
      expect(String(await rejection(blobs.put('a', body)))).toBe('Error: The sender left.')
      expect(logged.join('\n')).toMatch(/"blobs: closing a file failed","cause":"Error: The disk is away\./)
    } finally {
      closed.mockRestore()
    }
  })

  test.if(process.platform === 'linux')('holds no file open, even of bodies that nobody reads', async () => {
    const blobs = await openBlobsDirectory(join(folder, 'descriptors'), log)
    await blobs.put('a', new Uint8Array(300_000))
    const before = await openFiles()
    for (let round = 0; round < 200; round += 1) {
      await blobs.get('a')
      await (await blobs.get('a'))?.body.cancel()
      await new Response((await blobs.get('a'))?.body).arrayBuffer()
    }
    for (let tries = 0; tries < 50 && (await openFiles()) > before + 20; tries += 1) {
      Bun.gc(true)
      await Bun.sleep(10)
    }
    expect(await openFiles()).toBeLessThanOrEqual(before + 20)
  })
})

async function openFiles(): Promise<number> {
  return (await readdir('/proc/self/fd')).length
}
