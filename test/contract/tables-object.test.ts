import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { ImportPlan } from '../../src/domain/import-plan.ts'
import type { Column, Row } from '../../src/domain/table.ts'
import type { QueryLimits } from '../../src/ports/databases.ts'
import type { Generation, TableView } from '../../src/ports/tables.ts'
import { startTables } from '../hosts/tables.ts'
import type { TablesHost } from '../hosts/tables.ts'
import { rejection } from './rejection.ts'
import { LIMITS, NEVER, planOf, rowsOf } from './tables.contract.ts'

let host: TablesHost
beforeAll(async () => {
  host = await startTables()
}, 180_000)
afterAll(() => host.close())

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'integer' },
  { name: 'region', type: 'string' },
  { name: 'price', type: 'number' },
  { name: 'is paid', type: 'boolean' },
  { name: 'at', type: 'datetime' },
]
const ORDERS: Generation = { sourceId: 1, tableId: 1, key: 'a' }
const OTHERS: Generation = { sourceId: 1, tableId: 2, key: 'b' }
const VIEW: TableView = {
  name: 'orders',
  of: ORDERS,
  columns: ['id', 'region'],
  where: { text: '"region" = $1', binds: [{ type: 'string', value: 'mine' }] },
}

async function load(
  to: Generation,
  text: string,
  columns: readonly Column[],
  plan: Partial<ImportPlan> = {},
) {
  const blob = `${to.sourceId}/${to.tableId}/${to.key}`
  await host.blobs.put(blob, new TextEncoder().encode(text))
  return { to, blob, plan: planOf(columns, plan) }
}

async function ask(
  text: string,
  limits: Partial<QueryLimits> = {},
  views: readonly TableView[] = [VIEW],
): Promise<Row[]> {
  const query = { views, statement: { text, binds: [] }, timeZone: 'UTC' }
  return rowsOf(await host.tables.query(query, { ...LIMITS, ...limits }, NEVER))
}

