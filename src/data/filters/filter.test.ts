import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import * as fc from 'fast-check'

import type { Column } from '../../domain/table.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Bind } from '../../ports/databases.ts'
import { WRITERS, writerIn } from '../sql/dialects/writers.ts'
import { boundOf } from '../sql/fragment.ts'
import type { Dialect } from '../sql/spelling.ts'
import type { Condition, Relation } from './condition.ts'
import { conditionSql } from './emit.ts'
import { parseExpression } from './expression.ts'
import { conditionOf } from './filter.ts'
import type { Filter } from './filter.ts'

const COLUMNS: readonly Column[] = [
  { name: 'region', type: 'string' },
  { name: 'unit price', type: 'number' },
  { name: 'qty', type: 'integer' },
  { name: 'order"; drop table t; --', type: 'string' },
]
const columns = new Map(COLUMNS.map((column) => [column.name, column]))

const ROWS: readonly (readonly (string | number | null)[])[] = [
  ['north', 1.5, 1, 'a'],
  ['North-East', 2, 2, "it's"],
  ['', -3.25, 0, '100%'],
  [null, null, null, null],
  ['south', 1e9, -5, 'a,b(c)"d"\\'],
  ['NORNOR', 0.1, 7, '_'],
  ['b', 4, 3, "' OR 1=1 --"],
  ['%', 5, 100, '\\'],
]

const database = new Database(':memory:')
database.run(
  'create table t (id integer, "region" text, "unit price" real, "qty" integer, "order""; drop table t; --" text)',
)
for (const [index, row] of ROWS.entries())
  database.run('insert into t values (?, ?, ?, ?, ?)', [index, ...row])

const SQLITE = writerIn('sqlite', 'UTC')

/** The rows that SQLite finds, by their numbers. */
function found(filter: Filter): number[] {
  const { text, binds } = boundOf(conditionSql(conditionOf(filter, columns, '/filter'), SQLITE), SQLITE)
  const values = Object.fromEntries(binds.map(({ value }, index) => [`$${index + 1}`, value]))
  return database
    .query<{ id: number }, [typeof values]>(`select id from t where ${text} order by id`)
    .all(values)
    .map(({ id }) => id)
}

const matching = (column: string, match: string) => found({ column, match })

function refusalOf(filter: Filter) {
  try {
    conditionOf(filter, columns, '/filter')
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.errors[0]
    throw error
  }
}

