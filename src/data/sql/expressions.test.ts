import { expect, test } from 'bun:test'
import { WRITERS } from './dialects/writers.ts'
import { withExpressions } from './expressions.ts'
import { bind, boundOf, name, raw, sql } from './fragment.ts'
import type { Fragment } from './fragment.ts'

const scope = sql`${name('t')} AS (SELECT 1 WHERE ${bind({ type: 'integer', value: 7 })} = 7)`

function written(statement: Fragment, expressions: readonly Fragment[] = [scope]) {
  const { text, binds } = boundOf(withExpressions(statement, expressions, 'postgresql'), WRITERS.postgresql)
  return [text.replaceAll(/CAST\((\$\d+) AS \w+\)/g, '$1'), binds.map(({ value }) => value)]
}

test('expressions stand before the ones of a statement, whose binds follow', () => {
  const value = bind({ type: 'integer', value: 1 })
  const own = '"t" AS (SELECT 1 WHERE $1 = 7)'
  expect(written(sql`SELECT ${value} FROM t`)).toEqual([`WITH ${own} SELECT $2 FROM t`, [7, 1]])
  expect(
    written(sql`-- x
    with a AS (SELECT ${value}) SELECT * FROM a`),
  ).toEqual([`WITH ${own}, a AS (SELECT $2) SELECT * FROM a`, [7, 1]])
  expect(written(raw('WITH /* x */ RECURSIVE a AS (SELECT 1) SELECT * FROM a'))).toEqual([
    `WITH RECURSIVE ${own}, a AS (SELECT 1) SELECT * FROM a`,
    [7],
  ])
  expect(written(raw('(SELECT 1) UNION SELECT 2'))).toEqual([`WITH ${own} (SELECT 1) UNION SELECT 2`, [7]])
  expect(written(raw('(WITH a AS (SELECT 1) SELECT * FROM a)'))[0]).toStartWith(`WITH ${own} (WITH a`)
  expect(written(sql`SELECT ${value}`, [])).toEqual(['SELECT $1', [1]])
})
