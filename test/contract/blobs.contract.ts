import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import type { Blobs } from '../../src/ports/blobs.ts'
import { rejection } from './rejection.ts'

/** What every host's `Blobs` does. `open` gives an empty store. */
export function blobsContract(
  name: string,
  open: () => Promise<{ blobs: Blobs; close: () => Promise<void> }>,
): void {
  describe(name, () => {
    let blobs: Blobs
    let close: () => Promise<void>

    beforeAll(async () => {
      ;({ blobs, close } = await open())
    })

    beforeEach(() => clear(blobs))

    afterAll(() => close())

    const current = () => blobs
    storing(current)
    streaming(current)
    spans(current)
    listing(current)
    naming(current)
  })
}

function storing(blobs: () => Blobs): void {
  test.each([0, 1, 1000, 300_000, 9_000_001])('%i bytes come back as they went in', async (sizeBytes) => {
    const bytes = pattern(sizeBytes, 1)
    await blobs().put('a/blob', bytes)
    expect(await read(blobs(), 'a/blob')).toEqual(bytes)
  })

  test('a missing key is null, also beside and below one that exists', async () => {
    await blobs().put('a/blob', pattern(3, 1))
    for (const key of ['b', 'a', 'a/blo', 'a/blob1', 'a/blob/c', 'A/blob'])
      expect(await blobs().get(key)).toBeNull()
  })

  test('put replaces, with fewer bytes too', async () => {
    await blobs().put('key', pattern(1000, 1))
    await blobs().put('key', pattern(10, 2))
    expect(await read(blobs(), 'key')).toEqual(pattern(10, 2))
    expect(await blobs().list('')).toEqual(['key'])
  })

  test('delete removes this key only, and twice is fine', async () => {
    await Promise.all(['a', 'a/b', 'ab'].map((key) => blobs().put(key, pattern(3, 1))))
    await blobs().delete('a')
    await blobs().delete('a')
    await blobs().delete('never/was')
    expect(await blobs().get('a')).toBeNull()
    expect(await blobs().list('')).toEqual(['a/b', 'ab'])
  })

  test('bytes that are being read stay as they were, whatever is put or deleted', async () => {
    await blobs().put('key', pattern(600_000, 1))
    const before = await blobs().get('key')
    await blobs().put('key', pattern(600_000, 2))
    const between = await blobs().get('key')
    await blobs().delete('key')
    expect(await bytesOf(before)).toEqual(pattern(600_000, 1))
    expect(await bytesOf(between)).toEqual(pattern(600_000, 2))
  })

  test('readers among writers get one version, whole', async () => {
    await blobs().put('key', pattern(200_000, 0))
    const writing = Promise.all(
      [1, 2, 3, 4, 5].map((seed) => blobs().put('key', pattern(200_000 + seed, seed))),
    )
    for (let reads = 0; reads < 20; reads += 1) {
      const bytes = await read(blobs(), 'key')
      expect(bytes).toEqual(pattern(bytes.length, bytes.length - 200_000))
    }
    await writing
    expect((await read(blobs(), 'key')).length).toBeGreaterThan(200_000)
  })

  test('a body may be cancelled', async () => {
    await blobs().put('key', pattern(600_000, 1))
    const unread = await blobs().get('key')
    await unread?.body.cancel()
    const reader = (await blobs().get('key'))?.body.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await read(blobs(), 'key')).toEqual(pattern(600_000, 1))
  })
}

