import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { Refusal } from '../../../lib/errors.ts'
import { FORMAT, readArchive, writeArchive } from './lines.ts'
import type { Header } from './lines.ts'
import { packMember } from './members.ts'

const HEADER: Header = {
  tidemark: 'backup',
  format: FORMAT,
  release: '0.1.0',
  createdAt: 1_772_442_000_000,
  hasHistories: false,
  hasFiles: false,
  salt: 'c2FsdA',
  check: 'Y2hlY2s',
}

/** An archive of format 1, as the first release wrote it: `docs/architecture/formats/backup.md` shows what is in it. */
const VECTOR =
  'H4sIBAAAAAAAAwgAVE0EAMQAAABNjUEKwkAQBO95Rp8XiYsg7C0X8QuS5DDZTEhwksjOBBTxQb7Dj8l6so/VdNcTNvU8U7oioKN43W5wGNY0kyHsHRILkzICyt1+V8IhJibjvsr98egPB1/+4jCSnie1NU2sCAOJ8g+eJvkDSmIIiP6kfZX/Ro7ZfvGjXLziVTxh1El2qj3y1CGuss2LItRYaGY4GN8N7auoQXD4vBs0C9qiRge3bCJt8QX6hoj73AAAAB+LCAQAAAAAAAMIAFRNBACGAAAApcw7DsIwDADQnVNUnjOkieO0uY3jj6iEElRgQtydgSMwve29wYZCe54vC3A7hj2gYQC58jGggWLcE6r2KmTUN1+3zJisk6SoiYW8VqKopWSUyoQiXnzFtFvMyhDgfs7p0H4u05e/z8/lC1Ip8p22AAAA'

async function* from(lines: readonly unknown[]) {
  for (const line of lines) yield await Promise.resolve(JSON.stringify(line))
}

async function archiveOf(lines: readonly unknown[]): Promise<Uint8Array<ArrayBuffer>> {
  const chunks = await Array.fromAsync(
    writeArchive(from(lines), (chain) => Promise.resolve(`proof of ${chain}`)),
  )
  return new Uint8Array(Buffer.concat(chunks))
}

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
}

const read = (bytes: Uint8Array, size = 1_000) => Array.fromAsync(readArchive(cut(bytes, size)))
const codeOf = (bytes: Uint8Array) =>
  read(bytes).then(
    () => 'read',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  )

const LINES = [HEADER, { table: 'styles', columns: ['name', 'text'] }, ['a', 'é"\n'], ['b', null]]

test('what was written is read, wherever it is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ unit: 'binary' }))),
      fc.integer({ min: 1, max: 99 }),
      async (rows, size) => {
        const heading = { job: 7 }
        const parts = await read(await archiveOf([HEADER, heading, ...rows]), size)
        expect(parts.slice(0, 2)).toEqual([{ header: HEADER }, { heading }])
        expect(parts.slice(2, -1)).toEqual(rows.map((row) => ({ row, under: heading })))
      },
    ),
    { numRuns: 50 },
  )
})

test('an archive of many members is gzip, and no more than one of them is held', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => [`${index} `.padEnd(100_000, String(index))])
  const bytes = await archiveOf([HEADER, { file: 'x' }, ...rows])
  const text = new TextDecoder().decode(Bun.gunzipSync(bytes.subarray(0)))
  expect(text.startsWith(JSON.stringify(HEADER))).toBe(true)
  expect((await read(bytes)).length).toBe(rows.length + 3)
})

test('an archive that is cut off at any place is refused', async () => {
  const bytes = await archiveOf(LINES)
  for (let length = 0; length < bytes.length; length++)
    expect([length, await codeOf(bytes.subarray(0, length))]).toEqual([length, 'bad_request'])
  expect(await codeOf(bytes)).toBe('read')
})

test('an archive with any altered byte that matters is refused', async () => {
  const bytes = await archiveOf(LINES)
  const whole = JSON.stringify(await read(bytes))
  for (let at = 0; at < bytes.length; at++) {
    const altered = bytes.with(at, (bytes[at] ?? 0) ^ 1)
    // Some bytes of a header say nothing of what is in it, such as when it was packed.
    const same = await read(altered).then(
      (parts) => JSON.stringify(parts) === whole,
      (error: unknown) => error instanceof Refusal,
    )
    expect([at, same]).toEqual([at, true])
  }
})

test('members that are left out, repeated or in another order are noticed', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => [`${index} `.padEnd(100_000)])
  const members = await Array.fromAsync(
    writeArchive(from([HEADER, { file: 'x' }, ...rows]), () => Promise.resolve('')),
  )
  expect(members.length).toBeGreaterThan(4)
  const others = [
    members.toSpliced(1, 1),
    members.toSpliced(1, 0, members[1] ?? new Uint8Array()),
    [...members.slice(0, 1), ...members.slice(1, 3).toReversed(), ...members.slice(3)],
    [...members, members.at(-1) ?? new Uint8Array()],
    members.slice(0, -1),
  ]
  expect(await codeOf(Buffer.concat(members))).toBe('read')
  expect(new Set(await Promise.all(others.map((one) => codeOf(Buffer.concat(one)))))).toEqual(
    new Set(['bad_request']),
  )
})

test('a newer format is refused by its number, and other files as not an archive', async () => {
  expect(await codeOf(await archiveOf([{ ...HEADER, format: FORMAT + 1, more: 1 }]))).toBe('newer_backup')
  expect(await codeOf(await archiveOf([{ ...HEADER, salt: 1 }]))).toBe('bad_request')
  expect(await codeOf(await archiveOf([HEADER, ['row without a heading']]))).toBe('bad_request')
  expect(await codeOf(new TextEncoder().encode('no archive at all, and longer than a header'))).toBe(
    'bad_request',
  )
  const largestBytes = 32 * 1024 * 1024
  expect(await codeOf(await packMember(new Uint8Array(largestBytes)))).toBe('bad_request')
  expect(await codeOf(await packMember(new Uint8Array(largestBytes + 1)))).toBe('too_large')
})

test('an archive of format 1 is read', async () => {
  expect(await read(Uint8Array.fromBase64(VECTOR))).toMatchObject([
    { header: HEADER },
    { heading: LINES[1] },
    { row: LINES[2] },
    { row: LINES[3] },
    { ended: {} },
  ])
})
