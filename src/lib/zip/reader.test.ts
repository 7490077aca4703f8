import { describe, expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'
import { craft, DEFLATED } from '../../../test/packages/crafted.ts'
import { HOSTILE } from '../../../test/packages/hostile.ts'
import { joined } from '../chunks.ts'
import { Refusal } from '../errors.ts'
import { readZip } from './reader.ts'
import type { ZipBounds } from './reader.ts'
import { heldSource } from './source.ts'

const MIB = 1024 * 1024
const BOUNDS: ZipBounds = { entriesMax: 10, unpackedMaxBytes: 2 * MIB, pathOf }

describe('an archive', () => {
  test('has a corpus of hostile ones that is worth it', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
    expect(new Set(HOSTILE.map(({ title }) => title)).size).toBe(HOSTILE.length)
  })

  test.each(HOSTILE.map((row) => [row.title, row] as const))(
    'with %s is refused, and its harmless twin is taken',
    async (_, { evil, twin, says }) => {
      expect(await refusalOf(contentOf(evil))).toMatch(says)
      expect((await contentOf(twin)).get('main.py')).toBe('print(1)')
    },
  )

  test('may have as many entries as the bound, and no more', async () => {
    const parts = Array.from({ length: 11 }, (_, place) => ({ name: `${place}` }))
    expect((await contentOf(craft(parts.slice(1)))).size).toBe(10)
    expect(await refusalOf(contentOf(craft(parts)))).toMatch(/at most 10 entries/)
  })

  test('may come to as many bytes as the bound, and no more', async () => {
    const half = { method: DEFLATED, data: new Uint8Array(MIB) }
    const two = [
      { name: 'a', ...half },
      { name: 'b', ...half },
    ]
    expect((await contentOf(craft(two))).size).toBe(2)
    expect(await refusalOf(contentOf(craft([...two, { name: 'c', data: 'x' }])))).toMatch(
      /unpacked archive must have at most/,
    )
  })

  test('that hides its size is left after a piece of it', async () => {
    const raw = deflateRawSync(new Uint8Array(256 * MIB))
    const bomb = craft([{ name: 'a', method: DEFLATED, raw, sizeBytes: MIB }])
    Bun.gc(true)
    const [entry] = await readZip(heldSource(bomb), BOUNDS)
    let seenBytes = 0
    const reading = async () => {
      for await (const chunk of entry?.chunks() ?? []) seenBytes += chunk.byteLength
    }
    const before = process.memoryUsage().rss
    expect(await refusalOf(reading())).toMatch(/does not match its header/)
    expect(seenBytes).toBeLessThanOrEqual(MIB)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB)
  })
})

function pathOf(name: string): string | null {
  const isPath = name.split('/').every((step) => /^(?!\.{1,2}$)[^\\\p{Cc}]{1,255}$/u.test(step))
  return isPath ? name.normalize('NFC') : null
}

async function contentOf(bytes: Uint8Array): Promise<Map<string, string>> {
  const content = new Map<string, string>()
  for (const entry of await readZip(heldSource(bytes), BOUNDS)) {
    const parts: Uint8Array[] = []
    for await (const chunk of entry.chunks()) parts.push(chunk)
    content.set(
      entry.path,
      new TextDecoder().decode(
        joined(
          parts,
          parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
        ),
      ),
    )
  }
  return content
}

/** The end of the text of the refusal. */
async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof Refusal && error.code === 'zip_unsafe'
    ? error.detail
    : `no refusal: ${String(error)}`
}
