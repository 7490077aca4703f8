import { describe, expect, test } from 'bun:test'

import { gunzip, readBody, readBytes, readStart } from './bytes.ts'

const BOUNDS = { sentMaxBytes: 100, inflatedMaxBytes: 200 }

const post = (
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  headers: Record<string, string> = {},
) => new Request('http://host/', { method: 'POST', body, headers })

const chunked = (sizes: readonly number[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const size of sizes) controller.enqueue(new Uint8Array(size))
      controller.close()
    },
  })

const codeOf = async (work: () => Promise<unknown>) => {
  try {
    await work()
    return 'taken'
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('the bytes of a body', () => {
  test('are read up to the bound, however they come', async () => {
    expect(await readBytes(post(new Uint8Array(100)), BOUNDS.sentMaxBytes)).toHaveLength(100)
    expect(await readBytes(post(chunked([60, 0, 40])), BOUNDS.sentMaxBytes)).toHaveLength(100)
    expect(await readBytes(post(null), BOUNDS.sentMaxBytes)).toHaveLength(0)
  })

  test('are refused past it, however they come', async () => {
    expect(await codeOf(() => readBytes(post(new Uint8Array(101)), BOUNDS.sentMaxBytes))).toBe('too_large')
    expect(await codeOf(() => readBytes(post(chunked([60, 41])), BOUNDS.sentMaxBytes))).toBe('too_large')
    const announced = () => readBytes(post(chunked([1]), { 'content-length': '101' }), BOUNDS.sentMaxBytes)
    expect(await codeOf(async () => announced())).toBe('too_large')
  })

  test('that do not end are read no further than the bound', async () => {
    let pulled = 0
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(10))
      },
      cancel() {
        isCancelled = true
      },
    })
    expect(await codeOf(() => readBytes(post(endless), BOUNDS.sentMaxBytes))).toBe('too_large')
    expect(pulled).toBeLessThan(20)
    expect(isCancelled).toBe(true)
  })
})

describe('gzip', () => {
  const packed = (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(Bun.gzipSync(bytes))

  test('is inflated up to the bound and not past it', async () => {
    const bytes = new Uint8Array(200).fill(7)
    expect(await gunzip(packed(bytes), BOUNDS)).toEqual(bytes)
    expect(await codeOf(() => gunzip(packed(new Uint8Array(201)), BOUNDS))).toBe('too_large')
  })

  test('that stands for a hundred megabytes is left before it is inflated', async () => {
    const bomb = packed(new Uint8Array(100_000_000))
    expect(bomb.length).toBeLessThan(120_000)
    const before = process.memoryUsage().rss
    expect(await codeOf(() => gunzip(bomb, BOUNDS))).toBe('too_large')
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000)
  })

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ['nothing', new Uint8Array()],
    ['something else', new TextEncoder().encode('{"resourceMetrics": []}')],
    ['gzip that is cut', packed(new Uint8Array(50)).slice(0, -4)],
    ['gzip with another checksum', packed(new Uint8Array(50)).with(-8, 99)],
  ])('that is %s is refused', async (_, bytes) => {
    expect(await codeOf(() => gunzip(bytes, BOUNDS))).toBe('bad_request')
  })
})

describe('the body of a request', () => {
  const sized = (sizes: readonly number[], length: number) =>
    post(chunked(sizes), { 'content-length': String(length) })

  test('is read with and without a Content-Length, up to the bound', async () => {
    expect(await readBody(sized([60, 40], 100), BOUNDS.sentMaxBytes)).toHaveLength(100)
    expect(await readBody(post(chunked([60, 40])), BOUNDS.sentMaxBytes)).toHaveLength(100)
    expect(await readBody(post(null), BOUNDS.sentMaxBytes)).toHaveLength(0)
  })

  test('is refused past the bound, with any Content-Length', async () => {
    for (const length of [1, 100, 101])
      expect(await codeOf(() => readBody(sized([60, 41], length), BOUNDS.sentMaxBytes))).toBe('too_large')
    expect(await codeOf(() => readBody(post(chunked([60, 41])), BOUNDS.sentMaxBytes))).toBe('too_large')
  })

  test('that ends early is refused', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('reset')),
    })
    expect(await codeOf(() => readBody(post(broken, { 'content-length': '9' }), 100))).toBe('bad_request')
  })
})

describe('the beginning of a body', () => {
  const sizeOf = async (sizes: readonly number[]) => (await readStart(post(chunked(sizes)), 100)).byteLength

  test('is what is kept of it, however long it is', async () => {
    expect(await sizeOf([])).toBe(0)
    expect(await sizeOf([60, 40])).toBe(100)
    expect(await sizeOf([60, 41, 1_000_000])).toBe(100)
    expect((await readStart(post(null), 100)).byteLength).toBe(0)
  })

  test('is answered although the body does not end', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    })
    expect((await readStart(post(endless), 100)).byteLength).toBe(100)
  })
})
