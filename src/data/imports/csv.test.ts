import { expect, test } from 'bun:test'
import fc from 'fast-check'

import { readCsv } from './csv.ts'
import type { CsvShape } from './csv.ts'
import type { CsvRecord } from './csv-scanner.ts'
import { ImportFailure } from './failure.ts'

type CsvOptions = Parameters<typeof readCsv>[1]

const PLAIN: CsvOptions = { delimiter: ',', quote: '"', encoding: 'utf-8' }

async function* chunksOf(bytes: Uint8Array, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.slice(at, at + sizeBytes)
}

type Read = Omit<CsvRecord, 'isClean'>

async function read(text: string | Uint8Array, options = PLAIN, chunkBytes = 7): Promise<Read[]> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const records: Read[] = []
  for await (const batch of readCsv(chunksOf(bytes, chunkBytes), options))
    records.push(...batch.map(({ line, cells }) => ({ line, cells })))
  return records
}

/** The records that came before the failure, and its fault. */
async function fail(text: string, chunkBytes = 5): Promise<{ cells: (readonly string[])[]; fault: unknown }> {
  const cells: (readonly string[])[] = []
  try {
    for await (const batch of readCsv(chunksOf(new TextEncoder().encode(text), chunkBytes), PLAIN))
      cells.push(...batch.map((record) => record.cells))
  } catch (error) {
    if (!(error instanceof ImportFailure)) throw error
    return { cells, fault: error.faults[0] }
  }
  throw new Error('The text was read')
}

test('cells are what was written: quoted line ends, doubled quotes, a byte order mark, scientific notation', async () => {
  expect(await read('\uFEFFa,b\r\n1,"x\r\ny"\r\n1e5,"q""q"\r\n')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', 'x\r\ny'] },
    { line: 4, cells: ['1e5', 'q"q'] },
  ])
})

test('lines end with CRLF, LF or CR, also mixed, and blank lines count but give no record', async () => {
  expect(await read('a,b\r1,2\n\n3,4\r\n\r\n"x\ry",5')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', '2'] },
    { line: 4, cells: ['3', '4'] },
    { line: 6, cells: ['x\ry', '5'] },
  ])
})

test('bytes of Latin-1 and UTF-16 are read as such', async () => {
  const latin = Uint8Array.of(0x61, 0x2c, 0xfc, 0x0a)
  expect((await read(latin, { ...PLAIN, encoding: 'latin-1' }))[0]?.cells).toEqual(['a', 'ü'])
  const wide = new Uint8Array(Uint16Array.of(0x61, 0x3b, 0xfc, 0x0a).buffer)
  const options: CsvOptions = { ...PLAIN, encoding: 'utf-16le', delimiter: ';' }
  expect((await read(wide, options))[0]?.cells).toEqual(['a', 'ü'])
})

test('a fault of quoting ends the file, with the line on which its record begins', async () => {
  expect(await fail('a,b\n"1\n1",2\n3,"x"y\n4,5\n')).toEqual({
    cells: [
      ['a', 'b'],
      ['1\n1', '2'],
    ],
    fault: { code: 'quoting', line: 4, column: null, message: 'Double a quote inside a quoted cell.' },
  })
  expect((await fail('a,b\n1,x"y\n')).fault).toMatchObject({ code: 'quoting', line: 2 })
  expect((await fail('a\n1\n"2\n3\n4\n')).fault).toMatchObject({ code: 'quoting', line: 3 })
})

test('a record of more than 4 Mi characters is refused', async () => {
  const cell = 'x'.repeat(4 * 1024 * 1024)
  expect((await read(`a\n${cell.slice(8)}\n`, PLAIN, 65_536)).length).toBe(2)
  expect((await fail(`a\n${cell}xx\n`, 65_536)).fault).toMatchObject({ code: 'too_long', line: 2 })
})

test('an error of the source is passed on', () => {
  // oxlint-disable-next-line require-yield -- it fails before its first chunk
  async function* broken(): AsyncGenerator<Uint8Array> {
    throw new Error('cut off')
  }
  expect(readCsv(broken(), PLAIN).next()).rejects.toThrow('cut off')
})

test('any cells come back as they were written, in chunks of any size', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 2, maxLength: 4 }), {
        maxLength: 8,
      }),
      fc.integer({ min: 1, max: 16 }),
      fc.constantFrom('\r\n', '\n', '\r'),
      async (rows, chunkBytes, lineEnd) => {
        const text = rows
          .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',') + lineEnd)
          .join('')
        const records = await read(text, PLAIN, chunkBytes)
        expect(records.map(({ cells }) => cells)).toEqual(rows)
      },
    ),
  ))

/** The records of a text and the fault that ended it; by csv-parse alone, as it reads other quotes and encodings, or with the scanner. */
async function outcomeOf(text: string, chunkBytes: number, isScanned: boolean) {
  const bytes = isScanned
    ? new TextEncoder().encode(text)
    : new Uint8Array(Uint16Array.from(text, (_, at) => text.charCodeAt(at)).buffer)
  const options: CsvOptions = { ...PLAIN, encoding: isScanned ? 'utf-8' : 'utf-16le' }
  const records: Read[] = []
  try {
    for await (const batch of readCsv(chunksOf(bytes, chunkBytes), options))
      records.push(...batch.map(({ line, cells }) => ({ line, cells })))
  } catch (error) {
    if (!(error instanceof ImportFailure)) throw error
    return { records, fault: error.faults[0] }
  }
  return { records, fault: null }
}

test('any text has the records and the fault that csv-parse alone finds, in chunks of any size', () =>
  fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('"', '"', ',', '\r', '\n', '\r\n', 'a', 'ü', ' '), maxLength: 24 }),
      fc.integer({ min: 2, max: 9 }),
      async (text, chunkBytes) => {
        // Two bytes that are no mark of an encoding come first.
        const whole = `ab${text}`
        expect(await outcomeOf(whole, chunkBytes, true)).toEqual(await outcomeOf(whole, 4_096, false))
      },
    ),
    { numRuns: 500 },
  ))

test.each<[text: string, lineEnd: string | null]>([
  ['a,b\r\n1,"x\ny"\r\n', '\r\n'],
  ['a,b\n1,"x\r\ny"', '\n'],
  ['a,b\r\n1,2\n', null],
  ['a,b\r1,2\r', null],
  ['a,b\n\n1,2\n', null],
  ['a,b', null],
  ['a,b\n1,x"y\n', null],
])('the lines of %j end with %j', async (text, lineEnd) => {
  const shape: CsvShape = { lineEnd: null }
  const bytes = chunksOf(new TextEncoder().encode(text), 3)
  await Array.fromAsync(readCsv(bytes, PLAIN, shape)).catch((error: unknown) => error)
  expect(shape.lineEnd as string | null).toBe(lineEnd)
})
