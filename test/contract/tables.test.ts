import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { PlainCsv } from '../../src/domain/import-plan.ts'
import type { Refusal } from '../../src/lib/errors.ts'
import type { Bound } from '../../src/ports/databases.ts'
import type { Generation } from '../../src/ports/tables.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { openTables } from '../../workers/bun/tables.ts'
import { publish } from '../../workers/server/tables/child-load.ts'
import type { OpenTables } from '../../workers/server/tables/tables.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { FAST_DIR } from '../hosts/fast-dir.ts'
import { startTables } from '../hosts/tables.ts'
import { readUntil } from '../until.ts'
import { rejection } from './rejection.ts'
import { LIMITS, NEVER, planOf, rowsOf, tablesContract } from './tables.contract.ts'
import type { TablesUnderTest } from './tables.contract.ts'

const folder = await mkdtemp(join(FAST_DIR, 'tidemark-tables-'))
afterAll(() => rm(folder, { recursive: true }))
const logged: string[] = []
const log = jsonLog((line) => {
  logged.push(line)
  process.stderr.write(line)
})

async function openIn(name: string): Promise<TablesUnderTest & { readonly tables: OpenTables }> {
  const directory = join(folder, name)
  const blobs = await openBlobsDirectory(join(directory, 'blobs'), log)
  const tables = await openTables({ directory: join(directory, 'tables'), blobs, clock: Date, log })
  return { tables, blobs, close: () => Promise.resolve(tables.close()) }
}

tablesContract('tables in files of DuckDB', () => openIn('contract'))
tablesContract('tables in a Durable Object', startTables)

const MINE: Bound = { text: `"region" = 'mine'`, binds: [] }

test('an inspected file is read by DuckDB as a whole, and record by record where that fails', async () => {
  const under = await openIn('whole')
  await under.blobs.put('f', new TextEncoder().encode('n,is\n1,t\n2,false\n'))
  const columns = [
    { name: 'n', type: 'integer' },
    { name: 'is', type: 'boolean' },
  ] as const
  const load = (records: number) => {
    const plain: PlainCsv = { lineEnd: '\n', records, types: ['integer', 'boolean'] }
    const to = { sourceId: 1, tableId: 1, key: `of${records}` }
    return under.tables.load({ to, blob: 'f', plan: planOf(columns, { plain }) }, NEVER)
  }
  // DuckDB alone reads `t` as a boolean.
  expect(await load(2)).toEqual({ rows: 2, skipped: 0, faults: [] })
  expect(await rejection(load(3))).toMatchObject({
    code: 'import_failed',
    errors: [{ pointer: '/file/2/is' }],
  })
  expect(await under.tables.list(1)).toEqual([{ sourceId: 1, tableId: 1, key: 'of2' }])
  await under.close()
})

test('a table file is durable before it has its name, and its name after', async () => {
  const [file, named] = [join(folder, 'durable.tmp'), join(folder, 'durable')]
  await Bun.write(file, 'rows')
  const handle = await open(file, 'r')
  const wasNamed: boolean[] = []
  const synced = spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync')
  synced.mockImplementation(() => Promise.resolve(void wasNamed.push(existsSync(named))))
  await handle.close()
  try {
    await publish(file, named)
    expect(wasNamed).toEqual([false, true])
  } finally {
    synced.mockRestore()
  }
})

