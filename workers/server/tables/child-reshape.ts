import { existsSync } from 'node:fs'

import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'

import { ConversionFault, rowConverter, takenColumns } from '../../../src/data/definitions/conversion.ts'
import { replacementSql } from '../../../src/data/definitions/replacement.ts'
import type { Row } from '../../../src/domain/table.ts'
import { EDIT_TABLES } from '../../../src/ports/tables.ts'
import type { ReshapeOutcome } from '../../../src/ports/tables.ts'
import { replaced } from './child-edit.ts'
import { createIndexes, storeRows } from './child-load.ts'
import type { FilePart, ReshapeTask } from './messages.ts'
import { quoted } from './sql.ts'
import { cellOf } from './values.ts'

class KeyFault extends Error {
  constructor(readonly fault: 'null' | 'twice') {
    super(fault)
  }
}

/** Writes the rows of files of DuckDB into a new one with other columns. @throws {QueryFailure} */
export async function reshape(task: ReshapeTask): Promise<ReshapeOutcome> {
  const { parts, to, columns, key, indexes = [] } = task
  const counts = { rows: 0, beforeLast: 0, replaced: 0 }
  async function* rowsOfParts() {
    for (const part of parts) {
      counts.beforeLast = counts.rows
      for await (const batch of rowsOf(part, task)) {
        counts.rows += batch.length
        yield batch
      }
    }
  }
  try {
    await storeRows(rowsOfParts(), { columns, path: to }, async (connection) => {
      if (key) counts.replaced = await replaceRows(connection, key, counts.beforeLast)
      await createIndexes(connection, indexes)
    })
  } catch (error) {
    if (error instanceof ConversionFault) return { column: error.column, value: error.value }
    if (error instanceof KeyFault) return { key: key ?? [], fault: error.fault }
    throw error
  }
  return { rows: counts.rows - counts.replaced, replaced: counts.replaced }
}

/** @throws {KeyFault} */
async function replaceRows(
  connection: DuckDBConnection,
  key: readonly string[],
  firstRow: number,
): Promise<number> {
  const { nullKeys, doubleKeys, replace } = replacementSql(key.map(quoted), firstRow)
  const isThere = async (text: string) => (await (await connection.run(text)).getRowsJS()).length > 0
  if (await isThere(nullKeys)) throw new KeyFault('null')
  if (await isThere(doubleKeys)) throw new KeyFault('twice')
  return (await connection.run(replace)).rowsChanged
}

async function* rowsOf(part: FilePart, order: ReshapeTask): AsyncGenerator<readonly Row[]> {
  if (!existsSync(part.path)) throw replaced()
  const convert = rowConverter(part, order)
  const taken = takenColumns(part).map(({ name }) => quoted(name))
  const instance = await DuckDBInstance.create(part.path, {
    access_mode: 'READ_ONLY',
    memory_limit: '512MB',
    threads: '1',
  })
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    const result = await connection.stream(
      `SELECT ${taken.length === 0 ? 'NULL' : taken.join(', ')} FROM ${EDIT_TABLES.rows}`,
    )
    for (;;) {
      const chunk = await result.fetchChunk()
      if (chunk === null || chunk.rowCount === 0) return
      const rows: readonly Row[] = chunk.convertRows(cellOf)
      yield rows.map(convert)
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
