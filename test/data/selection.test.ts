import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import * as fc from 'fast-check'

import { conditionSql } from '../../src/data/filters/emit.ts'
import { conditionOf } from '../../src/data/filters/filter.ts'
import type { Filter } from '../../src/data/filters/filter.ts'
import { resultReader } from '../../src/data/selection/cells.ts'
import { binsStatement, bordersOf, rangeStatement } from '../../src/data/selection/histogram.ts'
import { planOf } from '../../src/data/selection/plan.ts'
import { selectBody } from '../../src/data/selection/schema.ts'
import { statementsOf } from '../../src/data/selection/statement.ts'
import { writerIn } from '../../src/data/sql/dialects/writers.ts'
import { boundOf, name, raw, sql } from '../../src/data/sql/fragment.ts'
import type { Dialect } from '../../src/data/sql/spelling.ts'
import type { Cell, Column, Row } from '../../src/domain/table.ts'
import type { Bind, Bound, DatabaseTarget } from '../../src/ports/databases.ts'
import type { Tables } from '../../src/ports/tables.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { openServerDatabases } from '../../workers/server/databases.ts'
import { openTables } from '../../workers/bun/tables.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { unitStart } from './unit-start.ts'
import { LIMITS, NEVER, planOf as importPlan, rowsOf } from '../contract/tables.contract.ts'
import { FAST_DIR } from '../hosts/fast-dir.ts'
import { hasMariadb, startMariadb } from '../hosts/mariadb.ts'
import { hasPostgres, startPostgres } from '../hosts/postgres.ts'
import { startTables } from '../hosts/tables.ts'

const TABLE = 're"g`x; drop table "a"'
const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'integer' },
  { name: 'order', type: 'string' },
  { name: 'state', type: 'string' },
  { name: 'qty', type: 'integer' },
  { name: 'unit "price"', type: 'number' },
  { name: 'large', type: 'number' },
  { name: 'amount', type: 'number' },
  { name: 'at', type: 'datetime' },
  { name: 'day', type: 'date' },
]
const columns = new Map(COLUMNS.map((column) => [column.name, column]))

/** The same numbers in each run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const random = generator(7)
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
const orNull = <Item>(item: Item): Item | null => (random() < 0.15 ? null : item)

/** Around both days of 2026 on which Zurich sets its clocks, and on other days. */
const DAYS = [
  Date.UTC(2026, 2, 29),
  Date.UTC(2026, 9, 25),
  Date.UTC(2025, 11, 31),
  Date.UTC(1969, 6, 20),
  Date.UTC(2024, 1, 29),
]
const instant = () =>
  new Date(oneOf(DAYS) + Math.floor((random() - 0.3) * 172_800) * 1_000).toISOString().slice(0, 19) + 'Z'

const SET_CLOCKS = [
  '2026-10-25T00:30:00Z',
  '2026-10-25T01:30:00Z',
  '2026-03-29T00:59:59Z',
  '2026-03-29T01:00:00Z',
]

const ROWS: readonly Row[] = Array.from({ length: 400 }, (_, id) => [
  id,
  orNull(oneOf(['north', 'North', 'süd', 'sud', 'a b', 'a b ', `' OR 1=1 --`, '%', '_\\'])),
  orNull(oneOf(['ok', 'bad'])),
  orNull(Math.floor(random() * 40) - 10),
  orNull(Math.round(random() * 1e6) / 100),
  orNull(1e9 + random()),
  orNull((Math.round(random() * 1e5) / 100).toFixed(2)),
  SET_CLOCKS[id] ?? orNull(instant()),
  orNull(instant().slice(0, 10)),
])

const ZONE = 'Europe/Zurich'

type Engine = { readonly dialect: Dialect; readonly ask: (statement: Bound) => Promise<readonly Row[]> }
const engines: Engine[] = []
/** A Durable Object, which takes longer for each statement. */
const object: Engine[] = []
const closing: (() => unknown)[] = []

const TYPES: Readonly<Record<Dialect, readonly string[]>> = {
  postgresql:
    'bigint,text,varchar(20),int,double precision,double precision,numeric(12,2),timestamptz,date'.split(
      /,(?!2)/,
    ),
  mysql: 'bigint,text,varchar(20),int,double,double,decimal(12,2),datetime(3),date'.split(/,(?!2)/),
  sqlite: 'INTEGER,TEXT,TEXT,INTEGER,REAL,REAL,REAL,TEXT,TEXT'.split(','),
  duckdb: [],
}
const quoted = (text: string, mark: string) => mark + text.replaceAll(mark, mark + mark) + mark
const definition = (dialect: Dialect, mark: string) =>
  COLUMNS.map((column, at) => `${quoted(column.name, mark)} ${TYPES[dialect][at]}`).join(', ')

