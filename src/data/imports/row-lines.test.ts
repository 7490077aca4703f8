import { expect, test } from 'bun:test'
import type { ColumnType } from '../../domain/table.ts'
import { cellReaders } from './cells.ts'
import { readRowLines } from './row-lines.ts'

const READERS = cellReaders({ nulls: [], decimal: '.', dateFormats: [], timeZone: 'UTC' })

async function read(types: readonly ColumnType[], ...lines: readonly string[]) {
  const columns = types.map((type, source) => ({ name: `c${source}`, type, source }))
  async function* bytes() {
    yield new TextEncoder().encode(lines.join('\n'))
  }
  return (await Array.fromAsync(readRowLines(bytes(), columns, READERS))).flat()
}

test.each([
  ['string', '"a\\"b"', 'a"b'],
  ['string', '""', ''],
  ['string', '1.5', '1.5'],
  ['integer', '-7', -7],
  ['integer', '"9007199254740993"', '9007199254740993'],
  ['number', '1e-7', 1e-7],
  ['number', '"12.5"', 12.5],
  ['boolean', 'false', false],
  ['boolean', '"true"', true],
  ['date', '"2026-03-29"', '2026-03-29'],
  ['datetime', '"2026-03-29T01:00:00.000001Z"', '2026-03-29T01:00:00.000001Z'],
  ['time', '"07:30"', '07:30:00'],
  ['json', '"{}"', '{}'],
  ['binary', '"AQ=="', 'AQ=='],
  ['integer', 'null', null],
] as const)('a cell of the type %s: %s is %p', async (type, cell, value) => {
  expect(await read([type], cell)).toEqual([[value]])
})

test.each([
  ['integer', '1.5'],
  ['integer', '9007199254740993e9'],
  ['number', '"x"'],
  ['boolean', '1'],
  ['date', '"2026-02-30"'],
  ['json', '"{"'],
] as const)('%s: %s is a fault of its line', async (type, cell) => {
  expect(await read(['string', type], '"a", null', '', `"b", ${cell}`)).toEqual([
    ['a', null],
    { code: 'not_of_the_type', line: 3, column: 'c1', message: `The value is not of the type ${type}.` },
  ])
})

test('NUL is a fault, and its spelling in a text is not', async () => {
  expect(await read(['string', 'string'], '"a\\u0000"', '"a\\\\u0000"', 'null')).toEqual([
    { code: 'nul', line: 1, column: null, message: 'A cell has the character NUL.' },
    ['a\\u0000', null],
    [null, null],
  ])
})
