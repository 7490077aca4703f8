import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'
import * as fc from 'fast-check'

import { inspectFile, readRows } from '../../src/data/imports/file.ts'
import type { ValueFormat } from '../../src/domain/import-plan.ts'
import type { Cell, ColumnType } from '../../src/domain/table.ts'
import { timeFormat } from '../../src/lib/time.ts'
import { FAST_DIR } from '../hosts/fast-dir.ts'
import { streamedFile } from './import-files.ts'

// Random tables that DuckDB writes as Parquet, of all types, packings and sizes of groups.

const TABLES = 40
const ZONE = 'Europe/Zurich'
const VALUES: ValueFormat = { nulls: [], decimal: '.', dateFormats: [], timeZone: ZONE }
const PACKINGS = ['uncompressed', 'snappy', 'gzip', 'zstd'] as const

let folder = ''
let duckdb: DuckDBConnection
beforeAll(async () => {
  folder = await mkdtemp(join(FAST_DIR, 'tidemark-parquet-'))
  duckdb = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await duckdb.run(`SET TimeZone = '${ZONE}'`)
})
afterAll(async () => {
  duckdb.closeSync()
  await rm(folder, { recursive: true })
})

/** A value as SQL writes it, and as it is imported. */
type Value = { readonly sql: string; readonly cell: Exclude<Cell, null> }
type Kind = { readonly sql: string; readonly type: ColumnType; readonly values: fc.Arbitrary<Value> }

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const micros = (text: string) => text.replace(/\.?0+$/, '')
const DAY_MS = 86_400_000

const instantMicros = fc
  .bigInt({ min: BigInt(Date.UTC(1910, 0)) * 1_000n, max: BigInt(Date.UTC(2090, 0)) * 1_000n })
  .chain((at) => fc.constantFrom(at, at - (at % 1_000_000n)))

/** The text of microseconds since 1970, in UTC. */
function textOf(at: bigint): string {
  const seconds = at / 1_000_000n - (at % 1_000_000n < 0n ? 1n : 0n)
  const part = String(at - seconds * 1_000_000n).padStart(6, '0')
  return micros(`${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}.${part}`)
}

const asIs = (cell: Exclude<Cell, null>): Value => ({ sql: String(cell), cell })
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => !one.includes('\0'))

const KINDS: readonly Kind[] = [
  { sql: 'SMALLINT', type: 'integer', values: fc.integer({ min: -32_768, max: 32_767 }).map(asIs) },
  { sql: 'INTEGER', type: 'integer', values: fc.integer().map(asIs) },
  {
    sql: 'BIGINT',
    type: 'integer',
    values: fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }).map(asIs),
  },
  {
    sql: 'DOUBLE',
    type: 'number',
    values: fc
      .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(1e15, -2e18, 1e21))
      .map((cell) => ({
        sql: `${quoted(String(cell))}::DOUBLE`,
        cell: cell === 0 ? 0 : cell,
      })),
  },
  {
    sql: 'DECIMAL(12,2)',
    type: 'number',
    values: fc.integer({ min: -999_999_999, max: 999_999_999 }).map((cents) => asIs(cents / 100)),
  },
  { sql: 'BOOLEAN', type: 'boolean', values: fc.boolean().map(asIs) },
  {
    sql: 'DATE',
    type: 'date',
    values: fc.integer({ min: -30_000, max: 60_000 }).map((day) => {
      const cell = new Date(day * DAY_MS).toISOString().slice(0, 10)
      return { sql: quoted(cell), cell }
    }),
  },
  {
    sql: 'TIMESTAMPTZ',
    type: 'datetime',
    values: instantMicros.map((at) => ({ sql: `make_timestamptz(${at})`, cell: `${textOf(at)}Z` })),
  },
  {
    // Local to the zone of the import.
    sql: 'TIMESTAMP',
    type: 'datetime',
    values: instantMicros.filter(isPlain).map((at) => ({
      sql: quoted(localText(at)),
      cell: `${textOf(at)}Z`,
    })),
  },
  {
    sql: 'TIME',
    type: 'time',
    values: fc.bigInt({ min: 0n, max: 86_399_999_999n }).map((at) => {
      const cell = textOf(at).slice(11)
      return { sql: quoted(cell), cell }
    }),
  },
  { sql: 'VARCHAR', type: 'string', values: text.map((cell) => ({ sql: quoted(cell), cell })) },
]

