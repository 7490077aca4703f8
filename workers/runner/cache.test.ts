import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { FileCache } from './cache.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidemark-cache-'))
})
afterEach(() => rm(dir, { recursive: true }))

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const never = () => Promise.reject(new Error('It was fetched.'))

test('a file that was fetched once is there, even if its copy was altered', async () => {
  const bytes = new TextEncoder().encode('some bytes')
  const name = digestOf(bytes)
  const cache = await FileCache.open(dir)
  expect(await cache.read(name, () => Promise.resolve(bytes))).toEqual(bytes)
  expect(await cache.read(name, never)).toEqual(bytes)
  for (const spoilt of ['', 'some bytez']) {
    await writeFile(join(dir, name), spoilt)
    expect(await cache.read(name, () => Promise.resolve(bytes))).toEqual(bytes)
    expect(await cache.read(name, never)).toEqual(bytes)
  }
})

test('bytes that are not those that were asked for are refused and not kept', async () => {
  const cache = await FileCache.open(dir)
  const other = () => Promise.resolve(new TextEncoder().encode('other'))
  // oxlint-disable-next-line typescript/await-thenable -- Bun's type of `rejects` lacks the promise
  await expect(cache.read('0'.repeat(64), other)).rejects.toThrow('digest of a downloaded file')
  // oxlint-disable-next-line typescript/await-thenable -- as above
  await expect(cache.read('../outside', other)).rejects.toThrow(RangeError)
  expect(await readdir(dir)).toEqual([])
})

test('as many bytes stay as may, those that were used last', async () => {
  const files = [1, 2, 3, 4].map((fill) => new Uint8Array(100).fill(fill))
  const cache = await FileCache.open(dir)
  for (const [index, bytes] of files.entries()) {
    await cache.read(digestOf(bytes), () => Promise.resolve(bytes))
    await utimes(join(dir, digestOf(bytes)), index, index)
  }
  const names = files.map(digestOf)
  await FileCache.open(dir, 400)
  expect((await readdir(dir)).toSorted()).toEqual(names.toSorted())
  await FileCache.open(dir, 399)
  expect((await readdir(dir)).toSorted()).toEqual(names.slice(1).toSorted())
})