function literal(cell: Cell, dialect: Dialect): string {
  if (cell === null) return 'null'
  if (typeof cell === 'number') return String(cell)
  const text = String(cell).replaceAll("'", "''")
  // As the object stores instants.
  if (dialect === 'sqlite') return `'${text.replace(/(?<=T[\d:]{8})Z$/, '.000000Z')}'`
  if (dialect !== 'mysql') return `'${text}'`
  return `'${text.replaceAll('\\', '\\\\').replace(/^(\d{4}-\d\d-\d\dT[\d:]+)Z$/, (_, at: string) => at.replace('T', ' '))}'`
}

const inserted = (dialect: Dialect, mark: string) =>
  `insert into ${quoted(TABLE, mark)} values ${ROWS.map((row) => `(${row.map((cell) => literal(cell, dialect)).join(',')})`).join(',')};`

beforeAll(async () => {
  const allowed = new Set<string>()
  const databases = openServerDatabases({
    outboundAllow: allowed,
    addressesOf: (host) => Promise.resolve([host]),
  })
  const connect = (target: DatabaseTarget): Engine => {
    allowed.add(`127.0.0.1:${target.port}`)
    const query = (statement: Bound) => ({ statement, access: 'read' as const, session: {} })
    return {
      dialect: target.type,
      ask: async (statement) => rowsOf(await databases.query(target, query(statement), LIMITS, NEVER)),
    }
  }
  const target = {
    host: '127.0.0.1',
    schema: null,
    password: 'p',
    tls: 'disable',
    ca: null,
    name: 'test',
    connectionsMax: 10,
  } as const
  if (hasPostgres) {
    const server = await startPostgres()
    closing.push(() => server.close())
    const mark = '"'
    await server.sql(`create role reader login password 'p';
      create table ${quoted(TABLE, mark)} (${definition('postgresql', mark)}); ${inserted('postgresql', mark)}
      grant select on all tables in schema public to reader;`)
    engines.push(
      connect({ ...target, type: 'postgresql', port: server.port, database: 'postgres', user: 'reader' }),
    )
  }
  if (hasMariadb) {
    const server = await startMariadb()
    closing.push(() => server.close())
    await server.sql(`create database tidemark character set utf8mb4; use tidemark; set names utf8mb4;
      create user 'reader'@'%' identified by 'p'; grant select on tidemark.* to 'reader'@'%';
      create table ${quoted(TABLE, '`')} (${definition('mysql', '`')}); ${inserted('mysql', '`')}`)
    engines.push(
      connect({ ...target, type: 'mysql', port: server.port, database: 'tidemark', user: 'reader' }),
    )
  }
  const sqlite = new Database(':memory:')
  closing.push(() => sqlite.close())
  sqlite.run(`create table ${quoted(TABLE, '"')} (${definition('sqlite', '"')})`)
  sqlite.run(inserted('sqlite', '"'))
  engines.push({
    dialect: 'sqlite',
    ask: ({ text, binds }) =>
      Promise.resolve(sqlite.query(text).values(...binds.map(({ value }) => value as string)) as Row[]),
  })
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-selection-'))
  const log = jsonLog((line) => process.stderr.write(line))
  const blobs = await openBlobsDirectory(join(folder, 'blobs'), log)
  const tables = await openTables({ directory: join(folder, 'tables'), blobs, clock: Date, log })
  closing.push(async () => {
    tables.close()
    await rm(folder, { recursive: true })
  })
  const cell = (value: Cell) => (value === null ? '' : `"${String(value).replaceAll('"', '""')}"`)
  const lines = [COLUMNS.map((column) => column.name), ...ROWS].map((row) => row.map(cell).join(','))
  await blobs.put('f', new TextEncoder().encode(`${lines.join('\n')}\n`))
  const to = { sourceId: 1, tableId: 1, key: 'a' }
  await tables.load({ to, blob: 'f', plan: importPlan(COLUMNS) }, NEVER)
  const views = [{ name: TABLE, of: to, columns: COLUMNS.map((column) => column.name), where: null }]
  // The zone of the service must not count.
  const timeZone = 'Asia/Kathmandu'
  const askIn = (port: Tables) => async (statement: Bound) =>
    rowsOf(await port.query({ views, statement, timeZone }, LIMITS, NEVER))
  engines.push({ dialect: 'duckdb', ask: askIn(tables) })
  const objects = await startTables()
  closing.push(() => objects.close())
  await objects.blobs.put('f', new TextEncoder().encode(`${lines.join('\n')}\n`))
  await objects.tables.load({ to, blob: 'f', plan: importPlan(COLUMNS) }, NEVER)
  object.push({ dialect: 'sqlite', ask: askIn(objects.tables) })
}, 180_000)

afterAll(async () => {
  for (const close of closing) await close()
})

/** The answer of an engine to a select. */
async function answer({ dialect, ask }: Engine, body: object): Promise<Row[]> {
  const asked = selectBody.parse(body)
  const plan = planOf(asked, { columns, timeZone: ZONE, limit: asked.limit ?? 1_000 })
  const { row, columns: outputs } = resultReader(plan, ZONE)
  const rows = await ask(statementsOf(plan, name(TABLE), writerIn(dialect, ZONE)).rows(0))
  return rows.map((cells) => row(cells).map((cell, at) => plain(cell, outputs[at]?.type)))
}

const ZONED = /[+-]\d\d:\d\d$/

/** An instant on the clock of the zone, with its offset. */
const local = (at: string) =>
  new Date(at)
    .toLocaleString('sv-SE', { timeZone: ZONE, timeZoneName: 'longOffset' })
    .replace(' ', 'T')
    .replace(/ ?GMT/, '')

/** Decimals may be text. A DATETIME of MySQL has no zone. */
function plain(cell: Cell, type: string | undefined): Cell {
  if (typeof cell !== 'string') return cell
  if (type === 'number' || type === 'integer') return Number(cell)
  return type === 'datetime' && !ZONED.test(cell) ? local(`${cell}Z`) : cell
}

const near = (one: Cell, other: Cell) =>
  typeof one === 'number' && typeof other === 'number'
    ? Math.abs(one - other) <= 1e-9 * Math.max(1e-9, Math.abs(one), Math.abs(other))
    : one === other

/** The one answer that all engines give. */
async function agreed(body: object): Promise<Row[]> {
  const all = [...engines, ...object]
  const [first, ...others] = await Promise.all(all.map((engine) => answer(engine, body)))
  for (const [index, other] of others.entries()) {
    const { dialect } = all[index + 1] as Engine
    expect([dialect, other.length]).toEqual([dialect, first?.length ?? 0])
    for (const [at, row] of other.entries())
      for (const [place, cell] of row.entries()) {
        const expected = first?.[at]?.[place] ?? null
        if (!near(cell, expected))
          expect({ dialect, at, place, cell }).toEqual({ dialect, at, place, cell: expected })
      }
  }
  return first ?? []
}

const numbers = ['qty', 'unit "price"', 'large', 'amount']
const FUNCTIONS = [
  'SUM',
  'AVG',
  'MIN',
  'MAX',
  'COUNT',
  'DISTINCT_COUNT',
  'MEDIAN',
  'STDDEV_SAMP',
  'VAR_SAMP',
  'STDDEV_POP',
  'VAR_POP',
]
const aggregates = [
  ...numbers.flatMap((column) => FUNCTIONS.map((fn) => ({ fn, column, as: `${fn} of ${column}` }))),
  { fn: 'PERCENTILE', p: 0.9, column: 'large', as: 'p90' },
  { fn: 'COUNT', expr: '*', as: 'n' },
  { fn: 'COUNT', expr: '*', as: 'n ok', filter: { column: 'state', op: 'eq', value: 'ok' } },
  { fn: 'MEDIAN', column: 'qty', as: 'median ok', filter: { column: 'state', op: 'eq', value: 'ok' } },
  { fn: 'MIN', column: 'order', as: 'first' },
  { fn: 'MAX', column: 'order', as: 'last' },
  { fn: 'DISTINCT_COUNT', column: 'order', as: 'names' },
  { fn: 'MAX', column: 'day', as: 'last day' },
  { fn: 'SUM', expr: '"unit ""price""" * (qty - 1)', as: 'revenue' },
]

test('check 13: all dialects run', () => {
  expect(engines.map(({ dialect }) => dialect).sort()).toEqual(
    [
      ...(hasPostgres ? ['postgresql'] : []),
      ...(hasMariadb ? ['mysql'] : []),
      'duckdb',
      'sqlite',
    ].sort() as Dialect[],
  )
})

describe('check 13: aggregates are the same in all dialects', () => {
  test('of all rows', async () => {
    const [row] = await agreed({ aggregates })
    const values = ROWS.flatMap((cells) => cells[3] ?? [])
      .map(Number)
      .sort((one, other) => one - other)
    const sum = values.reduce((all, value) => all + value, 0)
    const middle = values.length >> 1
    const mean = sum / values.length
    const squares = values.reduce((all, value) => all + (value - mean) ** 2, 0)
    const expected = [
      sum,
      mean,
      values[0],
      values.at(-1),
      values.length,
      new Set(values).size,
      values.length % 2 === 1 ? values[middle] : (Number(values[middle - 1]) + Number(values[middle])) / 2,
      Math.sqrt(squares / (values.length - 1)),
      squares / (values.length - 1),
      Math.sqrt(squares / values.length),
      squares / values.length,
    ]
    for (const [at, value] of expected.entries()) expect(row?.[at]).toBeCloseTo(Number(value), 9)
  })

  test('of groups, with texts by their characters', async () => {
    const rows = await agreed({ groupBy: ['order'], aggregates, orderBy: [{ column: 'order' }] })
    expect(rows.map(([key]) => key)).toEqual([
      '%',
      `' OR 1=1 --`,
      'North',
      '_\\',
      'a b',
      'a b ',
      'north',
      'sud',
      'süd',
      null,
    ])
  })

  test('of groups of one row and of none', async () => {
    const one = await agreed({
      aggregates,
      filter: { column: 'id', op: 'eq', value: ROWS.find((row) => row[3] !== null)?.[0] },
    })
    const at = (as: string) => aggregates.findIndex((item) => item.as === as)
    expect(one[0]?.[at('STDDEV_SAMP of qty')]).toBeNull()
    expect(one[0]?.[at('VAR_SAMP of qty')]).toBeNull()
    expect(one[0]?.[at('VAR_POP of qty')]).toBe(0)
    const [none] = await agreed({ aggregates, filter: { column: 'id', op: 'lt', value: 0 } })
    expect(none?.filter((cell) => cell !== null && cell !== 0)).toEqual([])
    expect(
      await agreed({ groupBy: ['order'], aggregates, filter: { column: 'id', op: 'lt', value: 0 } }),
    ).toEqual([])
  })

  test('of groups that satisfy a condition, ordered by two results', async () => {
    const rows = await agreed({
      groupBy: ['order', 'state'],
      aggregates,
      having: {
        and: [{ column: 'n', op: 'ge', value: 12 }, { not: { column: 'MEDIAN of qty', op: 'lt', value: 8 } }],
      },
      orderBy: [{ column: 'n', dir: 'desc' }, { column: 'order', nulls: 'first' }, { column: 'state' }],
    })
    expect(rows.length).toBeGreaterThan(2)
    const counts = rows.map((row) => Number(row[2 + aggregates.findIndex(({ as }) => as === 'n')]))
    expect(counts).toEqual(counts.toSorted((one, other) => other - one))
    expect(counts.at(-1)).toBeGreaterThanOrEqual(12)
  })
})

describe('rows are the same in all dialects', () => {
  test('check 18: combinations of three columns with their counts, which add up to the rows', async () => {
    const body = {
      groupBy: ['order', 'state', 'qty'],
      aggregates: [{ fn: 'COUNT', expr: '*', as: 'n' }],
      orderBy: [{ column: 'n', dir: 'desc' }, { column: 'order' }, { column: 'state' }, { column: 'qty' }],
    }
    const rows = await agreed(body)
    const keys = new Set(ROWS.map((row) => JSON.stringify([row[1], row[2], row[3]])))
    expect([rows.length, rows.reduce((sum, row) => sum + Number(row[3]), 0)]).toEqual([
      keys.size,
      ROWS.length,
    ])
    const filter = { column: 'order', op: 'contains', value: 'OR' }
    const found = await agreed({ ...body, filter, limit: 7 })
    const matching = rows.filter(([order]) => String(order).toLowerCase().includes('or'))
    expect(found).toEqual(matching.slice(0, 7))
  })

  test('ordered, with nulls where they were asked for', async () => {
    const rows = await agreed({
      columns: ['id', { column: 'order', as: 'SELECT' }, { expr: `qty * 2 % 7`, as: 'x' }, 'at'],
      orderBy: [{ column: 'qty', dir: 'desc', nulls: 'first' }, { column: 'SELECT' }, { column: 'id' }],
      limit: 60,
      offset: 5,
    })
    expect(rows.length).toBe(60)
  })

  test('distinct', async () => {
    const rows = await agreed({
      columns: ['state', 'order'],
      distinct: true,
      orderBy: [{ column: 'order' }, { column: 'state' }],
    })
    expect(rows.length).toBe(new Set(ROWS.map((row) => JSON.stringify([row[2], row[1]]))).size)
  })
})

describe('histograms are the same in all dialects, and count what a loop counts', () => {
  const filters = [
    null,
    { column: 'state', op: 'eq', value: 'ok' },
    { column: 'id', op: 'lt', value: 0 },
  ] as const
  const cases = ['id', ...numbers].flatMap((column) =>
    [1, 7, 39, 100].flatMap((bins) => filters.map((filter) => ({ column, bins, filter }))),
  )
  const plainRow = (row: Row) => row.map((cell) => (cell === null ? null : Number(cell)))

  test.each(cases)('$column in $bins bins: $filter', async ({ column, bins, filter }) => {
    const place = COLUMNS.findIndex((one) => one.name === column)
    const kept = ROWS.filter(
      (row) => filter === null || (filter.op === 'eq' ? row[2] === 'ok' : Number(row[0]) < 0),
    )
    const values = kept.map((row) => (row[place] == null ? null : Number(row[place])))
    const found = values.filter((value) => value !== null)
    const range = found.length === 0 ? [null, null] : [Math.min(...found), Math.max(...found)]
    const borders = found.length === 0 ? [] : bordersOf(Math.min(...found), Math.max(...found), bins)
    const inner = borders.slice(1, -1)
    const counts = new Map<number | null, number>()
    for (const value of values) {
      const bin = value === null ? null : inner.filter((border) => value >= border).length
      counts.set(bin, (counts.get(bin) ?? 0) + 1)
    }
    for (const { dialect, ask } of engines) {
      const condition = filter && conditionOf(filter, columns, '')
      const asked = { column, filter: condition, from: name(TABLE) }
      const [least] = await ask(rangeStatement(asked, writerIn(dialect, ZONE)))
      expect([dialect, ...plainRow(least ?? [])]).toEqual([dialect, ...range])
      const rows = (await ask(binsStatement(asked, inner, writerIn(dialect, ZONE)))).map(plainRow)
      expect([dialect, new Map(rows.map(([bin = null, count]) => [bin, count]))]).toEqual([dialect, counts])
    }
  })

  test('the borders rise, also between doubles that are neighbours and over the whole range', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 100 }), (one, other, bins) => {
        const borders = bordersOf(Math.min(one, other), Math.max(one, other), bins)
        expect(borders.length).toBe(one === other ? 2 : bins + 1)
        expect(
          borders.every((border, at) => Number.isFinite(border) && border >= (borders[at - 1] ?? border)),
        ).toBe(true)
      }),
    )
  })
})

