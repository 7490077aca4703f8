import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { foldCase } from '../text.ts'
import { joined } from '../chunks.ts'
import type { Chunks } from '../chunks.ts'
import { packed } from './writer.ts'
import type { Packable } from './writer.ts'
import { readZip } from './reader.ts'
import { heldSource, windowed } from './source.ts'

type File = { readonly path: string; readonly bytes: Uint8Array; readonly isPacked: boolean }

const file = fc.record({
  path: fc
    .array(fc.stringMatching(/^[a-zéß ]{1,8}$/), { minLength: 1, maxLength: 3 })
    .map((steps) => steps.join('/')),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 40_000 }),
    fc.nat(3_000_000).map((sizeBytes) => new Uint8Array(sizeBytes).map((_, at) => (at * at) >> 9)),
  ),
  isPacked: fc.boolean(),
})

test('packed files are read as they were, in their order, with any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 5 }),
      fc.integer({ min: 1, max: 70_000 }),
      async (all, stepBytes) => {
        const files = all.filter(({ path }, place) => isApart(path, all.slice(0, place)))
        const whole = await bytesOf(packed(packables(files, stepBytes)))
        const bounds = { entriesMax: 9, unpackedMaxBytes: 1e8, pathOf: (name: string) => name }
        const entries = await readZip(windowed(heldSource(whole)), bounds)
        expect(entries.map(({ path }) => path)).toEqual(files.map(({ path }) => path))
        for (const [place, entry] of entries.entries())
          expect(Bun.hash(await bytesOf(entry.chunks()))).toBe(Bun.hash(files[place]?.bytes ?? ''))
      },
    ),
    { numRuns: 25 },
  )
}, 180_000)

test('what was packed is what other programs unpack', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-zip-'))
  try {
    const files = [
      { path: 'empty/', bytes: new Uint8Array(), isPacked: false },
      { path: 'für/a.txt', bytes: new TextEncoder().encode('a text\n'.repeat(1_000)), isPacked: false },
      { path: 'inner.zip', bytes: new Uint8Array(100_000).fill(80), isPacked: true },
    ]
    await Bun.write(join(folder, 'a.zip'), await bytesOf(packed(packables(files, 999))))
    const program = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as whole:
    assert whole.testzip() is None
    for one in whole.infolist():
        print(one.filename, one.file_size, one.date_time)`
    const ran = Bun.spawnSync(['python3', '-c', program, join(folder, 'a.zip')])
    expect(ran.stdout.toString() + ran.stderr.toString()).toMatch(
      /^empty\/ 0 \(1980, 1, [123], .*\)\nfür\/a\.txt 7000 \(2026, 3, [123], .*\)\ninner\.zip 100000 \(2099, .*\)\n$/,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('what other programs pack is what is read, also where they cannot go back to tell its size', async () => {
  const program = `import io, sys, zipfile
class Pipe(io.RawIOBase):
    def writable(self): return True
    def seekable(self): return False
    def write(self, data): return sys.stdout.buffer.write(data)
with zipfile.ZipFile(sys.stdout.buffer if sys.argv[1] == "file" else Pipe(), "w", zipfile.ZIP_DEFLATED) as whole:
    whole.writestr("empty/", "")
    whole.writestr("für/a.txt", "a text" * 1000)
    whole.writestr(zipfile.ZipInfo("stored.bin"), b"bytes")`
  for (const way of ['file', 'pipe']) {
    const ran = Bun.spawnSync(['python3', '-c', program, way])
    expect(ran.stderr.toString()).toBe('')
    const bounds = { entriesMax: 3, unpackedMaxBytes: 6_005, pathOf: (name: string) => name }
    const entries = await readZip(heldSource(ran.stdout), bounds)
    const texts = await Promise.all(
      entries.map(async (entry) => [entry.path, new TextDecoder().decode(await bytesOf(entry.chunks()))]),
    )
    expect(texts).toEqual([
      ['empty', ''],
      ['für/a.txt', 'a text'.repeat(1_000)],
      ['stored.bin', 'bytes'],
    ])
  }
})

const CHANGED = [0, Date.UTC(2026, 2, 2, 9), Date.UTC(2200, 0, 1)]

async function* packables(files: readonly File[], stepBytes: number): AsyncGenerator<Packable, void> {
  for (const [place, { path, bytes, isPacked }] of files.entries())
    yield { path, changedAt: CHANGED[place % 3] ?? 0, isPacked, chunks: chunksOf(bytes, stepBytes) }
}

async function* chunksOf(bytes: Uint8Array, stepBytes: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.byteLength; at += stepBytes) yield bytes.subarray(at, at + stepBytes)
}

async function bytesOf(chunks: Chunks): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return joined(
    parts,
    parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
  )
}

function isApart(path: string, others: readonly File[]): boolean {
  const place = foldCase(path)
  return others.every((other) => {
    const taken = foldCase(other.path)
    return taken !== place && !taken.startsWith(`${place}/`) && !place.startsWith(`${taken}/`)
  })
}
