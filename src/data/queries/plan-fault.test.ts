import { expect, test } from 'bun:test'

import { planFault } from './plan-fault.ts'

const TEXT = 'SELECT id,\n  gone\nFROM nowhere n\n'

test.each([
  ['postgresql', 'relation "nowhere" does not exist (SQLSTATE 42P01)', 3, 6],
  ['postgresql', 'relation "own.nowhere" does not exist (SQLSTATE 42P01)', 3, 6],
  ['postgresql', 'column "gone" does not exist (SQLSTATE 42703)', 2, 3],
  ['postgresql', 'column n.gone does not exist (SQLSTATE 42703)', 2, 3],
  ['postgresql', 'syntax error at or near "FROM" (SQLSTATE 42601)', 3, 1],
  ['mysql', "Table 'sales.nowhere' doesn't exist", 3, 6],
  ['mysql', "Unknown column 'gone' in 'SELECT'", 2, 3],
  ['mysql', "Unknown column 'n.gone' in 'field list'", 2, 3],
  ['duckdb', 'Catalog Error: Table with name nowhere does not exist!\nDid you mean "here"?', 3, 6],
  ['duckdb', 'Binder Error: Referenced column "gone" not found in FROM clause!', 2, 3],
  ['duckdb', 'Binder Error: Table "n" does not have a column named "gone"', 2, 3],
  ['sqlite', 'no such table: nowhere: SQLITE_ERROR', 3, 6],
  ['sqlite', 'no such column: n.gone: SQLITE_ERROR', 2, 3],
  ['sqlite', 'near "FROM": syntax error: SQLITE_ERROR', 3, 1],
  ['sqlite', 'a message without a name', 1, 1],
] as const)('%s: %s', (dialect, message, line, column) => {
  expect(planFault(message, TEXT, dialect)).toEqual({
    phase: 'plan',
    line,
    column,
    code: 'query_failed',
    message,
  })
})
