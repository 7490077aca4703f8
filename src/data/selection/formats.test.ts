import { expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'

import type { Column } from '../../domain/table.ts'
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
