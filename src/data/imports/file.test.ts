import { describe, expect, test } from 'bun:test'

import type { ColumnType } from '../../domain/table.ts'
import type { CsvFormat, ImportPlan, ValueFormat } from '../../domain/import-plan.ts'
import { ImportFailure } from './failure.ts'
import { inspectFile, readRows } from './file.ts'
import type { ImportFile } from './import-file.ts'
import { streamedFile } from '../../../test/data/import-files.ts'
import type { ImportProgress } from './file.ts'

const CSV: CsvFormat = {
  kind: 'csv',
  delimiter: ',',
  quote: '"',
  encoding: 'utf-8',
  hasHeader: true,
  skipRecords: 0,
}
const VALUES: ValueFormat = { nulls: [''], decimal: '.', dateFormats: [], timeZone: 'Europe/Zurich' }

function bytesOf(text: string): ImportFile {
  return streamedFile(new TextEncoder().encode(text))
}

function column(values: readonly string[], format: Partial<ValueFormat> = {}) {
  return inspectFile(bytesOf(`c,n\n${values.map((value) => `${value},1\n`).join('')}`), CSV, {
    ...VALUES,
    ...format,
  }).then(({ columns }) => columns[0])
}

describe('the type of a column', () => {
  test.each([
    [['1', '-2', '+3'], 'integer'],
    [['1', '2.5', '1e5', '-1.5E-7'], 'number'],
    [['0', '1'], 'integer'],
    [['yes', 'no'], 'string'],
    [['true', 'False'], 'boolean'],
    [['2026-02-28', '2024-02-29'], 'date'],
    [['2026-02-28', '2026-02-29'], 'string'],
    [['2026-02-28T10:00:00Z', '2026-02-28 10:00'], 'datetime'],
    [['10:00', '10:00:01.5'], 'time'],
    [['10:00', '25:00'], 'string'],
    [['', ''], 'string'],
    [['NaN', '1'], 'string'],
  ] as const)('of %j is %s', async (values, type) => {
    expect((await column(values))?.type).toBe(type as ColumnType)
  })

  test('follows all values, also the last of 20,000', async () => {
    const values = Array.from({ length: 20_000 }, (_, index) => String(index + 1))
    expect((await column(values))?.type).toBe('integer')
    expect(await column([...values, '007'])).toMatchObject({
      type: 'string',
      warnings: [{ code: 'leading_zeros', line: 20_002 }],
    })
    expect(await column([...values, 'unknown'])).toMatchObject({
      type: 'string',
      warnings: [{ code: 'mixed_types', line: 20_002 }],
    })
  })

  test('is text for numbers that a double or a reader would change', async () => {
    expect(await column(['123456789012345'])).toMatchObject({ type: 'integer', warnings: [] })
    expect(await column(['1', '18446744073709551616'])).toMatchObject({
      type: 'string',
      warnings: [{ code: 'long_digits', line: 3 }],
    })
    expect(await column(['1234567890123456'])).toMatchObject({
      type: 'string',
      warnings: [{ code: 'long_digits', line: 2 }],
    })
    expect(await column(['03/04/2026'])).toMatchObject({
      type: 'string',
      warnings: [{ code: 'ambiguous_date', line: 2 }],
    })
  })

  test('follows the formats of the plan', async () => {
    expect(await column(['28.02.2026'], { dateFormats: ['dd.MM.yyyy'] })).toMatchObject({ type: 'date' })
    expect(await column(['28.2.2026 7:05'], { dateFormats: ['d.M.yyyy H:mm'] })).toMatchObject({
      type: 'datetime',
    })
    expect(await column(['"1,5"', '"-2e3"'], { decimal: ',' })).toMatchObject({ type: 'number' })
    expect(await column(['"1,5"', '1.500'], { decimal: ',' })).toMatchObject({ type: 'string' })
  })
})

test('names of columns are unique, and there are some for files without a header', async () => {
  const named = await inspectFile(bytesOf('a,A,,b\n1,2,3,4\n'), CSV, VALUES)
  expect(named.columns.map(({ name }) => name)).toEqual(['a', 'A_2', 'column3', 'b'])
  const question = 'q'.repeat(300)
  const long = await inspectFile(bytesOf(`${question},${question}\n1,2\n`), CSV, VALUES)
  expect(long.columns.map(({ name }) => name)).toEqual([`${'q'.repeat(254)}…`, `${'q'.repeat(253)}_2`])
  const bare = await inspectFile(bytesOf('1,2\n3,4\n'), { ...CSV, hasHeader: false }, VALUES)
  expect(bare).toMatchObject({
    records: 2,
    sample: [
      ['1', '2'],
      ['3', '4'],
    ],
  })
  expect(bare.columns.map(({ name }) => name)).toEqual(['column1', 'column2'])
  const late = await inspectFile(bytesOf('made by x\n\na,b\n1,2\n'), { ...CSV, skipRecords: 1 }, VALUES)
  expect(late.columns.map(({ name }) => name)).toEqual(['a', 'b'])
})