describe('check 14: time buckets are the same in all dialects', () => {
  /** The beginning of the bucket of an instant, by the clock of the zone. */
  const hourOf = (at: string) => `${at.slice(0, 14)}00:00${at.slice(19)}`
  test('hours: the one that is there twice counts twice', async () => {
    const rows = await agreed({
      groupBy: [{ column: 'at', bucket: 'PT1H', timeZone: 'Europe/Zurich', as: 'h' }],
      aggregates: [{ fn: 'COUNT', expr: '*', as: 'n' }],
      filter: { not: { column: 'at', op: 'is_null' } },
      orderBy: [{ column: 'h' }],
    })
    const expected = new Map<string, number>()
    for (const at of ROWS.flatMap((row) => (row[7] as string | null) ?? []).sort()) {
      const hour = hourOf(local(at))
      expected.set(hour, (expected.get(hour) ?? 0) + 1)
    }
    expect(rows.map(([hour, count]) => [hour, count])).toEqual([...expected])
    const hours = rows.map(([hour]) => String(hour))
    expect(hours).toContain('2026-10-25T02:00:00+02:00')
    expect(hours).toContain('2026-10-25T02:00:00+01:00')
    expect(hours.some((hour) => hour.startsWith('2026-03-29T02'))).toBe(false)
  })

  test.each([
    ['PT5M', 'Europe/Zurich'],
    ['PT15M', 'Asia/Kathmandu'],
    ['PT30M', 'Australia/Lord_Howe'],
    ['PT2H', 'Europe/Zurich'],
    ['PT6H', 'Europe/Zurich'],
    ['PT12H', 'America/New_York'],
    ['P1D', 'Europe/Zurich'],
    ['P1D', 'America/Sao_Paulo'],
    ['P1W', 'Europe/Zurich'],
    ['P1M', 'Europe/Zurich'],
    ['P3M', 'Pacific/Apia'],
    ['P1Y', 'Europe/Zurich'],
  ])('%s in %s', async (bucket, timeZone) => {
    const rows = await agreed({
      groupBy: ['state', { column: 'at', bucket, timeZone, as: 't' }],
      aggregates: [
        { fn: 'MEDIAN', column: 'large', as: 'm' },
        { fn: 'VAR_SAMP', column: 'qty', as: 'v' },
        { fn: 'MIN', column: 'at', as: 'from' },
        { fn: 'COUNT', expr: '*', as: 'n' },
      ],
      orderBy: [{ column: 't', dir: 'desc' }, { column: 'state' }],
    })
    expect(rows.reduce((all, row) => all + Number(row.at(-1)), 0)).toBe(ROWS.length)
    for (const [, start, , , from] of rows)
      if (start !== null) expect(Date.parse(String(start))).toBeLessThanOrEqual(Date.parse(String(from)))
    const days = rows.filter(([, start]) => start !== null).map(([, start]) => String(start))
    if (bucket.startsWith('P1') && timeZone === 'Europe/Zurich')
      for (const day of days) expect(day).toContain('T00:00:00+0')
  })

  test('of days', async () => {
    const rows = await agreed({
      groupBy: [{ column: 'day', bucket: 'P1M', as: 'month' }],
      aggregates: [{ fn: 'COUNT', expr: '*', as: 'n' }],
      orderBy: [{ column: 'month' }],
    })
    const months = Map.groupBy(ROWS, (row) => (row[8] === null ? 'null' : `${String(row[8]).slice(0, 7)}-01`))
    expect(new Map(rows.map(([month, count]) => [String(month), count]))).toEqual(
      new Map([...months].map(([month, own]) => [month, own.length] as const)),
    )
  })
})