describe('match strings', () => {
  test.each([
    ['region', 'nor%', [0, 1, 5]],
    ['region', 'nor*', [0, 1, 5]],
    ['region', '%th', [0, 4]],
    ['region', 'n%t', [1]],
    ['region', 'nor%nor', [5]],
    ['region', 'norn%rnor', []],
    ['region', '%r%o%', [5]],
    ['region', 'o', [0, 1, 4, 5]],
    ['region', '=NORTH', [0]],
    ['region', '<>north', [1, 2, 4, 5, 6, 7]],
    ['region', '%', [0, 1, 2, 4, 5, 6, 7]],
    ['region', '"%"', [7]],
    ['region', 'NULL()', [3]],
    ['region', 'NOT(NULL())', [0, 1, 2, 4, 5, 6, 7]],
    ['region', 'OR(nor%,AND(>=b,<c))', [0, 1, 5, 6]],
    ['region', 'and( n , not( east ) )', [0, 5]],
    ['region', 'IN(north, SOUTH)', [0, 4]],
    ['unit price', '1.5', [0]],
    ['unit price', 'BETWEEN(1, 2)', [0, 1]],
    ['unit price', 'AND(OR(>1e3,<0),NOT(BETWEEN(-4,-3)))', [4]],
    ['qty', 'IN(1, 2, 100)', [0, 1, 7]],
    ['qty', '<>1', [1, 2, 4, 5, 6, 7]],
    ['qty', '>1.5', [1, 5, 6, 7]],
    ['order"; drop table t; --', "' OR 1=1 --", [6]],
    ['order"; drop table t; --', "=it's", [1]],
    ['order"; drop table t; --', '"100%"', [2]],
    ['order"; drop table t; --', '_', [5]],
    ['order"; drop table t; --', '\\', [4, 7]],
    ['order"; drop table t; --', '="a,b(c)\\"d\\"\\\\"', [4]],
  ] as const)('%s %s', (column, match, rows) => expect(matching(column, match)).toEqual([...rows]))

  test.each([
    ['region', 'OR(a', 'line 1, column 5: must be ")"'],
    ['region', 'OR()', 'line 1, column 4: must be a value; put one with , ( ) or " into quotes'],
    ['region', 'a,b', 'line 1, column 2: is not expected here'],
    ['region', '%a%b%c%d%', 'line 1, column 1: has more than 4 wildcards'],
    ['qty', '>abc', 'line 1, column 2: must be a number'],
    ['qty', 'ab%', 'line 1, column 1: has a wildcard, which texts have only'],
    ['qty', 'BETWEEN(1)', 'line 1, column 1: BETWEEN has two values'],
    ['region', 'a\0b', 'line 1, column 1: contains NUL or half of a character'],
    ['region', 'a\ud800b', 'line 1, column 1: contains NUL or half of a character'],
  ])('%s %p is refused', (column, match, message) =>
    expect(refusalOf({ column, match })).toEqual({ pointer: '/filter/match', message }),
  )

  const nested = (depth: number) => `${'NOT('.repeat(depth)}a${')'.repeat(depth)}`
  const many = (count: number) => `OR(${Array.from({ length: count }, (_, index) => `=v${index}`).join(',')})`

  test('16 levels and 500 values', () => {
    expect(matching('region', nested(16))).toEqual(matching('region', 'a'))
    expect(refusalOf({ column: 'region', match: nested(17) })?.message).toContain(
      'is deeper than 16 operators',
    )
    expect(matching('region', many(500))).toEqual([])
    expect(refusalOf({ column: 'region', match: many(501) })?.message).toContain('is more than 500 values')
    const two = (count: number): Filter => ({
      and: [
        { column: 'region', match: many(count) },
        { column: 'qty', match: '1' },
      ],
    })
    expect(refusalOf(two(499))).toBeUndefined()
    expect(refusalOf(two(500))?.pointer).toBe('/filter/and/1/match')
  })

  test('500 values fit a Durable Object: one bind, a shallow tree, less than 100 kB', () => {
    const condition = conditionOf({ column: 'region', match: many(500) }, columns, '/filter')
    const { text, binds } = boundOf(conditionSql(condition, SQLITE), SQLITE)
    expect(binds).toHaveLength(1)
    expect(text.length).toBeLessThan(100_000)
    expect(depthOf(text)).toBeLessThan(40)
  })
})