describe('a statement on DuckDB', () => {
  let under: TablesUnderTest
  const orders: Generation = { sourceId: 1, tableId: 1, key: 'a' }
  beforeAll(async () => {
    under = await openIn('hostile')
    const rows = Array.from(
      { length: 1_000 },
      (_, index) => `${index},${index % 2 === 0 ? 'mine' : 'secret'}`,
    )
    await under.blobs.put('f', new TextEncoder().encode(`id,region\n${rows.join('\n')}\n`))
    const columns = [
      { name: 'id', type: 'integer' },
      { name: 'region', type: 'string' },
    ] as const
    await under.tables.load({ to: orders, blob: 'f', plan: planOf(columns) }, NEVER)
  })
  afterAll(() => under.close())

  const ask = async (text: string, timeoutMs = 30_000) => {
    const views = [{ name: 'orders', of: orders, columns: ['id', 'region'], where: MINE }]
    const query = { views, statement: { text, binds: [] }, timeZone: 'UTC' }
    return rowsOf(await under.tables.query(query, { ...LIMITS, timeoutMs }, NEVER))
  }

  test.each([
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/proc/self/environ')",
    'SELECT * FROM read_blob((SELECT path FROM duckdb_databases() LIMIT 1))',
    "SELECT * FROM glob('/*')",
    "FROM '/etc/passwd'",
    "COPY orders TO '/dev/shm/out.csv'",
    "COPY (SELECT 1) TO '/dev/shm/out.csv'",
    "EXPORT DATABASE '/dev/shm/out'",
    "ATTACH '/dev/shm/x.db' AS x",
    'INSTALL httpfs',
    'LOAD json',
    "SET memory_limit = '10GB'",
    'SET enable_external_access = true',
    'RESET lock_configuration',
    'PRAGMA enable_profiling',
    'EXPLAIN ANALYZE SELECT 1',
    'CREATE MACRO f() AS 1',
    'CALL enable_logging()',
    'SELECT * FROM t',
    'SELECT * FROM main.t',
    'SELECT getenv($$HOME$$)',
  ])('is refused: %s', async (text) => {
    const failure = await rejection(ask(text))
    expect(failure).toMatchObject({ code: 'query_failed' })
    expect(String(failure)).not.toMatch(/[0-9a-f]{32}/)
    expect(await ask('SELECT count(*) FROM orders')).toEqual([[500]])
  })

  test('finds the file of its table by no name that it can read', async () => {
    const rows = await ask('SELECT path FROM duckdb_databases() WHERE path IS NOT NULL')
    expect(rows.length).toBe(1)
    for (const [path] of rows) {
      expect(existsSync(String(path))).toBe(false)
      for (const from of [`'${path}'`, `read_duckdb('${path}')`, `read_blob('${path}')`])
        expect(await rejection(ask(`SELECT * FROM ${from}`))).toMatchObject({ code: 'query_failed' })
    }
    const names = await ask('SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL')
    expect(await rejection(ask(`SELECT * FROM "${names[0]?.[0]}".main.t`))).toMatchObject({
      code: 'query_failed',
    })
  })

  test.each([
    [
      'endless recursion',
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
    ],
    ['a cross join', 'SELECT count(*) FROM range(1000000) a, range(1000000) b'],
    ['a billion rows', 'SELECT count(DISTINCT range) FROM range(1000000000)'],
    ['a text of 2 GB', `SELECT length(repeat('x', 2000000000) || id) FROM orders`],
    ['a text that is made while planning', `SELECT length(lpad('x', 1000000000, 'y'))`],
  ])('ends at its time or its memory: %s', async (_, text) => {
    const begunAt = performance.now()
    const failure = await rejection(ask(text, 500))
    const tookMs = performance.now() - begunAt
    expect((failure as Refusal).code).toMatch(/^query_(?:timeout|too_large|failed)$/)
    expect(tookMs).toBeLessThan(30_000)
    expect(await ask('SELECT count(*) FROM orders')).toEqual([[500]])
  })

  test('whose process is killed is refused, the log has the signal, and the next one runs', async () => {
    const endless = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r'
    const failure = rejection(ask(endless))
    const kill = setInterval(
      () => Bun.spawnSync(['pkill', '-KILL', '-P', String(process.pid), '-f', 'tables-child.ts']),
      1_000,
    )
    expect(await failure).toMatchObject({ code: 'unavailable' })
    clearInterval(kill)
    expect(logged.join('')).toMatch(/a table process ended by itself.*SIGKILL/)
    expect(await ask('SELECT count(*) FROM orders')).toEqual([[500]])
  })
})