describe('a statement on SQLite', () => {
  let names: readonly string[]
  beforeAll(async () => {
    const lines = Array.from(
      { length: 1_000 },
      (_, index) => `${index},${index % 2 === 0 ? 'mine' : 'secret'},${index}.5,true,2026-01-01T00:00:00Z`,
    )
    const text = `id,region,price,is paid,at\n${lines.join('\n')}\n`
    for (const to of [ORDERS, OTHERS]) await host.tables.load(await load(to, text, COLUMNS), NEVER)
    names = await host.names(1)
    expect(names.length).toBe(2)
  })

  test('has a result of more bytes than the memory of the object if the limits say so; else it is refused', async () => {
    const large = { rowsMax: 1_000_000, bytesMax: Number.MAX_SAFE_INTEGER }
    const text = `SELECT a.id AS n, '${'x'.repeat(7_000)}' || b.id AS pad, CASE WHEN a.id = 998 AND b.id = 998 THEN '7' ELSE 7 END AS mixed
      FROM orders a, orders b WHERE a.id >= 980 ORDER BY a.id, b.id`
    const refused = await rejection(ask(text, { ...large, bytesMax: 33_554_432 }))
    expect(refused).toMatchObject({
      code: 'query_too_large',
      detail: 'The result has more than 33554432 bytes.',
    })
    const query = { views: [VIEW], statement: { text, binds: [] }, timeZone: 'UTC' }
    const result = await host.tables.query(query, { ...LIMITS, ...large }, NEVER)
    expect(result.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'n integer',
      'pad string',
      'mixed string',
    ])
    let [count, last] = [0, null as Row | null]
    for await (const rows of result.rows) {
      count += rows.length
      last = rows.at(-1) ?? last
    }
    expect([count, last?.[0], String(last?.[1]).length, last?.[2]]).toEqual([5_000, 998, 7_003, '7'])
    expect(await host.names(1)).toEqual(names)
    for (const [limits, says] of [
      [{ ...large, rowsMax: 4_999 }, /more than 4999 rows/],
      [{ ...large, bytesMax: 34_000_000 }, /more than 34000000 bytes/],
    ] as const) {
      expect(await rejection(ask(text, limits))).toMatchObject({
        code: 'query_too_large',
        detail: expect.stringMatching(says) as string,
      })
    }
    expect(await ask('SELECT count(*) FROM orders')).toEqual([[500]])
  })

  test('has no table of its result any more once its reader has left, or its object has died', async () => {
    const limits = { ...LIMITS, rowsMax: 1_000_000, bytesMax: Number.MAX_SAFE_INTEGER }
    const text = `SELECT '${'x'.repeat(7_000)}' FROM orders a, orders b WHERE a.id >= 980`
    const query = { views: [VIEW], statement: { text, binds: [] }, timeZone: 'UTC' }
    await host.queryAndLeave(query, limits)
    for (let tries = 0; (await host.names(1)).length > names.length && tries < 200; tries += 1)
      await Bun.sleep(10)
    expect(await host.names(1)).toEqual(names)
    const lost = (await host.tables.query(query, limits, NEVER)).rows.getReader()
    await lost.read()
    await host.die(1).catch(() => undefined)
    expect(await host.names(1)).toEqual(names)
    await lost.cancel().catch(() => undefined)
  })

  test('leaves tables that can be dropped, although its result was refused', async () => {
    const other: Generation = { sourceId: 1, tableId: 3, key: 'c' }
    await host.tables.load(await load(other, 'n\n1\n2\n3\n', [{ name: 'n', type: 'integer' }]), NEVER)
    const view: TableView = { name: 'o', of: other, columns: ['n'], where: null }
    for (const limits of [{ rowsMax: 1 }, { bytesMax: 1 }])
      expect(await rejection(ask('SELECT n FROM o', limits, [view]))).toMatchObject({
        code: 'query_too_large',
      })
    await host.tables.drop([other])
    expect(await host.names(1)).toEqual(names)
  })

  test.each([
    // The catalogue, and the object's own storage.
    'SELECT * FROM sqlite_schema',
    'SELECT * FROM "sqlite_master"',
    'SELECT * FROM [sqlite_master]',
    'SELECT * FROM main.sqlite_schema',
    'SELECT * FROM sqlite_temp_schema',
    "SELECT * FROM pragma_table_info('orders')",
    'SELECT * FROM pragma_table_list',
    'SELECT * FROM pragma_table_list()',
    'SELECT * FROM dbstat',
    'SELECT * FROM sqlite_dbpage',
    'SELECT * FROM _cf_KV',
    'SELECT * FROM "_CF_kv"',
    'SELECT * FROM _cf_METADATA',
    'PRAGMA table_list',
    'EXPLAIN SELECT * FROM orders',
    'EXPLAIN QUERY PLAN SELECT * FROM orders',
    // Changes, and the end of the transaction.
    "INSERT INTO orders VALUES (1, 'x')",
    'UPDATE orders SET id = 1',
    "REPLACE INTO orders VALUES (1, 'x')",
    'WITH x AS (SELECT 1) DELETE FROM orders',
    'WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x',
    'CREATE TABLE x AS SELECT * FROM orders',
    'SELECT * INTO x FROM orders',
    "ATTACH 'x' AS x",
    'VACUUM',
    'BEGIN',
    'ROLLBACK',
    'SAVEPOINT x',
    // More than one statement.
    "SELECT ';'; SELECT 2",
    'SELECT 1) SELECT 2 FROM (SELECT 3',
    'SELECT 1); DROP VIEW orders; SELECT (2',
    'SELECT 1 /* and a comment that goes on',
    "SELECT 'and a string that goes on",
    'SELECT 1 --\n; DELETE FROM orders',
    // Functions that read files, load code or fill memory.
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    'SELECT zeroblob(1000000000)',
    'SELECT randomblob(1000000000)',
    'SELECT sqlite_version()',
    "SELECT eval('SELECT 1')",
    // Columns and rows beyond the scope.
    'SELECT price FROM orders',
    'SELECT "price" FROM orders',
    'SELECT [price] FROM orders',
    'SELECT `price` FROM orders',
    'SELECT orders."price" FROM orders',
    'SELECT count(*) FROM orders WHERE "price" > 1',
    'SELECT rowid FROM orders',
    'SELECT * FROM others',
    "SELECT * FROM 'orders'",
    'WITH orders AS (SELECT * FROM orders) SELECT * FROM orders',
    // Limits of the engine.
    `SELECT ${'1 + '.repeat(200)}1`,
    `SELECT ${Array.from({ length: 101 }, (_, index) => `${index} AS c${index}`).join(', ')}`,
  ])('is refused: %s', async (text) => {
    const failure = await rejection(ask(text))
    expect(failure).toMatchObject({ code: 'query_failed' })
    expect(String(failure)).not.toMatch(/[0-9a-f]{32}/)
    expect(await ask('SELECT count(*) FROM orders')).toEqual([[500]])
    expect(await host.names(1)).toEqual([...names])
  })

  test.each([
    'SELECT count(*) FROM main.orders',
    'SELECT count(*) FROM "orders"',
    'SELECT count(*) FROM "main"."ORDERS"',
    'SELECT count(*) FROM [orders]',
    'SELECT count(*) FROM `orders`',
    'SELECT count(*) FROM/**/OrDeRs--',
    'SELECT count(*) FROM (SELECT * FROM orders UNION SELECT * FROM orders)',
    'WITH o AS (SELECT * FROM orders) SELECT count(*) FROM o WHERE region IN (SELECT region FROM orders)',
    'SELECT count(*) FROM orders a JOIN orders b USING (id)',
    "SELECT count(*) FROM orders WHERE 1 = 1 OR region = 'secret'",
    'SELECT sum(EXISTS (SELECT 1 FROM orders o WHERE o.id = orders.id)) FROM orders;',
  ])('sees the rows of its scope alone: %s', async (text) => {
    expect(await ask(text)).toEqual([[500]])
    expect(await host.names(1)).toEqual([...names])
  })

  test('reads no hidden table, not even one whose name is known', async () => {
    for (const name of names)
      for (const text of [name, `"${name}"`, `main.${name.toUpperCase()}`, `[${name}]`])
        expect(await rejection(ask(`SELECT * FROM ${text}`))).toMatchObject({ code: 'query_failed' })
  })

  test('that takes longer than its time is refused, and the next one runs', async () => {
    const long =
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000000) SELECT count(*) FROM r'
    expect(await ask(long)).toEqual([[1_000_000]])
    expect(await rejection(ask(long, { timeoutMs: 20 }))).toMatchObject({ code: 'query_timeout' })
    expect(await ask('SELECT count(*) FROM orders')).toEqual([[500]])
  })

  test('that makes a text of more than 2 MB is refused', async () => {
    const text = "SELECT length(replace(hex(printf('%.*c', 99999, 'x')), '7', printf('%.*c', 9999, 'y')))"
    expect(await rejection(ask(text))).toMatchObject({ code: 'query_failed' })
  })
})