describe('check 14: times are truncated to the same in all dialects', () => {
  const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']
  const known = { filter: { not: { column: 'at', op: 'is_null' } }, orderBy: [{ column: 'id' }] }

  const truncated = (at: string, unit: string, timeZone: string) =>
    local(unitStart(at, unit, timeZone).toInstant().toString())

  test.each([ZONE, 'America/St_Johns', 'America/Sao_Paulo', 'Pacific/Apia', 'UTC'])(
    'instants by the clock of %s',
    async (timeZone) => {
      // One statement of an object has 100 kB.
      for (const units of [UNITS.slice(0, 4), UNITS.slice(4, 6), UNITS.slice(6)]) {
        const starts = units.map((unit) => ({
          expr: `date_trunc('${unit}', "at", '${timeZone}')`,
          as: unit,
        }))
        const rows = await agreed({ columns: ['id', ...starts], ...known })
        for (const [id, ...cells] of rows) {
          const at = String(ROWS[Number(id)]?.[7])
          expect([at, ...cells]).toEqual([at, ...units.map((unit) => truncated(at, unit, timeZone))])
        }
      }
    },
  )

  test('by the clock of the service, in filters, groups and aggregates as well', async () => {
    const day = `DATE_TRUNC('day', "at")`
    const rows = await agreed({
      groupBy: [{ expr: `COALESCE(${day}, "at")`, as: 'day' }],
      aggregates: [{ fn: 'COUNT', expr: '*', as: 'n' }],
      filter: { expr: day, op: 'in', values: ['2026-10-25T00:00:00+02:00', '2026-03-28T23:00:00Z'] },
      orderBy: [{ column: 'day' }],
    })
    const expected = ROWS.map((row) => row[7]).filter((at) => at !== null && at !== undefined)
    const daysOf = (start: string) => expected.filter((at) => truncated(String(at), 'day', ZONE) === start)
    expect(rows).toEqual(
      ['2026-03-29T00:00:00+01:00', '2026-10-25T00:00:00+02:00'].map((start) => [
        start,
        daysOf(start).length,
      ]),
    )
    const [last] = await agreed({
      aggregates: [{ fn: 'MAX', expr: `DATE_TRUNC('year', "at")`, as: 'last' }],
    })
    expect(last).toEqual(['2026-01-01T00:00:00+01:00'])
  })

  test('days', async () => {
    const units = ['day', 'week', 'month', 'quarter', 'year']
    const starts = units.map((unit) => ({ expr: `DATE_TRUNC('${unit}', day)`, as: unit }))
    const rows = await agreed({ columns: ['id', ...starts], orderBy: [{ column: 'id' }] })
    for (const [id, ...cells] of rows) {
      const day = ROWS[Number(id)]?.[8] as string | null
      const startOf = (unit: string) =>
        day && unitStart(`${day}T00:00:00Z`, unit, 'UTC').toPlainDate().toString()
      expect([day, ...cells]).toEqual([day, ...units.map(startOf)])
    }
  })
})

