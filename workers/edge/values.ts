import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { Cell, Row, Statement, ValuesDatabase } from '../../src/ports/values-database.ts'

/** The engine's database in the storage of a Durable Object. */
export function valuesInObject(storage: DurableObjectStorage): ValuesDatabase {
  const run = ({ sql, cells }: Statement) => storage.sql.exec(sql, ...cells.map(bound))
  return {
    read: (statement) => Promise.resolve([...run(statement)].map(rowOf)),
    async commit(statements) {
      storage.transactionSync(() => {
        for (const statement of statements) run(statement)
      })
      await storage.sync()
    },
  }
}

function bound(cell: Cell): string | number | null | ArrayBuffer {
  return cell instanceof Uint8Array ? new Uint8Array(cell).buffer : cell
}

function rowOf(row: Readonly<Record<string, string | number | null | ArrayBuffer>>): Row {
  const cells: Record<string, Cell> = {}
  for (const [name, cell] of Object.entries(row)) {
    cells[name] = cell instanceof ArrayBuffer ? new Uint8Array(cell) : cell
  }
  return cells
}