/** How deep the parentheses are. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const char of text) {
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

describe('truncated times', () => {
  const times = new Map(
    (['at datetime', 'day date', 'qty integer'] as const).map((text) => {
      const [name, type] = text.split(' ') as [string, Column['type']]
      return [name, { name, type }]
    }),
  )
  const parsed = (expr: string) => parseExpression(expr, times)

  test('have the type of their column', () => {
    expect(parsed("date_trunc('Day', at)")).toEqual({
      kind: 'truncation',
      unit: 'day',
      column: 'at',
      type: 'datetime',
      timeZone: null,
    })
    expect(parsed(`DATE_TRUNC('week', "day")`)).toMatchObject({ unit: 'week', type: 'date' })
    expect(parsed("DATE_TRUNC('hour', at, 'Asia/Kathmandu')")).toMatchObject({ timeZone: 'Asia/Kathmandu' })
  })

  test.each([
    ["DATE_TRUNC('decade', at)", 'must be one of second, minute, hour, day, week, month, quarter, year'],
    ['DATE_TRUNC(at)', 'must be a text in quotes'],
    ["DATE_TRUNC('day')", 'must be ","'],
    ["DATE_TRUNC('day', qty)", 'is not a column of days or instants'],
    ["DATE_TRUNC('day', other)", 'is not a column'],
    ["DATE_TRUNC('day', '2026-01-01')", 'must be a column'],
    ["DATE_TRUNC('day', DATE_TRUNC('hour', at))", 'is not a column'],
    ["DATE_TRUNC('hour', day)", 'is shorter than a day'],
    ["DATE_TRUNC('day', at, 'Mars')", 'is not a time zone'],
    ["DATE_TRUNC('day', day, 'UTC')", 'is for instants: days have no zone'],
    ["DATE_TRUNC('day', at, 'UTC', 1)", 'must be ")"'],
  ])('%s is refused', (expr, message) => expect(() => parsed(expr)).toThrow(message))
})

describe('expressions', () => {
  test.each([
    ['"unit price" * (qty - 1)', '>0', [1, 2, 5, 6, 7]],
    ['qty / 2', '0.5', [0]],
    ['qty / 0', 'NULL()', [0, 1, 2, 3, 4, 5, 6, 7]],
    ['qty % 5', '2', [1, 5]],
    ['-qty', '>0', [4]],
    ["coalesce(region, 'none')", '=none', [3]],
    ["region || '-' || qty", '=b-3', [6]],
    ['length(region)', '5', [0, 4]],
    ['round("unit price", 1)', '1.5', [0]],
    ['nullif(qty, 1)', 'NULL()', [0, 3]],
    ['lower(region)', '>=n', [0, 1, 4, 5]],
  ] as const)('%s %s', (expr, match, rows) => expect(found({ expr, match })).toEqual([...rows]))

  test.each([
    ['(select 1)', 'line 1, column 2: is not a column'],
    ['pg_sleep(9)', 'line 1, column 1: is not a function of expressions'],
    ['qty + price', 'line 1, column 7: is not a column'],
    ['region * 2', 'line 1, column 8: computes with numbers only'],
    ['qty +', 'line 1, column 6: the expression ends too early'],
    ['qty; drop table t', 'line 1, column 4: is not expected here'],
    ['abs(qty, 1)', 'line 1, column 1: takes another number of arguments'],
    ['(qty', 'line 1, column 5: must be ")"'],
    [`${'('.repeat(17)}qty${')'.repeat(17)}`, 'line 1, column 17: is deeper than 16 levels'],
  ])('%s is refused', (expr, message) =>
    expect(refusalOf({ expr, op: 'is_null' })).toEqual({ pointer: '/filter/expr', message }),
  )
})

describe('trees', () => {
  test.each<[Filter, number[]]>([
    [{ column: 'region', op: 'eq', value: 'north' }, [0]],
    [{ column: 'region', op: 'starts_with', value: 'nor' }, [0, 1, 5]],
    [{ column: 'region', op: 'ends_with', value: 'TH' }, [0, 4]],
    [{ column: 'region', op: 'contains', value: '%' }, [7]],
    [{ column: 'region', op: 'like', value: 'NOR%' }, [0, 1, 5]],
    [{ column: 'region', op: 'like', value: 'north' }, [0]],
    [{ column: 'qty', op: 'between', values: [1, 3] }, [0, 1, 6]],
    [{ column: 'qty', op: 'in', values: [1, 7] }, [0, 5]],
    [{ and: [] }, [0, 1, 2, 3, 4, 5, 6, 7]],
    [{ or: [] }, []],
    [{ and: [{ column: 'qty', op: 'gt', value: 1 }, { not: { column: 'region', match: 'nor%' } }] }, [6, 7]],
  ])('%j', (filter, rows) => expect(found(filter)).toEqual(rows))

  test.each<[Filter, string, string]>([
    [{ column: 'none', op: 'eq', value: 1 }, '/filter/column', 'is not a column'],
    [{ and: [{ column: 'qty', op: 'eq' }] }, '/filter/and/0/value', 'is required'],
    [{ column: 'qty', op: 'contains', value: '1' }, '/filter/op', 'is an operator of texts'],
    [{ column: 'qty', op: 'like', value: '1%' }, '/filter/op', 'is an operator of texts'],
    [{ column: 'region', op: 'like', value: '%a%b%c%d%' }, '/filter/value', 'has more than 4 wildcards'],
    [{ column: 'region', op: 'like' }, '/filter/value', 'is required'],
    [{ column: 'qty', op: 'between', values: [1] }, '/filter/values', 'must be two values'],
    [{ column: 'qty', op: 'in', values: [1, 'x'] }, '/filter/values/1', 'line 1, column 1: must be a number'],
  ])('%j is refused', (filter, pointer, message) => expect(refusalOf(filter)).toEqual({ pointer, message }))
})

test.each(Object.keys(WRITERS) as Dialect[])('%s: names are quoted and values are bound', (dialect) => {
  const condition = conditionOf({ column: 'order"; drop table t; --', match: "=' OR 1=1 --`" }, columns, '')
  const writer = writerIn(dialect, 'UTC')
  const { text, binds } = boundOf(conditionSql(condition, writer), writer)
  expect(text).not.toContain('OR 1=1')
  expect(text).toContain(dialect === 'mysql' ? '`order"; drop table t; --`' : '"order""; drop table t; --"')
  expect(binds).toEqual([{ type: 'string', value: "' OR 1=1 --`" }])
})

type Value = string | number | null
type Named = ReadonlyMap<string, Value>

/** The condition without a database; null is neither true nor false. */
function evaluated(condition: Condition, row: Named): boolean | null {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return decided(
        condition.of.map((part) => evaluated(part, row)),
        condition.kind === 'or',
      )
    case 'not':
      return decided(
        [evaluated(condition.of, row)].map((inner) => (inner === null ? null : !inner)),
        true,
      )
    default:
      return tested(condition, row)
  }
}

