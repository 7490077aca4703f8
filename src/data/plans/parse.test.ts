import { describe, expect, test } from 'bun:test'
import { nodeOf, nodesOf } from './node.ts'
import type { PlanNode } from './node.ts'
import { planTree } from './parse.ts'
import { warningsOf } from './warnings.ts'

/** The steps of a tree, a line each. */
const shown = (node: PlanNode): readonly unknown[] =>
  nodesOf(node).map(({ operation, relation, index, rows }) => [operation, relation, index, rows])

describe('plans are trees of the same words', () => {
  test('of PostgreSQL, with the rows of all loops', () => {
    const inner = {
      'Node Type': 'Index Scan',
      'Relation Name': 'b',
      'Index Name': 'b_pkey',
      'Index Cond': '(id = a.id)',
      'Plan Rows': 1,
      'Actual Rows': 2,
      'Actual Loops': 3,
      'Actual Total Time': 0.5,
    }
    const outer = { 'Node Type': 'Seq Scan', 'Relation Name': 'a', Filter: '(x > 1)', 'Plan Rows': 3 }
    const text = JSON.stringify([{ Plan: { 'Node Type': 'Nested Loop', Plans: [outer, inner] } }])
    const tree = planTree({ format: 'json', text }, 'postgresql')
    expect(shown(tree)).toEqual([
      ['join', null, null, null],
      ['scan', 'a', null, null],
      ['index', 'b', 'b_pkey', 6],
    ])
    expect(tree.children[1]).toMatchObject({ durationMs: 1.5, condition: '(id = a.id)' })
  })

  test('of MariaDB, with its nested loop below the sort', () => {
    const table = (name: string, access_type: string, more = {}) => ({
      table: { table_name: name, access_type, rows: 10, ...more },
    })
    const text = JSON.stringify({
      query_block: {
        select_id: 1,
        filesort: {
          sort_key: 'a.x',
          temporary_table: {
            nested_loop: [
              table('a', 'ALL', { attached_condition: 'a.x > 1', r_loops: 2, r_rows: 5 }),
              table('b', 'eq_ref', { key: 'PRIMARY' }),
            ],
          },
        },
      },
    })
    expect(shown(planTree({ format: 'json', text }, 'mysql'))).toEqual([
      ['other', null, null, null],
      ['sort', null, null, null],
      ['other', null, null, null],
      ['join', null, null, null],
      ['scan', 'a', null, 10],
      ['index', 'b', 'PRIMARY', null],
    ])
  })

  test('of MySQL, whose plan of a run is text', () => {
    const text = [
      '-> Sort: orders.n  (cost=3.5 rows=10) (actual time=0.1..0.2 rows=4 loops=1)',
      '    -> Nested loop inner join  (cost=2 rows=10) (actual time=0.05..0.1 rows=4 loops=1)',
      '        -> Table scan on orders  (cost=1 rows=10) (actual time=0.01..0.02 rows=4 loops=1)',
      '        -> Single-row index lookup on b using PRIMARY (id=orders.id)  (cost=1 rows=1) (actual time=0.01..0.01 rows=1 loops=4)',
    ].join('\n')
    expect(shown(planTree({ format: 'text', text }, 'mysql'))).toEqual([
      ['sort', null, null, 4],
      ['join', null, null, 4],
      ['scan', 'orders', null, 4],
      ['index', 'b', 'PRIMARY', 4],
    ])
  })

  test('of SQLite, by the steps above each one', () => {
    const steps = [
      { id: 5, parent: 0, detail: 'SCAN orders' },
      { id: 9, parent: 0, detail: 'SEARCH b USING INTEGER PRIMARY KEY (rowid=?)' },
      { id: 20, parent: 0, detail: 'USE TEMP B-TREE FOR ORDER BY' },
    ]
    const tree = planTree({ format: 'json', text: JSON.stringify({ steps, rows: 4 }) }, 'sqlite')
    expect(shown(tree)).toEqual([
      ['other', null, null, 4],
      ['scan', 'orders', null, null],
      ['index', 'b', 'INTEGER PRIMARY KEY', null],
      ['sort', null, null, null],
    ])
    expect(warningsOf(tree, 'sqlite')).toEqual(['All rows of orders are read.'])
  })

  test('of DuckDB, without the steps around the statement', () => {
    const scan = {
      operator_name: 'SEQ_SCAN ',
      operator_cardinality: 7,
      operator_timing: 0.002,
      extra_info: { Table: 'orders', Filters: ['a>1', 'b<2'], 'Estimated Cardinality': '9' },
      children: [],
    }
    const text = JSON.stringify({
      children: [
        { operator_name: 'EXPLAIN_ANALYZE', children: [{ operator_name: 'TOP_N', children: [scan] }] },
      ],
    })
    const tree = planTree({ format: 'json', text }, 'duckdb')
    expect(shown(tree)).toEqual([
      ['sort', null, null, null],
      ['scan', 'orders', null, 7],
    ])
    expect(tree.children[0]).toMatchObject({ condition: 'a>1 AND b<2', estimatedRows: 9, durationMs: 2 })
  })
})

describe('a plan is warned of', () => {
  const scan = (parts: Partial<PlanNode>) => nodeOf('Seq Scan', { relation: 'orders', ...parts })

  test('whole tables that are read, from 100,000 rows on and not in DuckDB', () => {
    expect(warningsOf(scan({ estimatedRows: 99_999 }), 'postgresql')).toEqual([])
    expect(warningsOf(scan({ estimatedRows: 100_000 }), 'postgresql')).toEqual([
      'All rows of orders are read, about 100,000. A condition on an indexed column would read fewer.',
    ])
    expect(warningsOf(scan({ estimatedRows: 100_000 }), 'duckdb')).toEqual([])
  })

  test('estimates that are a hundred times too small or too large', () => {
    const index = (rows: number, estimatedRows: number) =>
      warningsOf(nodeOf('Index Scan', { rows, estimatedRows }), 'postgresql')
    expect([index(99_000, 1_000), index(999, 1)]).toEqual([[], []])
    expect(index(100_000, 1_000)).toEqual([
      'The step Index Scan has 100,000 rows, and the database expected 1,000. Its statistics may be old.',
    ])
    expect(index(10, 1_000)).toHaveLength(1)
  })

  test('joins without a condition, sorts of many rows, and indexes for one run', () => {
    const cross = nodeOf('Nested Loop', {
      children: [scan({ estimatedRows: 1_000 }), scan({ estimatedRows: 5_000 })],
    })
    expect(warningsOf(cross, 'postgresql')).toEqual([
      'Each row of one part is joined with each row of another one. A condition is missing.',
    ])
    expect(warningsOf({ ...cross, condition: 'a.id = b.id' }, 'postgresql')).toEqual([])
    expect(warningsOf(nodeOf('Sort', { estimatedRows: 200_000 }), 'postgresql')).toEqual([
      '200,000 rows are sorted.',
    ])
    expect(warningsOf(nodeOf('SEARCH b USING AUTOMATIC COVERING INDEX (id=?)', {}), 'sqlite')).toHaveLength(1)
  })
})
