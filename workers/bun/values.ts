import type { InArgs } from '@libsql/client'

import type { Cell, Row, Statement, ValuesDatabase } from '../../src/ports/values-database.ts'
import type { Libsql } from './libsql.ts'

/** The keeper's database in a libSQL file. `onBroken` hears of a disk that can no longer be trusted. */
export function valuesInLibsql(client: Libsql['client'], onBroken: (cause: unknown) => void): ValuesDatabase {
  return {
    async read(statement) {
      const { rows } = await client.execute(argsOf(statement))
      return rows.map((row) => rowOf(row))
    },
    async commit(statements) {
      if (statements.length === 0) return
      try {
        const [first] = statements
        if (statements.length === 1 && first) await client.execute(argsOf(first))
        else await client.batch(statements.map(argsOf), 'write')
      } catch (error) {
        // After a failed write or flush nobody knows what the disk holds: only a restart reads it anew.
        if (/SQLITE_(IOERR|CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code))) onBroken(error)
        throw error
      }
    },
  }
}

function argsOf({ sql, cells }: Statement): { sql: string; args: InArgs } {
  return { sql, args: [...cells] as InArgs }
}

function rowOf(row: Readonly<Record<string, unknown>>): Row {
  const cells: Record<string, Cell> = {}
  for (const name of Object.keys(row)) {
    const cell = row[name]
    cells[name] = cell instanceof ArrayBuffer ? new Uint8Array(cell) : (cell as Cell)
  }
  return cells
}
