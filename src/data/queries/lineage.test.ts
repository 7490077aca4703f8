import { expect, test } from 'bun:test'

import { columnsIn, namesIn } from './lineage.ts'
import type { Dialect } from '../sql/spelling.ts'

const COLUMNS = [{ name: 'id' }, { name: 'region' }, { name: 'unit price' }, { name: 'state' }]

const cases: readonly (readonly [Dialect, string, boolean, readonly string[]])[] = [
  ['postgresql', 'SELECT id FROM orders', true, ['id']],
  ['postgresql', 'SELECT o.ID, "unit price" FROM "orders" o', true, ['id', 'unit price']],
  ['postgresql', 'SELECT count(*) FROM orders WHERE 2 * 3 = 6', true, []],
  ['postgresql', 'SELECT DISTINCT * FROM orders', true, ['id', 'region', 'unit price', 'state']],
  ['postgresql', 'SELECT 1, o.* FROM orders o', true, ['id', 'region', 'unit price', 'state']],
  ['postgresql', "SELECT 'region' /* state */ FROM orders -- id", true, []],
  ['postgresql', "SELECT 1 FROM other WHERE a = 'orders'", false, []],
  [
    'postgresql',
    "SELECT * FROM crosstab('SELECT region, state, id FROM orders', 'SELECT ''it''''s''') AS ct (r text)",
    true,
    ['id', 'region', 'unit price', 'state'],
  ],
  ['postgresql', "SELECT r FROM crosstab('SELECT region FROM orders') AS ct (r text)", true, ['region']],
  ['mysql', 'SELECT `unit price` FROM `orders`', true, ['unit price']],
  ['duckdb', "SELECT id FROM 'orders'", true, ['id']],
  ['sqlite', 'SELECT [region] FROM [orders]', true, ['region']],
]

test.each([...cases])('%s: %s', (dialect, text, isRead, columns) => {
  const names = namesIn(text, dialect)
  expect([names.has('Orders'), columnsIn(names, COLUMNS)]).toEqual([isRead, [...columns]])
})
