import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'

import { readRows } from '../../../src/data/imports/file.ts'
import type { ImportProgress } from '../../../src/data/imports/file.ts'
import type { ImportFile } from '../../../src/data/imports/import-file.ts'
import type { Cell, Column, Row } from '../../../src/domain/table.ts'
import { notUnique } from '../../../src/data/imports/failure.ts'
import type { LoadCounts, TableIndex } from '../../../src/ports/tables.ts'
import { bulkOf, READ_OPTIONS } from './bulk.ts'
import type { Bulk } from './bulk.ts'
import type { FileTask } from './messages.ts'
import { literal, quoted } from './sql.ts'
import { STORED_TYPES } from './values.ts'

/** Files of later releases of DuckDB can be read by this one, which is pinned. */
export const STORAGE = {
  storage_compatibility_version: 'v1.4.0',
  memory_limit: '512MB',
  threads: '1',
} as const
const FLUSH_CHARS = 1024 * 1024
const NULL = String.raw`\N`

/** Writes the rows of a file into a new file of DuckDB. @throws {ImportFailure}
 * @throws {Refusal} import_failed */
export async function load(
  file: ImportFile,
  { plan, path, indexes, file: { path: input } }: Extract<FileTask, { kind: 'load' }>,
): Promise<LoadCounts> {
  const finish = (connection: DuckDBConnection) => createIndexes(connection, indexes)
  const bulk = bulkOf(plan, input)
  if (bulk !== null && (await storeWhole(bulk, { columns: plan.columns, path }, finish)))
    return { rows: bulk.records, skipped: 0, faults: [] }
  const progress: ImportProgress = { rows: 0, skipped: 0, faults: [] }
  await storeRows(readRows(file, plan, progress), { columns: plan.columns, path }, finish)
  return progress
}

/** Fills a new file of DuckDB with the rows of a statement. @returns false where it fails, or selects another number of rows */
async function storeWhole(
  { select, records }: Bulk,
  { columns, path }: { readonly columns: readonly Column[]; readonly path: string },
  finish: (connection: DuckDBConnection) => Promise<void>,
): Promise<boolean> {
  let isComplete = false
  const insert = async (connection: DuckDBConnection) => {
    try {
      const { rowsChanged } = await connection.run(`INSERT INTO t ${select}`)
      isComplete = rowsChanged === records
    } catch {
      // Reading row by row finds the fault of the file.
    }
    return isComplete
  }
  const database = `${path}.${crypto.randomUUID()}.tmp`
  try {
    await fill(database, columns, { insert, finish })
    if (isComplete) await publish(database, path)
  } finally {
    await removeDatabase(database)
  }
  return isComplete
}

/** @throws {Refusal} import_failed */
export async function createIndexes(
  connection: DuckDBConnection,
  indexes: readonly TableIndex[],
): Promise<void> {
  for (const [at, { columns, isUnique }] of indexes.entries()) {
    try {
      await connection.run(
        `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX i${at} ON t (${columns.map(quoted).join(', ')})`,
      )
    } catch (error) {
      if (!isUnique || !/constraint|duplicate/i.test((error as Error).message)) throw error
      throw notUnique(columns)
    }
  }
}

/** Writes rows into a new file of DuckDB, which appears under its name when it is whole and durable.
 * @param finish changes the rows before that */
export async function storeRows(
  batches: AsyncIterable<readonly Row[]>,
  { columns, path }: { readonly columns: readonly Column[]; readonly path: string },
  finish: (connection: DuckDBConnection) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const work = `${path}.${crypto.randomUUID()}`
  const [database, rows] = [`${work}.tmp`, `${work}.csv.tmp`]
  const insert = async (connection: DuckDBConnection) => {
    await connection.run(`INSERT INTO t ${selectWritten(rows, columns)}`)
    return true
  }
  try {
    await writeRows(batches, rows)
    await fill(database, columns, { insert, finish })
    await publish(database, path)
  } finally {
    await rm(rows, { force: true })
    await removeDatabase(database)
  }
}

async function removeDatabase(database: string): Promise<void> {
  for (const file of [database, `${database}.wal`]) await rm(file, { force: true })
}

/** Writes rows as CSV in which null is `\N` and every other value is quoted. */
async function writeRows(batches: AsyncIterable<readonly Row[]>, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    let text = ''
    for await (const batch of batches) {
      for (const row of batch) text += `${row.map(written).join(',')}\n`
      if (text.length < FLUSH_CHARS) continue
      await file.write(text)
      text = ''
    }
    await file.write(text)
  } finally {
    await file.close()
  }
}

function written(cell: Cell): string {
  if (cell === null) return NULL
  const isPlain = typeof cell !== 'string' || !cell.includes('"')
  return isPlain ? `"${cell}"` : `"${cell.replaceAll('"', '""')}"`
}

/** The steps of filling a table: `insert` tells whether it has all rows; only then they are finished and stored. */
type Filling = {
  readonly insert: (connection: DuckDBConnection) => Promise<boolean>
  readonly finish: (connection: DuckDBConnection) => Promise<void>
}

async function fill(
  database: string,
  columns: readonly Column[],
  { insert, finish }: Filling,
): Promise<void> {
  const instance = await DuckDBInstance.create(database, STORAGE)
  const connection = await instance.connect()
  try {
    const types = columns.map(({ name, type }) => `${quoted(name)} ${STORED_TYPES[type]}`)
    await connection.run(`SET TimeZone = 'UTC'; CREATE TABLE t (${types.join(', ')})`)
    if (!(await insert(connection))) return
    await finish(connection)
    await connection.run('CHECKPOINT')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** The rows of the CSV of `writeRows`. */
function selectWritten(path: string, columns: readonly Column[]): string {
  // Binary values come as base64.
  const read = columns.map(({ type }, index) => (type === 'binary' ? `from_base64(c${index})` : `c${index}`))
  const types = columns.map(({ type }, index) => {
    const own = type === 'binary' ? 'VARCHAR' : STORED_TYPES[type]
    return `c${index}: ${literal(own)}`
  })
  return `SELECT ${read.join(', ')} FROM read_csv(${literal(path)}, columns = {${types.join(', ')}},
    header = false, ${READ_OPTIONS}, delim = ',', new_line = '\\n', nullstr = ${literal(NULL)}, allow_quoted_nulls = false)`
}

/** Renames a complete file durably. */
export async function publish(database: string, path: string): Promise<void> {
  await sync(database)
  await rename(database, path)
  await sync(dirname(path))
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
