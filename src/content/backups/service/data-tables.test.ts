import { expect, test } from 'bun:test'

import { Refusal } from '../../../lib/errors.ts'
import { DataRowCounts } from './data-tables.ts'

const COLUMNS = ['id', 'data_source_id', 'generation_id', 'columns', 'rows']
const TABLE = [7, 1, 3, '[{"name":"a","type":"string"},{"name":"b","type":"integer"}]', 2]

function counted(steps: (counts: DataRowCounts) => void): boolean {
  const counts = new DataRowCounts()
  try {
    steps(counts)
    counts.end()
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'bad_request') return false
    throw error
  }
}

test.each<[title: string, steps: (counts: DataRowCounts) => void, isWhole: boolean]>([
  ['no table', () => undefined, true],
  [
    'all rows of a table',
    (counts) => {
      counts.announce(COLUMNS, TABLE)
      counts.begin(7)
      counts.count(7, ['x', 1])
      counts.count(7, [null, null])
    },
    true,
  ],
  ['a table without its rows', (counts) => counts.announce(COLUMNS, TABLE), false],
  ['an empty table without a heading', (counts) => counts.announce(COLUMNS, TABLE.with(4, 0)), false],
  ['rows of an unknown table', (counts) => counts.begin(7), false],
  [
    'a row less',
    (counts) => {
      counts.announce(COLUMNS, TABLE)
      counts.begin(7)
      counts.count(7, ['x', 1])
    },
    false,
  ],
  [
    'a row of another width',
    (counts) => {
      counts.announce(COLUMNS, TABLE.with(4, 1))
      counts.begin(7)
      counts.count(7, ['x'])
    },
    false,
  ],
  [
    'rows twice',
    (counts) => {
      counts.announce(COLUMNS, TABLE.with(4, 0))
      counts.begin(7)
      counts.begin(7)
    },
    false,
  ],
  ['columns that are no JSON', (counts) => counts.announce(COLUMNS, TABLE.with(3, '{')), false],
])('an archive with %s is whole or is refused', (_, steps, isWhole) => {
  expect(counted(steps)).toBe(isWhole)
})
