import type { DurableObjectStorage, SqlStorage, SqlStorageValue } from '@cloudflare/workers-types'

import { replaceParameters } from '../../../src/data/sql/parameters.ts'
import type { Bound } from '../../../src/ports/databases.ts'
import { EDIT_TABLES } from '../../../src/ports/tables.ts'
import type { EditOrder, EditOutcome } from '../../../src/ports/tables.ts'
import { boundOf } from './cells.ts'
import { createTable, insertRows } from './loads.ts'
import type { Loads } from './loads.ts'
import { hiddenName, quotedName } from './query.ts'

const { rows: ROWS, changes: CHANGES } = EDIT_TABLES

/** Fills a generation with the rows of another one and changes them, in one transaction.
 * @throws {Refusal} unavailable when the other one is gone */
export function runEdit(
  storage: DurableObjectStorage,
  loads: Loads,
  { from, to, columns, changes, steps }: EditOrder,
): EditOutcome {
  const { sql } = storage
  const [source, table] = [loads.tableOf(from), hiddenName()]
  return undone(storage, (): EditOutcome => {
    createTable(sql, ROWS, columns)
    sql.exec(
      `INSERT INTO ${ROWS} SELECT ${columns.map(({ name }) => quotedName(name)).join(', ')} FROM "${source}"`,
    )
    createTable(sql, CHANGES, changes.columns)
    insertRows(sql, CHANGES, changes)
    const written: number[] = []
    for (const [step, { kind, statement }] of steps.entries()) {
      if (kind === 'check') {
        const [found] = run(sql, `${statement.text} LIMIT 1`, statement.binds)
        if (found) return { step, change: Number(found[0]) }
      }
      written.push(kind === 'write' ? run(sql, `${statement.text} RETURNING 1`, statement.binds).length : 0)
    }
    sql.exec(`DROP TABLE ${CHANGES}; ALTER TABLE ${ROWS} RENAME TO "${table}"`)
    const { rows } = sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM "${table}"`).one()
    loads.adopt(to, table, rows)
    return { rows, written }
  })
}

/** Runs a transaction that is rolled back unless its outcome has the rows of a table. */
export function undone<Outcome extends object>(storage: DurableObjectStorage, work: () => Outcome): Outcome {
  const end = new Error('The transaction is not to be committed')
  let outcome: Outcome | null = null
  try {
    storage.transactionSync(() => {
      outcome = work()
      if (!('rows' in outcome)) throw end
    })
  } catch (error) {
    if (error !== end) throw error
  }
  return outcome as unknown as Outcome
}

function run(sql: SqlStorage, text: string, binds: Bound['binds']): SqlStorageValue[][] {
  const values = binds.map(boundOf)
  const replaced = replaceParameters(
    { text, binds },
    'sqlite',
    (number) => values[number - 1]?.cast(`?${number}`) ?? '',
  )
  return [...sql.exec(replaced, ...values.map(({ value }) => value)).raw()]
}
