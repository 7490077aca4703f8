import { constants } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'

import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'

import { EDIT_TABLES, TABLE_REPLACED } from '../../../src/ports/tables.ts'
import type { EditOrder, EditOutcome } from '../../../src/ports/tables.ts'
import { publish, STORAGE } from './child-load.ts'
import { QueryFailure } from './child-query.ts'
import type { EditTask } from './messages.ts'
import { quoted } from './sql.ts'
import { bindTo, STORED_TYPES } from './values.ts'

/** Writes a copy of a file of DuckDB with changed rows, which appears under its name when it is whole and durable.
 * @throws {QueryFailure} */
export async function edit({ from, to, changes, steps }: EditTask): Promise<EditOutcome> {
  const database = `${to}.${crypto.randomUUID()}.tmp`
  try {
    await copyOf(from, database)
    const outcome = await changeIn(database, { changes, steps })
    if ('rows' in outcome) await publish(database, to)
    return outcome
  } finally {
    for (const file of [database, `${database}.wal`]) await rm(file, { force: true })
  }
}

async function copyOf(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw replaced()
  }
}

async function changeIn(
  database: string,
  { changes, steps }: Pick<EditOrder, 'changes' | 'steps'>,
): Promise<EditOutcome> {
  const instance = await DuckDBInstance.create(database, STORAGE)
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'; SET integer_division = true; BEGIN")
    await insertChanges(connection, changes)
    const written: number[] = []
    for (const [step, { kind, statement }] of steps.entries()) {
      const prepared = await connection.prepare(statement.text)
      for (const [index, bind] of statement.binds.entries()) bindTo(prepared, index + 1, bind)
      const result = await prepared.run()
      if (kind === 'check') {
        const [found] = await result.getRowsJS()
        if (found) return { step, change: Number(found[0]) }
      }
      written.push(kind === 'write' ? result.rowsChanged : 0)
    }
    await connection.run('COMMIT; CHECKPOINT')
    const [count] = await (await connection.run(`SELECT count(*) FROM ${EDIT_TABLES.rows}`)).getRowsJS()
    return { rows: Number(count?.[0]), written }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function insertChanges(
  connection: DuckDBConnection,
  { columns, rows }: EditOrder['changes'],
): Promise<void> {
  const types = columns.map(({ name, type }) => `${quoted(name)} ${STORED_TYPES[type]}`)
  await connection.run(`CREATE TEMP TABLE ${EDIT_TABLES.changes} (${types.join(', ')})`)
  const values = columns.map((_, index) => `$${index + 1}`)
  const insert = await connection.prepare(`INSERT INTO ${EDIT_TABLES.changes} VALUES (${values.join(', ')})`)
  for (const row of rows) {
    for (const [index, { type }] of columns.entries())
      bindTo(insert, index + 1, { type, value: row[index] ?? null })
    await insert.run()
  }
}

/** The failure of a task whose file does not exist any more. */
export function replaced(): QueryFailure {
  return new QueryFailure({ code: 'unavailable', message: TABLE_REPLACED })
}
