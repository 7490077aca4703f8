import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { streamedFile } from '../../../test/data/import-files.ts'
import type { Column, Row } from '../../domain/table.ts'
import { inspectFile, readRows } from '../imports/file.ts'
import { CELL_MAX_CHARS, SHEET_COLUMNS_MAX, SHEET_ROWS_MAX, workbookOf, xlsxWriting } from './xlsx.ts'

const COLUMNS: readonly Column[] = [
  { name: 'text <&>', type: 'string' },
  { name: 'number', type: 'number' },
  { name: 'ok', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'long', type: 'integer' },
]
const PLAIN = { kind: 'xlsx', sheet: 'Data', hasHeader: true, skipRecords: 0 } as const

async function* sheetOf(rows: readonly Row[]): AsyncGenerator<Uint8Array, void> {
  const { head, rows: write, tail } = xlsxWriting(COLUMNS)
  yield new TextEncoder().encode(head + write(rows) + tail)
}

async function readBack(rows: readonly Row[]): Promise<{ names: string[]; rows: Row[] }> {
  const bytes = await new Response(workbookOf(sheetOf(rows), Date.UTC(2026, 0, 1))).bytes()
  const values = { nulls: [], decimal: '.', dateFormats: [], timeZone: 'UTC' } as const
  const { columns } = await inspectFile(streamedFile(bytes, 65_536), PLAIN, values)
  const planned = COLUMNS.map(({ name, type }, source) => ({ name, type, source }))
  const plan = { file: PLAIN, values, columns: planned, onError: 'abort', faultsMax: 0 } as const
  const progress = { rows: 0, skipped: 0, faults: [] }
  const batches = await Array.fromAsync(readRows(streamedFile(bytes, 65_536), plan, progress))
  return { names: columns.map(({ name }) => name), rows: batches.flat() }
}

describe('a workbook', () => {
  test('has the values that were written, when it is imported', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !one.includes('\0'))
    const special = fc.constantFrom(
      '=1+1',
      '@x',
      ' a ',
      '\r\n',
      '\t',
      '\u0001',
      '_x0041_',
      '\uFFFE',
      'a&<b>"',
      '007',
    )
    const row = fc.tuple(
      fc.oneof(text, special),
      fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      fc.option(fc.boolean()),
      fc.option(fc.constantFrom('1900-02-28', '1900-03-01', '2026-03-01', '9999-12-31', '0001-01-01')),
      fc.option(fc.constantFrom(1, -9_007_199_254_740_991, '9223372036854775807')),
    )
    return fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 10 }), async (rows) => {
        const found = await readBack(rows)
        expect(found.names).toEqual(COLUMNS.map(({ name }) => name))
        expect(found.rows).toEqual(rows.map((cells) => cells.map((cell) => (Object.is(cell, -0) ? 0 : cell))))
      }),
      { numRuns: 25 },
    )
  })

  test('has no formula', () => {
    const { head, rows } = xlsxWriting([{ name: '=a', type: 'string' }])
    const texts = ['=1+1', '+1', '-1', '@SUM(1)', '\t=1', "=cmd|' /C calc'!A0"]
    const xml = head + rows(texts.map((text) => [text]))
    expect(xml).not.toContain('<f>')
    expect(xml.match(/<c r="A\d+" t="inlineStr">/g)?.length).toBe(texts.length + 1)
  })

  test('has 1,048,575 rows below its header and no more', () => {
    const { rows } = xlsxWriting([])
    const last = rows(Array.from({ length: SHEET_ROWS_MAX }, () => []))
    expect(last.endsWith('<row r="1048576"></row>')).toBe(true)
    expect(() => rows([[]])).toThrow(/more rows than a sheet/)
  })

  test('has columns to XFD and no more', () => {
    const wide = (count: number) =>
      xlsxWriting(Array.from({ length: count }, (_, at) => ({ name: `c${at}`, type: 'string' as const })))
    const { head } = wide(SHEET_COLUMNS_MAX)
    for (const place of ['"A1"', '"Z1"', '"AA1"', '"ZZ1"', '"AAA1"', '"XFD1"']) expect(head).toContain(place)
    expect(() => wide(SHEET_COLUMNS_MAX + 1)).toThrow(/at most 16384 columns/)
  })

  test('has texts of 32,767 characters and no longer', () => {
    const { rows } = xlsxWriting(COLUMNS)
    rows([['x'.repeat(CELL_MAX_CHARS)]])
    expect(() => rows([['x'.repeat(CELL_MAX_CHARS + 1)]])).toThrow(/more than 32767 characters/)
  })
})