test('a table has at most 100 columns', async () => {
  const wide = (count: number) => `${Array.from({ length: count }, (_, index) => `c${index}`).join(',')}\n`
  expect((await inspectFile(bytesOf(wide(100)), CSV, VALUES)).columns.length).toBe(100)
  expect(inspectFile(bytesOf(wide(101)), CSV, VALUES)).rejects.toBeInstanceOf(ImportFailure)
})

const PLAN: ImportPlan = {
  file: CSV,
  values: VALUES,
  columns: [
    { name: 'id', type: 'integer', source: 0 },
    { name: 'price', type: 'number', source: 2 },
  ],
  onError: 'abort',
  faultsMax: 100,
}

async function rowsOf(text: string, plan: Partial<ImportPlan> = {}) {
  const progress: ImportProgress = { rows: 0, skipped: 0, faults: [] }
  const rows: unknown[] = []
  for await (const batch of readRows(bytesOf(text), { ...PLAN, ...plan }, progress)) rows.push(...batch)
  return { ...progress, rows }
}

describe('rows', () => {
  test('have the values of the planned columns', async () => {
    const text = 'id,name,price\n1,"a,b",2.5\n9007199254740993,,\n'
    expect((await rowsOf(text)).rows).toEqual([
      [1, 2.5],
      ['9007199254740993', null],
    ])
  })

  test.each([
    ['2,x', { code: 'too_few_cells', line: 3 }],
    ['2,x,3,4', { code: 'too_many_cells', line: 3 }],
    ['2,x\0,3', { code: 'nul', line: 3 }],
    ['2,x\uFFFD,3', { code: 'encoding', line: 3 }],
    ['2,x,3.4.5', { code: 'not_of_the_type', line: 3, column: 'price' }],
    ['2,x,1e999', { code: 'not_of_the_type', line: 3, column: 'price' }],
    ['9223372036854775808,x,1', { code: 'not_of_the_type', line: 3, column: 'id' }],
  ])('end at a fault such as %j, or leave its record out', async (record, fault) => {
    const text = `id,name,price\n1,a,1\n${record}\n4,d,4\n`
    const failure = await rowsOf(text).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ImportFailure)
    expect((failure as ImportFailure).faults).toMatchObject([fault])
    expect(await rowsOf(text, { onError: 'skip' })).toMatchObject({
      rows: [
        [1, 1],
        [4, 4],
      ],
      skipped: 1,
      faults: [fault],
    })
  })

  test('may leave out so many records and no more', async () => {
    const text = 'id,name,price\n1,a,x\n2,b,x\n3,c,3\n'
    expect(await rowsOf(text, { onError: 'skip', faultsMax: 2 })).toMatchObject({
      rows: [[3, 3]],
      skipped: 2,
    })
    expect(rowsOf(text, { onError: 'skip', faultsMax: 1 })).rejects.toBeInstanceOf(ImportFailure)
  })

  test('have instants in UTC, local ones by the rules of the zone', async () => {
    const columns: ImportPlan['columns'] = [{ name: 't', type: 'datetime', source: 0 }]
    const text =
      't,x\n2026-03-29 01:59:59.25,\n2026-03-29T02:30,\n2026-07-01T00:00:00+05:30,\n2026-10-25 02:30,\n'
    expect((await rowsOf(text, { columns })).rows).toEqual([
      ['2026-03-29T00:59:59.25Z'],
      ['2026-03-29T01:00:00Z'],
      ['2026-06-30T18:30:00Z'],
      ['2026-10-25T00:30:00Z'],
    ])
  })
})