type Value = string | number | null

/** The texts and numbers of a column as a loop compares them; of instants and decimals as numbers. */
function valueIn(row: Row, column: string): Value {
  const cell = row[COLUMNS.findIndex((one) => one.name === column)] ?? null
  if (cell === null) return null
  const type = columns.get(column)?.type
  if (type === 'datetime') return Date.parse(String(cell))
  return type === 'number' || type === 'integer' ? Number(cell) : String(cell)
}

/** Times without an offset are in UTC. */
const instantOf = (text: string) =>
  Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text.slice(10)) ? text : `${text}${text.length === 10 ? '' : 'Z'}`)

const wantedOf = (column: string, value: Bind['value']): string | number => {
  const type = columns.get(column)?.type
  if (type === 'datetime') return instantOf(String(value))
  return type === 'number' || type === 'integer' ? Number(value) : String(value)
}

const RELATIONS: Readonly<Record<string, (left: string | number, right: string | number) => boolean>> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  gt: (left, right) => left > right,
  ge: (left, right) => left >= right,
  lt: (left, right) => left < right,
  le: (left, right) => left <= right,
}

/** Whether a row satisfies a filter, found without a database; null as in SQL. */
function truthOf(filter: Filter, row: Row): boolean | null {
  if ('and' in filter) return decided(filter.and, row, false)
  if ('or' in filter) return decided(filter.or, row, true)
  if ('not' in filter) {
    const inner = truthOf(filter.not, row)
    return inner === null ? null : !inner
  }
  if (!('column' in filter) || !('op' in filter)) throw new Error('The generator makes no such filter.')
  const left = valueIn(row, filter.column)
  if (filter.op === 'is_null') return left === null
  return left === null ? null : compared(filter, left)
}

