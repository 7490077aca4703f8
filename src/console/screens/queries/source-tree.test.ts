import { expect, test } from 'bun:test'

import { branchesOf } from './source-tree.ts'
import type { SourceColumn } from './source-tree.ts'

const column = (table: string, name: string): SourceColumn =>
  ({ table, name, type: 'string', nativeType: 'text' }) as SourceColumn
const COLUMNS = [column('levels', 'station'), column('levels', 'level'), column('stations', 'region')]
const namesIn = (filter: string) =>
  branchesOf(COLUMNS, filter).tables.map(({ name, columns, isFound }) => [
    name,
    columns.map((one) => one.name).join(' '),
    isFound,
  ])

test('a text finds tables with all columns, and opens others at the columns that it finds', () => {
  expect(namesIn('')).toEqual([
    ['levels', 'station level', false],
    ['stations', 'region', false],
  ])
  expect(namesIn(' STATION')).toEqual([
    ['levels', 'station', true],
    ['stations', 'region', false],
  ])
  expect(namesIn('nothing')).toEqual([])
})

test('of 100 tables all are shown, of 101 one is counted', () => {
  const some = (count: number) => Array.from({ length: count }, (_, at) => column(`t${at}`, 'id'))
  expect(branchesOf(some(100), '')).toMatchObject({ more: 0, tables: { length: 100 } })
  expect(branchesOf(some(101), '')).toMatchObject({ more: 1, tables: { length: 100 } })
})