test.each<[text: string, columns: readonly (readonly [name: string, type: string])[], row: Row]>([
  [
    'SELECT 1 AS a, 9007199254740993 AS b, -9223372036854775808 AS c, 1.0 AS d, 1e999 AS e',
    [
      ['a', 'integer'],
      ['b', 'integer'],
      ['c', 'integer'],
      ['d', 'number'],
      ['e', 'number'],
    ],
    [1, '9007199254740993', '-9223372036854775808', 1, null],
  ],
  [
    `SELECT 'it''s' AS a, x'00ff' AS b, NULL AS c, '' AS d, '12' AS e, 'NULL' AS f`,
    [
      ['a', 'string'],
      ['b', 'binary'],
      ['c', 'string'],
      ['d', 'string'],
      ['e', 'string'],
      ['f', 'string'],
    ],
    [`it's`, 'AP8=', null, '', '12', 'NULL'],
  ],
  [
    'SELECT min("is paid") AS a, "is paid" AS b, max(at) AS c, at AS d, sum(id) AS e, avg(id) AS f FROM orders',
    [
      ['a', 'integer'],
      ['b', 'boolean'],
      ['c', 'string'],
      ['d', 'datetime'],
      ['e', 'integer'],
      ['f', 'number'],
    ],
    [1, true, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00Z', 499_500, 499.5],
  ],
  [
    'SELECT CAST(id AS TEXT) AS a, CAST(id AS REAL) AS a, id / 2 AS "b:1", o.id FROM orders o WHERE id = 3',
    [
      ['a', 'string'],
      ['a', 'number'],
      ['b:1', 'integer'],
      ['id', 'integer'],
    ],
    ['3', 3, 1, 3],
  ],
  [
    'VALUES (1, 2)',
    [
      ['column1', 'integer'],
      ['column2', 'integer'],
    ],
    [1, 2],
  ],
])('a result has types: %s', async (text, columns, row) => {
  const view = { ...VIEW, columns: COLUMNS.map(({ name }) => name), where: null }
  const query = { views: [view], statement: { text, binds: [] }, timeZone: 'UTC' }
  const stream = await host.tables.query(query, LIMITS, NEVER)
  expect(stream.columns.map(({ name, type }) => [name, type])).toEqual(columns.map((column) => [...column]))
  expect(await rowsOf(stream)).toEqual([[...row]])
})

test('a column of several storage classes is text', async () => {
  const rows = await ask(`SELECT 1 UNION ALL SELECT 2.5 UNION ALL SELECT 'x' UNION ALL SELECT NULL`)
  expect(rows).toEqual([['1'], ['2.5'], ['x'], [null]])
})

describe('a load', () => {
  const columns: Column[] = [
    { name: 'id', type: 'integer' },
    { name: 'note', type: 'string' },
  ]
  const RECORDS = 150_000
  const text = (sign = '', records = RECORDS) => {
    const lines = Array.from(
      { length: records },
      (_, index) => `${index % 50_000 === 7 ? sign : ''}${index},"a note\nof two lines"`,
    )
    return `id,note\n${lines.join('\n')}\n`
  }
  const view = (of: Generation) => [{ name: 'orders', of, columns: ['id', 'note'], where: null }]

  test('goes on after the rows that an object stored before it ended', async () => {
    const to: Generation = { sourceId: 7, tableId: 1, key: 'killed' }
    const order = await load(to, text('x'), columns, { onError: 'skip' })
    const done = host.tables.load(order, NEVER)
    for (let deaths = 0, stored = 0; deaths < 2; deaths += 1) {
      let now = stored
      while (now <= stored) {
        await Bun.sleep(100)
        now = await host.stored(7)
      }
      await host.die(7)
      stored = await host.stored(7)
      expect(stored).toBeGreaterThanOrEqual(now)
      expect(stored).toBeLessThan(RECORDS - 3)
    }
    const counts = await done
    expect(counts).toMatchObject({
      rows: RECORDS - 3,
      skipped: 3,
      faults: [{ line: 16 }, { line: 100_016 }, { line: 200_016 }],
    })
    const rows = await ask(
      'SELECT count(*), count(DISTINCT id), sum(id), max(length(note)) FROM orders',
      {},
      view(to),
    )
    const sum = (RECORDS * (RECORDS - 1)) / 2 - 7 - 50_007 - 100_007
    expect(rows).toEqual([[RECORDS - 3, RECORDS - 3, sum, 19]])
    expect(await host.tables.load(order, NEVER)).toEqual(counts)
  }, 180_000)

  test('leaves nothing when its caller has left', async () => {
    const to: Generation = { sourceId: 8, tableId: 1, key: 'left' }
    const order = await load(to, text(), columns)
    expect(await rejection(host.loadAndLeave(order))).toMatchObject({ code: 'conflict' })
    expect(await host.tables.list(8)).toEqual([])
    await Bun.sleep(500)
    expect(await host.names(8)).toEqual([])
    const short = await load({ ...to, key: 'next' }, 'id,note\n1,a\n', columns)
    expect(await host.tables.load(short, NEVER)).toMatchObject({ rows: 1 })
  }, 180_000)

  test('runs in alarms of two seconds, between whose batches statements are answered', async () => {
    const first: Generation = { sourceId: 9, tableId: 1, key: 'first' }
    await host.tables.load(await load(first, 'id,note\n1,a\n', columns), NEVER)
    const waits: number[] = []
    let loadMs = 0
    // A fast machine needs a longer file for more than one alarm.
    let [records, alarms, next] = [50_000, [0], first]
    while ((alarms[0] ?? 0) < 2_000) {
      records *= 4
      next = { ...first, key: `next${records}` }
      const order = await load(next, text('', records), columns)
      const before = await host.alarms(9)
      let isDone = false
      const loadBeganAt = performance.now()
      const done = host.tables.load(order, NEVER).finally(() => {
        isDone = true
      })
      while (!isDone) {
        const begunAt = performance.now()
        const [rows, all] = [
          await ask('SELECT count(*) FROM orders', {}, view(first)),
          await host.tables.list(9),
        ]
        expect(rows).toEqual([[1]])
        if (!all.some(({ key }) => key === next.key)) waits.push(performance.now() - begunAt)
        await Bun.sleep(100)
      }
      expect(await done).toMatchObject({ rows: records })
      loadMs = performance.now() - loadBeganAt
      alarms = (await host.alarms(9)).slice(before.length)
    }
    expect(alarms.length).toBeGreaterThan(1)
    expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(loadMs / 2)
    expect(await ask('SELECT count(*) FROM orders', {}, view(next))).toEqual([[records]])
    await host.tables.drop(await host.tables.list(9))
    expect(await host.names(9)).toEqual([])
  }, 180_000)

  test('refuses a row of more characters than SQLite takes, and leaves no table', async () => {
    const to: Generation = { sourceId: 10, tableId: 1, key: 'long' }
    const order = await load(to, `id,note\n1,a\n2,${'x'.repeat(1024 * 1024)}\n`, columns)
    expect(await rejection(host.tables.load(order, NEVER))).toMatchObject({ code: 'import_failed' })
    expect(await host.names(10)).toEqual([])
  })
})
