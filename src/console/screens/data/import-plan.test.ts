import { expect, test } from 'bun:test'

import {
  columnsOf,
  faultsOf,
  formatBody,
  formatOf,
  importBody,
  refusalOf,
  tableNameOf,
} from './import-plan.ts'
import type { ColumnPlan, Preview, Target } from './import-plan.ts'

const COLUMNS: readonly ColumnPlan[] = [
  { source: 'id', name: 'id', type: 'integer', isUsed: true },
  { source: 'Region', name: 'region', type: 'string', isUsed: true },
  { source: 'note', name: 'note', type: 'string', isUsed: false },
]
const TARGET: Target = { table: 'orders', mode: 'create', key: [], onError: 'abort' }

test.each([
  ['Orders 2026.csv', 'orders_2026'],
  ['Zürich-Süd.final.csv', 'zürich_süd_final'],
  ['.csv', 'table'],
  ['orders', 'orders'],
])('%s becomes the table %s', (file, table) => {
  expect(tableNameOf(file)).toBe(table)
})

test('a file is read by its extension, and texts for null are split at commas', () => {
  expect(formatBody(formatOf('a.NDJSON', 'UTC'))).toHaveProperty('file', { kind: 'ndjson' })
  expect(formatBody({ ...formatOf('a.xlsx', 'UTC'), skipRecords: '2' })).toHaveProperty('file', {
    kind: 'xlsx',
    sheet: null,
    hasHeader: true,
    skipRecords: 2,
  })
  expect(formatBody(formatOf('a.XLS', 'UTC'))).toMatchObject({ file: { kind: 'xls', sheet: null } })
  expect(formatBody(formatOf('a.parquet', 'UTC'))).toHaveProperty('file', { kind: 'parquet' })
  expect(formatBody({ ...formatOf('a.csv', 'UTC'), nulls: 'NA, -,NA', dateFormat: 'dd.MM.yyyy' })).toEqual({
    file: { kind: 'csv', delimiter: 'auto', encoding: 'utf-8', hasHeader: true, skipRecords: 0 },
    values: { nulls: ['', 'NA', '-'], decimal: '.', dateFormats: ['dd.MM.yyyy'], timeZone: 'UTC' },
  })
})

test('names and types of the user stay when the file is read in another way, and other types are found again', () => {
  const preview = {
    columns: [{ source: 'Region', name: 'Region', type: 'number', nullable: false, warnings: [] }],
  } as unknown as Preview
  expect(columnsOf(preview, COLUMNS)).toEqual([
    { source: 'Region', name: 'region', type: 'number', isUsed: true },
  ])
  const typed = COLUMNS.map((column) => ({ ...column, isTyped: true }))
  expect(columnsOf(preview, typed)[0]).toMatchObject({ type: 'string' })
  expect(columnsOf(preview, [])[0]).toMatchObject({ name: 'Region', isUsed: true })
})

test('an import has the used columns, with types unless rows are added to a table', () => {
  const format = formatOf('a.csv', 'UTC')
  expect(importBody({ format, columns: COLUMNS, target: TARGET }, 'U')).toMatchObject({
    upload: 'U',
    table: 'orders',
    mode: 'create',
    columns: [
      { source: 'id', name: 'id', type: 'integer' },
      { source: 'Region', name: 'region', type: 'string' },
    ],
    onError: 'abort',
  })
  const upsert = { ...TARGET, mode: 'upsert' as const, key: ['id'] }
  expect(importBody({ format, columns: COLUMNS, target: upsert }, 'U')).toMatchObject({
    key: ['id'],
    columns: [
      { source: 'id', name: 'id' },
      { source: 'Region', name: 'region' },
    ],
  })
})

test.each([
  ['fits', {}, [], null],
  ['no column', {}, COLUMNS.map((column) => ({ ...column, isUsed: false })), 'data.refused.noColumns'],
  ['an empty name', {}, [{ ...COLUMNS[0], name: ' ' }], 'data.refused.noName'],
  ['a name twice', {}, [COLUMNS[0], { ...COLUMNS[1], name: 'ID' }], 'data.refused.sameName'],
  ['no table', { table: ' ' }, [], 'data.refused.noTable'],
  ['a table that is there', { table: 'Stock' }, [], 'data.refused.tableTaken'],
  ['rows for no table', { mode: 'append' as const }, [], 'data.refused.tableMissing'],
  ['an upsert without a key', { mode: 'upsert' as const, table: 'stock' }, [], 'data.refused.noKey'],
  ['an upsert', { mode: 'upsert' as const, table: 'stock', key: ['id'] }, [], null],
])('%s', (_, target, columns, refusal) => {
  const plan = {
    columns: columns.length === 0 ? COLUMNS : (columns as readonly ColumnPlan[]),
    target: { ...TARGET, ...target },
  }
  expect(refusalOf(plan, ['stock'])).toBe(refusal)
})

test('pointers of a refused file are lines and columns', () => {
  const message = 'is wrong'
  expect(
    faultsOf([
      { pointer: '/file/12/amount~1net', message },
      { pointer: '/file/3', message },
      { pointer: '/table', message },
    ]),
  ).toEqual([
    { line: 12, column: 'amount/net', message },
    { line: 3, column: null, message },
  ])
})