describe('NDJSON', () => {
  const inspect = (text: string, changes: Partial<ValueFormat> = {}) =>
    inspectFile(bytesOf(text), { kind: 'ndjson' }, { ...VALUES, ...changes })

  test('has a column for each key, null where a line has not the key', async () => {
    const text = '\uFEFF{"id":1,"name":"a"}\r\n\n{"more":{"x":[1e0]},"id":2}\n{"id":null,"name":"b\\n"}'
    const contents = await inspect(text)
    expect(contents).toMatchObject({
      records: 3,
      columns: [
        { name: 'id', type: 'integer', hasNulls: true, source: 0 },
        { name: 'name', type: 'string', hasNulls: true, source: 1 },
        { name: 'more', type: 'json', hasNulls: true, source: 2 },
      ],
      sample: [
        ['1', 'a', ''],
        ['2', '', '{"x":[1]}'],
        ['', 'b\n', ''],
      ],
      faults: [],
    })
    const { columns } = contents
    expect((await rowsOf(text, { file: { kind: 'ndjson' }, columns })).rows).toEqual([
      [1, 'a', null],
      [2, null, '{"x":[1]}'],
      [null, 'b\n', null],
    ])
  })

  test.each([
    ['1', 'integer'],
    ['1.5', 'number'],
    ['1e5', 'integer'],
    ['true', 'boolean'],
    ['"1"', 'string'],
    ['"true"', 'string'],
    ['"2026-02-28"', 'date'],
    ['"2026-02-28T10:00:00Z"', 'datetime'],
    ['[]', 'json'],
    ['null', 'string'],
    ['1234567890123456', 'string'],
    ['1e400', 'string'],
  ] as const)('has the type of %s', async (json, type) => {
    expect((await inspect(`{"c":${json}}\n`)).columns[0]?.type).toBe(type as ColumnType)
  })

  test('of types that differ is text', async () => {
    expect((await inspect('{"c":1}\n{"c":{}}\n')).columns[0]?.type).toBe('string')
    expect((await inspect('{"c":1}\n{"c":"1"}\n')).columns[0]?.type).toBe('string')
    expect((await inspect('{"c":true}\n{"c":1}\n')).columns[0]?.type).toBe('string')
  })

  test('keeps all digits of integers, also of those in objects', async () => {
    const columns: ImportPlan['columns'] = [
      { name: 'n', type: 'integer', source: 0 },
      { name: 'o', type: 'json', source: 1 },
    ]
    const text = '{"n":9007199254740993,"o":{"n":9007199254740993}}\n'
    expect((await rowsOf(text, { file: { kind: 'ndjson' }, columns })).rows).toEqual([
      ['9007199254740993', '{"n":9007199254740993}'],
    ])
  })

  test('names columns once, also where keys differ in case alone', async () => {
    const { columns } = await inspect('{"a":1,"A":2,"":3,"__proto__":4}\n')
    expect(columns.map(({ name }) => name)).toEqual(['a', 'A_2', 'column3', '__proto__'])
  })

  test.each([
    ['[1]', 'not_an_object'],
    ['1', 'not_an_object'],
    ['9007199254740993', 'not_an_object'],
    ['{"id":', 'not_an_object'],
    ['{"id":2} {"id":3}', 'not_an_object'],
    [`{"id":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'not_an_object'],
    [String.raw`{"id":"\u0000"}`, 'nul'],
    [String.raw`{"id":"\ud800"}`, 'encoding'],
    [String.raw`{"\ud800":1}`, 'encoding'],
    ['{"id":"x"}', 'not_of_the_type'],
  ])('places a fault such as %.20s', async (record, code) => {
    const columns: ImportPlan['columns'] = [{ name: 'id', type: 'integer', source: 0 }]
    const text = `{"id":1}\n\n${record}\n{"id":4}\n`
    const plan: Partial<ImportPlan> = { file: { kind: 'ndjson' }, columns }
    const failure = await rowsOf(text, plan).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ImportFailure)
    expect((failure as ImportFailure).faults).toMatchObject([{ code, line: 3 }])
    expect(await rowsOf(text, { ...plan, onError: 'skip' })).toMatchObject({ rows: [[1], [4]], skipped: 1 })
  })

  test('has lines of 4 Mi characters and no longer, and 100 columns and no more', async () => {
    const line = (chars: number) => `{"a":"${'x'.repeat(chars - 8)}"}`
    const max = 4 * 1024 * 1024
    expect((await inspectFile(wholeOf(line(max)), { kind: 'ndjson' }, VALUES)).records).toBe(1)
    expect(inspectFile(wholeOf(line(max + 1)), { kind: 'ndjson' }, VALUES)).rejects.toBeInstanceOf(
      ImportFailure,
    )
    expect(inspectFile(wholeOf(`${line(max + 1)}\n{}`), { kind: 'ndjson' }, VALUES)).rejects.toMatchObject({
      faults: [{ code: 'too_long', line: 1 }],
    })
    const wide = (count: number) => Array.from({ length: count }, (_, index) => `{"c${index}":1}\n`).join('')
    expect((await inspect(wide(100))).columns.length).toBe(100)
    expect(inspect(wide(101))).rejects.toBeInstanceOf(ImportFailure)
  })
})

function wholeOf(text: string): ImportFile {
  return streamedFile(new TextEncoder().encode(text), 65_536)
}