function streaming(blobs: () => Blobs): void {
  test.each([
    ['nothing', []],
    ['one byte', [1]],
    ['empty chunks between', [0, 5, 0, 0, 7, 0]],
    ['many small chunks', Array.from({ length: 500 }, (_, index) => index)],
    ['a whole large part', [8 * 1024 * 1024]],
    ['large chunks of odd sizes', [3_000_001, 9_999_999, 1, 6_000_000]],
  ])('a stream of %s is stored whole', async (_, sizes) => {
    const total = sizes.reduce((sum, size) => sum + size, 0)
    await blobs().put('stream', streamOf(sizes))
    expect(await read(blobs(), 'stream')).toEqual(pattern(total, 1))
  })

  test.each([
    ['its first bytes', [1000]],
    ['several parts', [9_000_000, 9_000_000]],
  ])('a stream that fails after %s changes nothing', async (_, sizes) => {
    await blobs().put('stream', pattern(10, 2))
    const failure = new Error('The sender went away')
    expect(await rejection(blobs().put('stream', streamOf(sizes, failure)))).toBeInstanceOf(Error)
    expect(await rejection(blobs().put('other', streamOf(sizes, failure)))).toBeInstanceOf(Error)
    expect(await read(blobs(), 'stream')).toEqual(pattern(10, 2))
    expect(await blobs().list('')).toEqual(['stream'])
  })

  test('what one key gives may be put under another as it comes', async () => {
    await blobs().put('from', pattern(700_000, 1))
    const from = await blobs().get('from')
    if (from !== null) await blobs().put('to', from.body)
    expect(await read(blobs(), 'to')).toEqual(pattern(700_000, 1))
  })
}

function spans(blobs: () => Blobs): void {
  const bytes = pattern(600_000, 1)

  test.each([
    [0, 1],
    [0, 600_000],
    [1, 599_999],
    [599_999, 1],
    [262_143, 262_146],
  ])('a span from %i of %i bytes is those bytes', async (offsetBytes, sizeBytes) => {
    await blobs().put('key', bytes)
    const span = await blobs().get('key', { offsetBytes, sizeBytes })
    expect(await bytesOf(span)).toEqual(bytes.subarray(offsetBytes, offsetBytes + sizeBytes))
  })

  test.each([
    [0, 0],
    [0, 600_001],
    [600_000, 1],
    [599_999, 2],
    [-1, 2],
  ])('a span from %i of %i bytes is refused', async (offsetBytes, sizeBytes) => {
    await blobs().put('key', bytes)
    expect(await rejection(blobs().get('key', { offsetBytes, sizeBytes }))).toBeInstanceOf(RangeError)
  })

  test('a span of a missing key is null', async () => {
    expect(await blobs().get('other', { offsetBytes: 0, sizeBytes: 1 })).toBeNull()
  })
}

function listing(blobs: () => Blobs): void {
  const KEYS = ['A', 'a', 'a-b', 'a.b', 'a/b', 'a/b/c', 'a/bc', 'a0', 'a_b', 'ab', 'b/x']

  test.each([
    ['', KEYS],
    ['a', KEYS.slice(1, -1)],
    ['a/', ['a/b', 'a/b/c', 'a/bc']],
    ['a/b', ['a/b', 'a/b/c', 'a/bc']],
    ['a/b/', ['a/b/c']],
    ['a/b/c', ['a/b/c']],
    ['a.', ['a.b']],
    ['c', []],
    ['b/x/y/z', []],
  ])('the prefix %p lists what begins with it, in the order of bytes', async (prefix, keys) => {
    await Promise.all(KEYS.toReversed().map((key) => blobs().put(key, pattern(1, 1))))
    expect(await blobs().list(prefix)).toEqual(keys)
  })

  test('keys of many pages are listed completely', async () => {
    const keys = Array.from({ length: 210 }, (_, index) => `many/${String(index).padStart(3, '0')}`)
    await inSlices(keys, (key) => blobs().put(key, new Uint8Array(1)))
    expect(await blobs().list('')).toEqual(keys)
    expect(await blobs().list('many/1')).toEqual(keys.slice(100, 200))
  })
}