test('a statement of the service finds what the last one over the same views opened, one of a user does not', async () => {
  const under = await openIn('kept')
  await under.blobs.put('f', new TextEncoder().encode('id,region\n1,mine\n2,other\n3,mine\n'))
  const columns = [
    { name: 'id', type: 'integer' },
    { name: 'region', type: 'string' },
  ] as const
  const of = { sourceId: 1, tableId: 1, key: 'a' }
  await under.tables.load({ to: of, blob: 'f', plan: planOf(columns) }, NEVER)
  const ids = async (isGenerated: boolean, where: Bound | null, text = 'SELECT id FROM t ORDER BY id') => {
    const views = [{ name: 't', of, columns: ['id', 'region'], where }]
    const query = { views, statement: { text, binds: [] }, timeZone: 'UTC', isGenerated }
    return (await rowsOf(await under.tables.query(query, LIMITS, NEVER))).map(([id]) => id)
  }
  expect(await ids(true, MINE)).toEqual([1, 3])
  expect(await ids(true, null)).toEqual([1, 2, 3])
  expect(await ids(true, MINE)).toEqual([1, 3])
  await under.tables.drop([of])
  expect(await ids(true, MINE, 'SELECT max(id) AS id FROM t')).toEqual([3])
  // A statement that failed leaves nothing to the next one.
  expect(await rejection(ids(true, MINE, 'SELECT nothing FROM t'))).toMatchObject({ code: 'query_failed' })
  for (const isGenerated of [true, false])
    expect(await rejection(ids(isGenerated, MINE))).toMatchObject({ code: 'unavailable' })

  await under.tables.load({ to: of, blob: 'f', plan: planOf(columns) }, NEVER)
  expect(await ids(true, MINE)).toEqual([1, 3])
  await under.tables.drop([of])
  expect(await rejection(ids(false, MINE))).toMatchObject({ code: 'unavailable' })
  expect(await rejection(ids(true, MINE))).toMatchObject({ code: 'unavailable' })
  await under.close()
})

test('a load that is cancelled ends its process, leaves no file, and the next one runs', async () => {
  const under = await openIn('cancelled')
  const { tables, blobs } = under
  const to = { sourceId: 1, tableId: 1, key: 'a' }
  await blobs.put('many', new TextEncoder().encode(`id\n${'1\n'.repeat(2_000_000)}`))
  await blobs.put('one', new TextEncoder().encode('id\n1\n'))
  const plan = planOf([{ name: 'id', type: 'integer' }])
  const loaders = () => processesOf('/tables-child.ts')
  const before = new Set(loaders())
  const leaving = new AbortController()
  const load = rejection(tables.load({ to, blob: 'many', plan }, leaving.signal))
  const directory = join(folder, 'cancelled/tables/1')
  const work = () => readdir(directory).catch(() => [])
  await readUntil(work, ({ length }) => length > 0)
  const [own] = loaders().filter((pid) => !before.has(pid))
  expect(own).toBeDefined()
  leaving.abort(new Error('The caller has left.'))
  expect(await load).toMatchObject({ message: 'The caller has left.' })
  expect(loaders()).not.toContain(own)
  expect([await work(), await tables.list(1)]).toEqual([[], []])
  await tables.load({ to, blob: 'one', plan }, NEVER)
  expect(await work()).toEqual(['1-a.duckdb'])
  await under.close()
})

/** The processes of this one whose command has a text. */
function processesOf(text: string): readonly string[] {
  const { stdout } = Bun.spawnSync(['pgrep', '-P', String(process.pid), '-f', text])
  return stdout.toString().split('\n').filter(Boolean)
}

test('files that a killed process left are removed, and tables are there again', async () => {
  const first = await openIn('again')
  const to = { sourceId: 1, tableId: 1, key: 'a' }
  await first.blobs.put('f', new TextEncoder().encode('id,n\n1,2\n'))
  const plan = planOf([
    { name: 'id', type: 'integer' },
    { name: 'n', type: 'integer' },
  ])
  await first.tables.load({ to, blob: 'f', plan }, NEVER)
  await first.close()
  const directory = join(folder, 'again/tables/1')
  for (const left of ['1-a.duckdb.x.tmp', '1-b.duckdb.y.csv.tmp', 'abc.link'])
    await Bun.write(join(directory, left), 'x')
  const second = await openIn('again')
  expect(await readdir(directory)).toEqual(['1-a.duckdb'])
  expect(await second.tables.list(1)).toEqual([to])
  const views = [{ name: 't1', of: to, columns: ['id'], where: null }]
  const query = { views, statement: { text: 'SELECT id FROM t1', binds: [] }, timeZone: 'UTC' }
  expect(await rowsOf(await second.tables.query(query, LIMITS, NEVER))).toEqual([[1]])
  await second.close()
})