function decided(parts: readonly (boolean | null)[], decides: boolean): boolean | null {
  if (parts.includes(decides)) return decides
  return parts.includes(null) ? null : !decides
}

function tested(condition: Extract<Condition, { left: unknown }>, row: Named): boolean | null {
  const left = condition.left.kind === 'column' ? (row.get(condition.left.name) ?? null) : null
  if (condition.kind === 'null') return left === null
  return left === null ? null : compared(condition, left)
}

const RELATIONS: Record<Relation, (left: string | number, right: Bind['value']) => boolean> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  gt: (left, right) => right !== null && left > right,
  ge: (left, right) => right !== null && left >= right,
  lt: (left, right) => right !== null && left < right,
  le: (left, right) => right !== null && left <= right,
}

function compared(
  condition: Extract<Condition, { kind: 'compare' | 'in' | 'text' }>,
  left: string | number,
): boolean {
  if (condition.kind === 'compare') return RELATIONS[condition.relation](left, condition.value.value)
  if (condition.kind === 'in') return condition.values.some(({ value }) => value === left)
  const pieces = condition.pieces.map((piece) => piece.replaceAll(/[^a-zA-Z0-9]/g, String.raw`\$&`))
  return new RegExp(`^${pieces.join('[^]*')}$`, 'i').test(String(left))
}

test('SQLite finds the rows that an evaluation without SQL finds', () => {
  const text = fc.string({
    unit: fc.constantFrom('n', 'o', 'R', 't', '%', '_', "'", '\\', ' ', '-'),
    maxLength: 5,
  })
  const leaf: fc.Arbitrary<Filter> = fc.oneof(
    fc.record({
      column: fc.constant('region'),
      op: fc.constantFrom('eq', 'ne', 'lt', 'ge', 'contains', 'starts_with', 'ends_with', 'like'),
      value: text,
    }),
    fc.record({
      column: fc.constant('qty'),
      op: fc.constantFrom('eq', 'ne', 'gt', 'le'),
      value: fc.integer({ min: -6, max: 8 }),
    }),
    fc.record({
      column: fc.constant('qty'),
      op: fc.constant('in' as const),
      values: fc.array(fc.integer({ min: -6, max: 8 }), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ column: fc.constantFrom('region', 'qty'), op: fc.constant('is_null' as const) }),
    fc
      .array(fc.string({ unit: fc.constantFrom('n', 'o', 'r', 't', 'h'), maxLength: 2 }), {
        minLength: 2,
        maxLength: 5,
      })
      .map((pieces) => ({ column: 'region', match: pieces.join('%') })),
  )
  const { tree } = fc.letrec<{ tree: Filter }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.record({ and: fc.array(tie('tree'), { maxLength: 4 }) }),
      fc.record({ or: fc.array(tie('tree'), { maxLength: 4 }) }),
      fc.record({ not: tie('tree') }),
    ),
  }))
  fc.assert(
    fc.property(tree, (filter) => {
      const condition = conditionOf(filter, columns, '')
      const expected = ROWS.flatMap((row, index) => {
        const named = new Map(COLUMNS.map(({ name }, at) => [name, row[at] ?? null]))
        return evaluated(condition, named) === true ? [index] : []
      })
      expect(found(filter)).toEqual(expected)
    }),
    { numRuns: 500, seed: 8 },
  )
})