function naming(blobs: () => Blobs): void {
  test.each([
    ['nothing', ['', '/', '//']],
    ['an empty name', ['/a', 'a/', 'a//b']],
    ['a lone dot', ['.', './a', 'a/.', 'a/./b']],
    ['two dots', ['..', '../a', 'a/..', 'a/../b', 'a..b', '...']],
    [
      'another character',
      ['a b', 'a\\b', 'a\n', '\na', 'a\0', 'é', 'a%2fb', 'a@', 'a+b', '@tmp', 'a:b', '*'],
    ],
    ['513 characters', ['a'.repeat(513)]],
  ])('a key with %s is refused by every method', async (_, keys) => {
    for (const key of keys) {
      expect(await rejection(blobs().put(key, new Uint8Array(1)))).toBeInstanceOf(RangeError)
      expect(await rejection(blobs().get(key))).toBeInstanceOf(RangeError)
      expect(await rejection(blobs().delete(key))).toBeInstanceOf(RangeError)
    }
  })

  test('a prefix that no key begins with is refused', async () => {
    for (const prefix of [
      '/',
      '/a',
      '..',
      'a..',
      '../',
      'a//',
      './',
      'a/./',
      '@',
      'a b',
      'é',
      'a'.repeat(513),
    ]) {
      expect(await rejection(blobs().list(prefix))).toBeInstanceOf(RangeError)
    }
  })

  test('a prefix may end where no key may', async () => {
    await blobs().put('a/.b', pattern(1, 1))
    for (const prefix of ['a/', 'a/.']) expect(await blobs().list(prefix)).toEqual(['a/.b'])
    for (const prefix of ['.', 'a.', 'a'.repeat(512)]) expect(await blobs().list(prefix)).toEqual([])
  })

  test.each([
    ['dots', ['.a', 'a.', '.a/.b', 'a.b.c']],
    ['other signs', ['-', '_', '-/_']],
    ['512 characters', ['a'.repeat(512), `a/${'b'.repeat(400)}/c`, `${'ab/'.repeat(170)}cd`]],
    ['a dot after a long name', [`${'a'.repeat(200)}.`, `${'a'.repeat(200)}./b`, `${'a'.repeat(400)}.`]],
  ])('keys with %s are stored and listed as they are', async (_, keys) => {
    for (const key of keys) {
      const bytes = new TextEncoder().encode(key)
      await blobs().put(key, bytes)
      expect(await read(blobs(), key)).toEqual(bytes)
      expect(await blobs().list(key.slice(0, 250))).toContain(key)
    }
    expect(await blobs().list('')).toEqual(keys.toSorted())
  })

  test('different keys never meet, however alike they are', async () => {
    const name = fc
      .stringMatching(/^[ab.]{1,3}$/)
      .filter((text) => text !== '.' && !text.includes('..'))
      .chain((text) => fc.constantFrom(text, `${'a'.repeat(200)}${text}`.slice(0, 201), 'a'.repeat(200)))
    const key = fc.array(name, { minLength: 1, maxLength: 2 }).map((names) => names.join('/'))
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 8 }), async (keys) => {
        await clear(blobs())
        await Promise.all(keys.map((each) => blobs().put(each, new TextEncoder().encode(each))))
        expect(await blobs().list('')).toEqual(keys.toSorted())
        for (const each of keys) {
          expect(new TextDecoder().decode(await read(blobs(), each))).toBe(each)
          await blobs().delete(each)
        }
        expect(await blobs().list('')).toEqual([])
      }),
      { numRuns: 30 },
    )
  }, 180_000)
}

async function clear(blobs: Blobs): Promise<void> {
  await inSlices(await blobs.list(''), (key) => blobs.delete(key))
}

async function inSlices(keys: readonly string[], run: (key: string) => Promise<void>): Promise<void> {
  for (let start = 0; start < keys.length; start += 50)
    await Promise.all(keys.slice(start, start + 50).map(run))
}

async function read(blobs: Blobs, key: string): Promise<Uint8Array> {
  return bytesOf(await blobs.get(key))
}

async function bytesOf(blob: Awaited<ReturnType<Blobs['get']>>): Promise<Uint8Array> {
  if (blob === null) throw new Error('The key has no bytes')
  const bytes = new Uint8Array(await new Response(blob.body).arrayBuffer())
  expect(blob.sizeBytes).toBe(bytes.length)
  return bytes
}

// Bytes that tell their place and their version, so that mixed or shifted parts show.
function pattern(sizeBytes: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes)
  for (let index = 0; index < sizeBytes; index += 1)
    bytes[index] = index * 31 + (index >> 8) + (index >> 16) + seed * 7
  return bytes
}

function streamOf(sizes: readonly number[], failure?: Error): ReadableStream<Uint8Array> {
  const bytes = pattern(
    sizes.reduce((sum, size) => sum + size, 0),
    1,
  )
  let position = 0
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const size = sizes[next]
      next += 1
      if (size !== undefined) controller.enqueue(bytes.subarray(position, (position += size)))
      else if (failure !== undefined) controller.error(failure)
      else controller.close()
    },
  })
}