type Comparison = Extract<Filter, { column: string; op: unknown }>

const TEXT_RELATIONS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  starts_with: (text, part) => text.startsWith(part),
  ends_with: (text, part) => text.endsWith(part),
}

function compared({ column, op, value = '', values = [] }: Comparison, left: string | number): boolean {
  if (op === 'in') return values.some((one) => wantedOf(column, one) === left)
  if (op === 'between') {
    const [from = '', to = ''] = values.map((one) => wantedOf(column, one))
    return left >= from && left <= to
  }
  const ofText = TEXT_RELATIONS[op]
  if (ofText) return ofText(String(left).toLowerCase(), String(value).toLowerCase())
  return RELATIONS[op]?.(left, wantedOf(column, value)) ?? false
}

function decided(filters: readonly Filter[], row: Row, decides: boolean): boolean | null {
  const parts = filters.map((part) => truthOf(part, row))
  if (parts.includes(decides)) return decides
  return parts.includes(null) ? null : !decides
}

describe('filters find the rows that a loop finds, in all dialects', () => {
  const from = <Item>(...items: readonly Item[]) => fc.constantFrom(...items)
  const relation = fc.constantFrom(
    'eq' as const,
    'ne' as const,
    'gt' as const,
    'ge' as const,
    'lt' as const,
    'le' as const,
  )
  // Of letters beyond ASCII the object knows no other case.
  const text = from('north', 'North', 'sud', 'a b', 'a b ', `' OR 1=1 --`, '%', '_\\', 'o', '', '_', "'")
  const number = from(-3, 0, 7, 2.5, 1e9, 29)
  const amount = from(
    ...ROWS.slice(0, 6).flatMap((row) => (row[6] === null ? [] : String(row[6]))),
    '5',
    '100',
  )
  const instants = from(
    '2026-03-29T01:00:00Z',
    '2026-03-29T03:00:00+02:00',
    '2026-10-25 02:30:00+0100',
    '2026-03-29T01:00',
    '2026-03-29',
    '2026-03-28T20:59:59.000000-04:00',
  )
  const leaf = (column: string, value: fc.Arbitrary<string | number>): fc.Arbitrary<Filter> =>
    fc.oneof(
      fc.record({ column: fc.constant(column), op: relation, value }),
      fc.record({
        column: fc.constant(column),
        op: fc.constant('in' as const),
        values: fc.array(value, { minLength: 1, maxLength: 4 }),
      }),
      fc.record({
        column: fc.constant(column),
        op: fc.constant('between' as const),
        values: fc.tuple(value, value).map((pair) => [...pair]),
      }),
      fc.record({ column: fc.constant(column), op: fc.constant('is_null' as const) }),
    )
  const { tree } = fc.letrec<{ tree: Filter }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf('order', text),
      leaf('qty', number),
      leaf('amount', amount),
      leaf('at', instants),
      leaf('day', from('2026-03-29', '2026-10-25', '2024-02-29')),
      fc.record({
        column: from('order', 'state'),
        op: fc.constantFrom('contains' as const, 'starts_with' as const, 'ends_with' as const),
        value: text,
      }),
      fc.record({ and: fc.array(tie('tree'), { maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('tree'), { maxLength: 3 }) }),
      fc.record({ not: tie('tree') }),
    ),
  }))

  /** The ids of the rows that satisfy each filter, by one statement. */
  async function idsOf(engine: Engine, filters: readonly Filter[]): Promise<Cell[][]> {
    const counts = filters.map((filter, at) => ({ fn: 'COUNT', expr: '*', as: `f${at}`, filter }))
    const rows = await answer(engine, { groupBy: ['id'], aggregates: counts, orderBy: [{ column: 'id' }] })
    return filters.map((_, at) => rows.flatMap((row) => (row[at + 1] === 0 ? [] : (row[0] ?? null))))
  }

  async function findSame(filters: readonly Filter[], ofObject = filters): Promise<void> {
    const expected = filters.map((filter) =>
      ROWS.flatMap((row) => (truthOf(filter, row) === true ? (row[0] ?? null) : [])),
    )
    for (const engine of [...engines, ...object]) {
      const asked = object.includes(engine) ? ofObject : filters
      const found = await idsOf(engine, asked)
      for (const [at, filter] of asked.entries())
        expect({ filter, dialect: engine.dialect, ids: found[at] ?? [] }).toEqual({
          filter,
          dialect: engine.dialect,
          ids: expected[at] ?? [],
        })
    }
  }

  test('for 60 random filters, of which the object gets 8: a statement has 100 binds there', async () => {
    const filters = fc.sample(tree, { numRuns: 60, seed: 31 })
    await findSame(filters, filters.slice(0, 8))
  })

  test('check 16: for texts that are no texts to a database, each as it is', async () => {
    const texts = [
      `' OR 1=1 --`,
      '\\',
      '%',
      '_',
      '_\\',
      `'`,
      '"',
      '`',
      ';',
      '/*',
      '--',
      '$1',
      '?1',
      '{}',
      '\u0001',
      '🚀',
    ]
    const long = ['x'.repeat(10_000), `${"'".repeat(5_000)}${'\\'.repeat(5_000)}`]
    const filters = [
      'eq' as const,
      'contains' as const,
      'starts_with' as const,
      'ends_with' as const,
    ].flatMap((op) => texts.map((value): Filter => ({ column: 'order', op, value })))
    const inLong = long.map((value): Filter => ({ column: 'order', op: 'contains', value }))
    await findSame([...filters, ...inLong], filters.slice(0, 40))
    await findSame(inLong)
  })

  test('check 15: for 500 values, and 16 operators within each other', async () => {
    const many: Filter = {
      column: 'id',
      op: 'in',
      values: Array.from({ length: 500 }, (_, at) => at * 3),
    }
    const either: Filter = {
      or: Array.from({ length: 500 }, (_, at): Filter => ({ column: 'qty', op: 'eq', value: at - 5 })),
    }
    let deep: Filter = { column: 'order', op: 'starts_with', value: 'a' }
    for (let depth = 0; depth < 16; depth += 1)
      deep = depth % 2 === 0 ? { not: deep } : { or: [{ column: 'qty', op: 'gt', value: 20 }, deep] }
    await findSame([many, either, deep], [many])
    for (const filter of [either, deep]) await findSame([filter])
  })

  test('for lists of 100 instants and numbers, which are one bind of an object', async () => {
    const cellsOf = (column: string) =>
      ROWS.flatMap((row) => row[COLUMNS.findIndex((one) => one.name === column)] ?? []).slice(0, 100)
    await findSame([
      {
        or: [
          { column: 'at', op: 'in', values: cellsOf('at').map((one) => String(one).replace('Z', '+00:00')) },
          ...cellsOf('amount').map((value): Filter => ({ column: 'amount', op: 'eq', value: String(value) })),
          { column: 'at', op: 'le', value: '1969-07-20T12:00:00+01:00' },
        ],
      },
    ])
  })

  test('for decimals with more digits than a double has, in databases', async () => {
    const value = '90071992547409.93'
    const condition = conditionOf(
      { column: 'd', op: 'eq', value: `${value}1` },
      new Map([['d', { name: 'd', type: 'number' }]]),
      '',
    )
    const equal = conditionOf(
      { column: 'd', op: 'eq', value },
      new Map([['d', { name: 'd', type: 'number' }]]),
      '',
    )
    for (const { dialect, ask } of engines.filter(
      (engine) => engine.dialect === 'postgresql' || engine.dialect === 'mysql',
    )) {
      const writer = writerIn(dialect, ZONE)
      const count = async (one: typeof condition) => {
        const rows = await ask(
          boundOf(
            sql`SELECT count(*) FROM (SELECT CAST(${raw(value)} AS ${raw(writer.types.decimal)}) AS d) AS t WHERE ${conditionSql(one, writer)}`,
            writer,
          ),
        )
        return Number(rows[0]?.[0])
      }
      expect([dialect, await count(condition), await count(equal)]).toEqual([dialect, 0, 1])
    }
  })
})
