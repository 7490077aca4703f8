import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sweepBlobs } from '../../src/content/blobs/service.ts'
import { deleteFile, listFiles, readFile, saveFile } from '../../src/content/files/service.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Ports } from '../../src/ports/index.ts'
import { rejection } from '../contract/rejection.ts'
import { precededBy } from '../hosts/interleaved.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { mortalPorts } from '../hosts/mortal-ports.ts'
import { Mortal } from '../engine/mortal.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const CHUNK_BYTES = 64 * 1024

let opened: Awaited<ReturnType<typeof openPorts>>
beforeEach(async () => {
  opened = await openPorts()
})
afterEach(() => opened.close())

describe('wherever a process dies', () => {
  for (const ends of ['before', 'after'] as const) {
    test(`${ends} a step of a replacement or a removal, one version is there whole, and nothing is left over an hour later`, async () => {
      let deaths = 0
      for (let diesAt = 1; ; diesAt++) {
        const name = `file-${ends}-${diesAt}`
        await save(opened.ports, name, 'old')
        const mortal = new Mortal(diesAt, ends)
        const dying = mortalPorts(mortal, opened.ports)
        const replaced = await rejection(save(dying, name, 'newer')).catch(() => null)
        if (!mortal.isDead) await deleteFile(administratorOf(dying), name).catch(() => undefined)
        const text = await textOf(opened.ports, name)
        expect(['old', 'newer', null]).toContain(text)
        // Who was told that it is stored finds it.
        if (replaced === null) expect(text).not.toBe('old')
        await expectConsistent(opened.ports)
        opened.clock.at += HOUR_MS + 1
        await sweepBlobs(opened.ports)
        expect(await leftOver(opened.ports)).toEqual([])
        await expectConsistent(opened.ports)
        expect(await textOf(opened.ports, name)).toBe(text)
        if (!mortal.isDead) break
        deaths++
      }
      // A note, the blob, a row; and for a removal one commit.
      expect(deaths).toBe(4)
    })
  }
})

test('a sweep spares what is an hour old and no more, and what an upload is about to refer to', async () => {
  const { ports, clock } = opened
  await save(ports, 'a', 'one')
  await save(ports, 'a', 'two')
  clock.at += HOUR_MS
  await sweepBlobs(ports)
  expect(await leftOver(ports)).toHaveLength(1)
  clock.at += 1
  await sweepBlobs(ports)
  expect(await leftOver(ports)).toEqual([])
  expect(await textOf(ports, 'a')).toBe('two')
})

test('a sweep that cannot remove blobs hinders nothing, and the next one does', async () => {
  const { ports, clock } = opened
  for (let place = 0; place < 101; place++) await save(ports, 'a', String(place))
  clock.at += HOUR_MS + 1
  await sweepBlobs({ ...ports, blobs: { ...ports.blobs, delete: () => Promise.reject(new Error('away')) } })
  expect(opened.logs.join('\n')).toContain('deleting unreferenced blobs failed')
  expect(await leftOver(ports)).toHaveLength(100)
  await sweepBlobs(ports)
  expect(await leftOver(ports)).toEqual([])
  expect(await textOf(ports, 'a')).toBe('100')
})

test('an upload that is put 10 minutes after it was noted is refused, one that takes less is kept', async () => {
  const { ports, clock } = opened
  const slow = (name: string, tookMs: number) => {
    const put: Blobs['put'] = async (key, body) => {
      await ports.blobs.put(key, body)
      clock.at += tookMs
    }
    return save({ ...ports, blobs: { ...ports.blobs, put } }, name, 'x')
  }
  await slow('in-time', 10 * MINUTE_MS - 1)
  expect(await textOf(ports, 'in-time')).toBe('x')
  const refusal = await rejection(slow('late', 10 * MINUTE_MS))
  expect(refusal).toBeInstanceOf(Refusal)
  expect((refusal as Refusal).code).toBe('unavailable')
  expect(await textOf(ports, 'late')).toBeNull()
  clock.at += HOUR_MS
  await sweepBlobs(ports)
  expect(await leftOver(ports)).toEqual([])
})

test('while blobs are away uploads and reads are refused with 503, and lists and removals go on', async () => {
  const { ports } = opened
  await save(ports, 'a', 'one')
  const away = () => Promise.reject(new Error('R2 is away'))
  const cut = async (_: string, body: Parameters<Blobs['put']>[1]) => {
    if (body instanceof ReadableStream) await body.getReader().read()
    throw new Error('cut off')
  }
  for (const put of [away, cut]) {
    const broken = { ...ports, blobs: { ...ports.blobs, put, get: away } }
    expect(await rejection(save(broken, 'a', 'two'))).toMatchObject({ code: 'unavailable' })
    expect(await rejection(textOf(broken, 'a'))).toMatchObject({ code: 'unavailable' })
    expect((await listFiles(administratorOf(broken), { limit: 10 })).items).toHaveLength(1)
  }
  expect(await textOf(ports, 'a')).toBe('one')
  await deleteFile(administratorOf({ ...ports, blobs: { ...ports.blobs, put: away, get: away } }), 'a')
  expect(await textOf(ports, 'a')).toBeNull()
})

test('a deletion under If-Match leaves a file that is replaced at the same time', async () => {
  const { ports } = opened
  await save(ports, 'a', 'one')
  const { file } = await readFile(administratorOf(ports), 'a')
  const request = new Request('https://tidemark.example/files/a', { headers: { 'if-match': file.etag } })
  const racing = precededBy(ports, () => save(ports, 'a', 'two'))
  expect(await rejection(deleteFile({ ...administratorOf(racing), request }, 'a'))).toMatchObject({
    code: 'precondition_failed',
  })
  expect(await textOf(ports, 'a')).toBe('two')
})

