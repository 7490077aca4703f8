import { expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'

import { streamedFile } from '../../../test/data/import-files.ts'
import type { FileFormat } from '../../domain/import-plan.ts'
import type { Column, Row } from '../../domain/table.ts'
import { readRows } from '../imports/file.ts'
import { csvWriting, ndjsonWriting } from './formats.ts'

const COLUMNS: readonly Column[] = [
  { name: 'a "name", of\r\ntwo lines', type: 'string' },
  { name: '__proto__', type: 'number' },
  { name: '=sum', type: 'boolean' },
]
const text = fc.string({ unit: 'grapheme' })
const rows = fc.array(
  fc.tuple(
    fc.option(fc.oneof(text, fc.constantFrom('', '"', ',', '\r\n', '=1+1', '-1', "'"))),
    fc.option(
      fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant('-12345678901234567.89')),
    ),
    fc.option(fc.boolean()),
  ),
)

test('a reader of RFC 4180 finds in CSV what was written', () => {
  fc.assert(
    fc.property(rows, (written) => {
      const { head, rows: write } = csvWriting(COLUMNS, false)
      const options = {
        record_delimiter: '\r\n',
        cast: (value: string, { quoting }: { quoting: boolean }) => (value === '' && !quoting ? null : value),
      }
      const [names, ...found] = parse(head + write(written), options) as unknown as (string | null)[][]
      expect(names).toEqual(COLUMNS.map(({ name }) => name))
      expect(found).toEqual(written.map((row) => row.map((cell) => (cell === null ? null : String(cell)))))
    }),
  )
})

test('a result that breaks off is neither CSV nor NDJSON', () => {
  const csv = csvWriting(COLUMNS, false)
  expect(() =>
    parse(`${csv.head}${csv.rows([['a', 1, true]])}${csv.brokenOff('query_failed: "x"')}`),
  ).toThrow('Quote Not Closed')
  const line = ndjsonWriting(COLUMNS).brokenOff('query_failed: "x"')
  expect(line).toBe('{"error":"query_failed: \\"x\\""')
  expect(() => JSON.parse(line) as unknown).toThrow(SyntaxError)
})

test('CSV for Excel has no text that is a formula, and leaves numbers as they are', () => {
  const { head, rows: write } = csvWriting(COLUMNS, true)
  expect(head.endsWith(`,__proto__,'=sum\r\n`)).toBe(true)
  for (const start of ['=', '+', '-', '@', '\t'])
    expect(write([[`${start}1`, '-1.50', true]])).toBe(`'${start}1,-1.50,true\r\n`)
  expect(write([['\r1', -1, false]])).toBe(`"'\r1",-1,false\r\n`)
  expect(csvWriting(COLUMNS, false).rows([['=1', 1, null]])).toBe('=1,1,\r\n')
})

test('each line of NDJSON is a row', () => {
  fc.assert(
    fc.property(rows, (written) => {
      const lines = ndjsonWriting(COLUMNS).rows(written).split('\n')
      expect(lines.pop()).toBe('')
      const found = lines.map((line) => Object.entries(JSON.parse(line) as object))
      expect(found).toEqual(
        written.map((row) =>
          row.map((cell, at) => [COLUMNS[at]?.name ?? '', Object.is(cell, -0) ? 0 : cell]),
        ),
      )
    }),
  )
})

test('rows of any values are the same after they were written as CSV or NDJSON and imported', async () => {
  const storable = fc.string({ unit: 'grapheme' }).filter((one) => !/[\0\uFFFD]/.test(one))
  const special = fc.constantFrom('', ' a ', '\r\n', '\n', '"', 'a,b', '=1+1', '007', 'null', '1e5', 'é😀')
  const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null })
  const row = fc.tuple(
    optional(fc.oneof(storable, special)),
    optional(fc.integer()),
    optional(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    optional(fc.boolean()),
    optional(
      fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
        .map((at) => at.toISOString().slice(0, 10)),
    ),
  )
  const columns: readonly Column[] = [
    { name: 'a, "b"', type: 'string' },
    { name: 'whole', type: 'integer' },
    { name: 'number', type: 'number' },
    { name: 'ok', type: 'boolean' },
    { name: 'day', type: 'date' },
  ]
  const planned = columns.map((column, source) => ({ ...column, source }))
  const values = { nulls: [], decimal: '.', dateFormats: [], timeZone: 'UTC' } as const
  const back = async (content: string, file: FileFormat): Promise<Row[]> => {
    const bytes = new TextEncoder().encode(content)
    const plan = { file, columns: planned, values, onError: 'abort', faultsMax: 0 } as const
    const progress = { rows: 0, skipped: 0, faults: [] }
    const batches = await Array.fromAsync(readRows(streamedFile(bytes, 16), plan, progress))
    return batches.flat()
  }
  const csv = {
    kind: 'csv',
    delimiter: ',',
    quote: '"',
    encoding: 'utf-8',
    hasHeader: true,
    skipRecords: 0,
  } as const
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (written) => {
      const [lines, records] = [ndjsonWriting(columns), csvWriting(columns, false)]
      expect(await back(lines.head + lines.rows(written), { kind: 'ndjson' })).toEqual(written)
      // CSV of others has no null: a text without characters is one or the other by `nulls`.
      const full = written.map((cells) =>
        cells.map((cell, at) => cell ?? ['', 0, 0, false, '2026-01-01'][at] ?? null),
      )
      expect(await back(records.head + records.rows(full), csv)).toEqual(full)
    }),
    { numRuns: 200 },
  )
})