function localText(at: bigint): string {
  const format = timeFormat(ZONE)
  const whole = textOf(at)
  return format(Date.parse(`${whole.slice(0, 19)}Z`)).slice(0, 19) + whole.slice(19)
}

/** Whether the clock shows this time once. */
function isPlain(at: bigint): boolean {
  const format = timeFormat(ZONE)
  const ms = Number(at / 1_000n)
  return [-3_600_000, 3_600_000].every((by) => format(ms + by).slice(-6) === format(ms).slice(-6))
}

const table = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 6 }).chain((kinds) =>
  fc.record({
    kinds: fc.constant(kinds),
    rows: fc.array(fc.tuple(...kinds.map(({ values }) => fc.option(values, { freq: 4 }))), {
      minLength: 1,
      maxLength: 30,
    }),
    packing: fc.constantFrom(...PACKINGS),
    version: fc.constantFrom('V1', 'V2'),
    // More rows than a group has.
    times: fc.constantFrom(1, 1, 1, 200),
  }),
)

/** The type that all values of a column have: of none it is text, of whole numbers integer. */
function typeFor(type: ColumnType, cells: readonly Cell[]): ColumnType {
  const values = cells.filter((cell) => cell !== null)
  if (values.length === 0) return 'string'
  const areWhole = values.every((cell) => Number.isInteger(cell) && Math.abs(Number(cell)) < 1e15)
  return type === 'number' && areWhole ? 'integer' : type
}

test(`${TABLES} random tables are imported as DuckDB wrote them`, async () => {
  let written = 0
  await fc.assert(
    fc.asyncProperty(table, async ({ kinds, rows, packing, version, times }) => {
      const path = join(folder, `${written++}.parquet`)
      const values = rows.map((row, at) => `(${[at, ...row.map((one) => one?.sql ?? 'NULL')].join(',')})`)
      const names = kinds.map((_, at) => `c${at}`)
      const columns = kinds.map(({ sql }, at) => `CAST(c${at} AS ${sql}) AS c${at}`)
      await duckdb.run(
        `COPY (SELECT ${columns.join(', ')} FROM (VALUES ${values.join(', ')}) AS t(n, ${names.join(', ')}), range(${times}) AS r(i) ORDER BY i, n)
         TO '${path}' (FORMAT parquet, COMPRESSION ${packing}, PARQUET_VERSION ${version}, ROW_GROUP_SIZE 2048)`,
      )
      const file = streamedFile(new Uint8Array(await Bun.file(path).arrayBuffer()))
      const { columns: found } = await inspectFile(file, { kind: 'parquet' }, VALUES)
      expect(found.map(({ name, type }) => [name, type])).toEqual(
        kinds.map(({ type }, at) => [
          `c${at}`,
          typeFor(
            type,
            rows.map((row) => row[at]?.cell ?? null),
          ),
        ]),
      )
      const plan = {
        file: { kind: 'parquet' },
        values: VALUES,
        columns: found,
        onError: 'abort',
        faultsMax: 0,
      } as const
      const batches = await Array.fromAsync(readRows(file, plan, { rows: 0, skipped: 0, faults: [] }))
      const once = rows.map((row) => row.map((one) => one?.cell ?? null))
      expect(batches.flat()).toEqual(Array.from({ length: times }, () => once).flat())
    }),
    { numRuns: TABLES },
  )
}, 60_000)