test('a sender is read no faster than its bytes are put', async () => {
  const { ports } = opened
  let sent = 0
  let put = 0
  let aheadMax = 0
  const chunks = async function* () {
    for (; sent < 100;) {
      sent++
      aheadMax = Math.max(aheadMax, sent - put)
      yield new Uint8Array(CHUNK_BYTES).fill(1)
    }
  }
  const reading: Blobs['put'] = async (key, body) => {
    if (body instanceof Uint8Array) throw new TypeError('All at once')
    let received = 0
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      received += chunk.byteLength
      put = received / CHUNK_BYTES
    }
    await ports.blobs.put(key, new Uint8Array(received))
  }
  const slow = { ...ports, blobs: { ...ports.blobs, put: reading } }
  const { file } = await saveFile(administratorOf(slow), { name: 'x', type: null, chunks: chunks() })
  expect(file.size).toBe(100 * CHUNK_BYTES)
  // What is looked at for its type, and the chunk in hand.
  expect(aheadMax).toBeLessThanOrEqual(2)
})

test('an upload that hangs, at its sender or its store, is given up, and its place is free again', async () => {
  const { ports } = opened
  const never = () => new Promise<never>(() => undefined)
  const hanging = async function* () {
    yield await never()
  }
  const stop = new AbortController()
  const blobs = { ...ports.blobs, put: never }
  const stuck = Array.from({ length: 10 }, (_, place) =>
    rejection(
      place % 2 === 0
        ? saveFile(administratorOf(ports), { name: 'a', type: null, chunks: hanging() }, stop.signal)
        : saveFile(
            administratorOf({ ...ports, blobs }),
            { name: 'b', type: null, chunks: textChunks('x') },
            stop.signal,
          ),
    ),
  )
  stop.abort()
  expect((await Promise.all(stuck)).map((refusal) => (refusal as Refusal).code)).toEqual(
    stuck.map(() => 'unavailable'),
  )
  await save(ports, 'a', 'x')
  expect((await listFiles(administratorOf(ports), { limit: 10 })).items.map(({ name }) => name)).toEqual([
    'a',
  ])
})

test('8 senders are read at once, 32 wait, and more are refused until one is done', async () => {
  const { ports } = opened
  let go = () => undefined as void
  const held = new Promise<void>((resolve) => (go = resolve))
  let reading = 0
  const send = (name: string) => {
    const chunks = async function* () {
      reading++
      await held
      yield new TextEncoder().encode(name)
    }
    return saveFile(administratorOf(ports), { name, type: 'text/plain', chunks: chunks() })
  }
  const sent = Array.from({ length: 40 }, (_, place) => send(`sender-${place}`))
  while (reading < 8) await Bun.sleep(1)
  expect(await rejection(send('one-too-many'))).toMatchObject({ code: 'overloaded' })
  expect(reading).toBe(8)
  go()
  expect((await Promise.all(sent)).every(({ isNew }) => isNew)).toBe(true)
  await send('afterwards')
})

test('10,000 files are taken and no more; one of them may still be replaced', async () => {
  const { ports } = opened
  await fill(ports, 9_999)
  await save(ports, 'last', 'x')
  expect(await rejection(save(ports, 'one-too-many', 'x'))).toMatchObject({ code: 'conflict' })
  await save(ports, 'last', 'y')
  expect(await textOf(ports, 'last')).toBe('y')
})

function save(ports: Ports, name: string, text: string) {
  return saveFile(administratorOf(ports), { name, type: 'text/plain', chunks: textChunks(text) })
}

async function* textChunks(text: string): AsyncGenerator<Uint8Array, void> {
  yield await Promise.resolve(new TextEncoder().encode(text))
}

async function textOf(ports: Ports, name: string): Promise<string | null> {
  try {
    const { open } = await readFile(administratorOf(ports), name)
    return await new Response((await open()).body).text()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return null
    throw error
  }
}

/** Every file has its bytes, and every blob is a file's or orphaned. */
async function expectConsistent(ports: Ports): Promise<void> {
  const { items } = await listFiles(administratorOf(ports), { limit: 1_000 })
  for (const { name, size } of items) expect((await textOf(ports, name))?.length).toBe(size)
  const kept = items.map(({ etag }) => `files/${etag.slice(1, -1)}`)
  const orphaned = await orphanedOf(ports)
  const blobs = await ports.blobs.list('files/')
  expect(blobs.filter((key) => !kept.includes(key) && !orphaned.includes(key))).toEqual([])
  expect(orphaned.filter((key) => kept.includes(key))).toEqual([])
}

async function leftOver(ports: Ports): Promise<string[]> {
  const { items } = await listFiles(administratorOf(ports), { limit: 1_000 })
  const kept = items.map(({ etag }) => `files/${etag.slice(1, -1)}`)
  const blobs = await ports.blobs.list('files/')
  return [
    ...blobs.filter((key) => !kept.includes(key)),
    ...(await orphanedOf(ports)).filter((key) => !blobs.includes(key)),
  ]
}

async function orphanedOf({ database }: Ports): Promise<string[]> {
  const rows = await database.all<{ key: string }>('select key from orphaned_blobs')
  return rows.map(({ key }) => key)
}

async function fill({ database }: Ports, count: number): Promise<void> {
  await database.run(
    `insert into files (name, mime_type, size_bytes, blob, updated_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
     select 'file ' || i, 'text/plain', 0, 'files/' || i, 0 from n`,
  )
}
