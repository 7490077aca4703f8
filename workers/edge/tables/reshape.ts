import type { DurableObjectStorage, SqlStorage } from '@cloudflare/workers-types'

import { ConversionFault, rowConverter, takenColumns } from '../../../src/data/definitions/conversion.ts'
import type { Row } from '../../../src/domain/table.ts'
import type { ReshapedColumn, ReshapeOrder, ReshapeOutcome } from '../../../src/ports/tables.ts'
import { readerOf, STORED_TYPES } from './cells.ts'
import { createTable, insertRows } from './loads.ts'
import type { Loads } from './loads.ts'
import { hiddenName, quotedName } from './query.ts'

const BATCH_ROWS = 500

/** Fills a generation with the rows of another one in other columns, in one transaction.
 * @throws {Refusal} unavailable when the other one is gone */
export function runReshape(
  storage: DurableObjectStorage,
  loads: Loads,
  { from, to, columns, timeZone }: ReshapeOrder,
): ReshapeOutcome {
  const source = from && loads.tableOf(from)
  const table = hiddenName()
  try {
    return storage.transactionSync(() => {
      createTable(storage.sql, table, columns)
      const convert = rowConverter(columns, timeZone)
      let rows = 0
      for (const batch of source === null ? [] : batchesOf(storage.sql, source, columns)) {
        insertRows(storage.sql, table, { columns, rows: batch.map(convert) })
        rows += batch.length
      }
      loads.adopt(to, table, rows)
      return { rows }
    })
  } catch (error) {
    if (error instanceof ConversionFault) return { column: error.column, value: error.value }
    throw error
  }
}

/** The rows of a table, with the columns that are taken over. */
function* batchesOf(
  sql: SqlStorage,
  table: string,
  columns: readonly ReshapedColumn[],
): Generator<readonly Row[]> {
  const readers = columns.flatMap(({ from }) => (from ? [readerOf(STORED_TYPES[from.type])] : []))
  const selected = takenColumns(columns).map((name, at) => readers[at]?.select(quotedName(name)) ?? '')
  const statement = `SELECT ${['rowid', ...selected].join(', ')} FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT ${BATCH_ROWS}`
  for (let last = 0; ;) {
    const found = [...sql.exec(statement, last).raw()]
    if (found.length === 0) return
    last = Number(found.at(-1)?.[0])
    yield found.map(([, ...cells]) => cells.map((cell, at) => readers[at]?.read(cell) ?? null))
  }
}
