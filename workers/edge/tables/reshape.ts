import type { DurableObjectStorage, SqlStorage } from '@cloudflare/workers-types'

import { ConversionFault, rowConverter, takenColumns } from '../../../src/data/definitions/conversion.ts'
import { replacementSql } from '../../../src/data/definitions/replacement.ts'
import type { Row } from '../../../src/domain/table.ts'
import { EDIT_TABLES } from '../../../src/ports/tables.ts'
import type { ReshapeOrder, ReshapeOutcome, ReshapePart } from '../../../src/ports/tables.ts'
import { undone } from './edit.ts'
import { createIndexes, createTable, insertRows } from './loads.ts'
import type { Loads } from './loads.ts'
import { readPage } from './pages.ts'
import type { RowPage } from './pages.ts'
import { hiddenName, quotedName } from './query.ts'

const { rows: ROWS } = EDIT_TABLES

/** Fills a generation with the rows of others in other columns, in one transaction.
 * @throws {Refusal} unavailable when one of the others is gone */
export function runReshape(storage: DurableObjectStorage, loads: Loads, order: ReshapeOrder): ReshapeOutcome {
  const { sql } = storage
  const { parts, to, columns, key, indexes = [] } = order
  try {
    return undone(storage, (): ReshapeOutcome => {
      createTable(sql, ROWS, columns)
      let [rows, beforeLast] = [0, 0]
      for (const part of parts) {
        beforeLast = rows
        const convert = rowConverter(part, order)
        for (const batch of batchesOf(sql, loads.tableOf(part.of), part)) {
          insertRows(sql, ROWS, { columns, rows: batch.map(convert) })
          rows += batch.length
        }
      }
      const replaced = key ? replaceRows(sql, key, beforeLast + 1) : 0
      if (typeof replaced !== 'number') return replaced
      createIndexes(sql, ROWS, indexes)
      const table = hiddenName()
      sql.exec(`ALTER TABLE ${ROWS} RENAME TO "${table}"`)
      loads.adopt(to, table, rows - replaced)
      return { rows: rows - replaced, replaced }
    })
  } catch (error) {
    if (error instanceof ConversionFault) return { column: error.column, value: error.value }
    throw error
  }
}

function replaceRows(
  sql: SqlStorage,
  key: readonly string[],
  firstRow: number,
): number | Extract<ReshapeOutcome, { fault: string }> {
  const { nullKeys, doubleKeys, replace } = replacementSql(key.map(quotedName), firstRow)
  if ([...sql.exec(nullKeys)].length > 0) return { key, fault: 'null' }
  if ([...sql.exec(doubleKeys)].length > 0) return { key, fault: 'twice' }
  return [...sql.exec(`${replace} RETURNING 1`)].length
}

/** The rows of a table, with the columns that are taken over. */
function* batchesOf(sql: SqlStorage, table: string, part: ReshapePart): Generator<readonly Row[]> {
  const columns = takenColumns(part)
  for (let after: number | null = 0; after !== null;) {
    const page: RowPage = readPage(sql, table, { columns, after })
    yield page.rows
    after = page.next
  }
}
