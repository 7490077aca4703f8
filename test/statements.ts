import type { Database } from '../src/ports/database.ts'

type Statement = ReturnType<Database['all']>

/** A read whose rows are noted when it is awaited. A batch takes the statement itself and does not execute it. */
export function noting(statement: Statement, note: (rows: readonly unknown[]) => void): Statement {
  const run = statement.execute.bind(statement)
  const execute: typeof run = async () => {
    const rows = await run()
    note(rows)
    return rows
  }
  return Object.assign(statement, { execute })
}
