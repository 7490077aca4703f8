import { existsSync } from 'node:fs'

import { DuckDBInstance } from '@duckdb/node-api'

import { ConversionFault, rowConverter, takenColumns } from '../../../src/data/definitions/conversion.ts'
import type { Row } from '../../../src/domain/table.ts'
import { EDIT_TABLES } from '../../../src/ports/tables.ts'
import type { ReshapeOrder, ReshapeOutcome } from '../../../src/ports/tables.ts'
import { replaced } from './child-edit.ts'
import { storeRows } from './child-load.ts'
import type { ReshapeTask } from './messages.ts'
import { quoted } from './sql.ts'
import { cellOf } from './values.ts'

/** Writes the rows of a file of DuckDB into a new one with other columns. @throws {QueryFailure} */
export async function reshape({ from, to, columns, timeZone }: ReshapeTask): Promise<ReshapeOutcome> {
  let rows = 0
  async function* counted() {
    if (from === null) return
    for await (const batch of rowsOf(from, { columns, timeZone })) {
      rows += batch.length
      yield batch
    }
  }
  try {
    await storeRows(counted(), columns, to)
  } catch (error) {
    if (error instanceof ConversionFault) return { column: error.column, value: error.value }
    throw error
  }
  return { rows }
}

async function* rowsOf(
  path: string,
  { columns, timeZone }: Pick<ReshapeOrder, 'columns' | 'timeZone'>,
): AsyncGenerator<readonly Row[]> {
  if (!existsSync(path)) throw replaced()
  const convert = rowConverter(columns, timeZone)
  const taken = takenColumns(columns).map(quoted)
  const instance = await DuckDBInstance.create(path, {
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
