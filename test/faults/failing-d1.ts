import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'

import type { Database } from '../../src/ports/database.ts'
import { openD1 as open } from '../../workers/edge/d1.ts'

/** The answers of D1 to a statement with one of these parameters. */
const ANSWERS = new Map<unknown, string>([
  ['the connection is lost', 'D1_ERROR: Network connection lost.'],
  ['the table is lost', 'D1_ERROR: no such table: users: SQLITE_ERROR'],
])

/** A D1 that fails on purpose. */
export function openD1(binding: D1Database): Database {
  const own: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (sql) => failing(binding.prepare(sql)),
    batch: (statements) => binding.batch(statements),
  }
  return open(own as D1Database)
}

function failing(statement: D1PreparedStatement): D1PreparedStatement {
  const bind = statement.bind.bind(statement)
  statement.bind = (...values) => {
    const bound = bind(...values)
    const answer = values.map((value) => ANSWERS.get(value)).find((text) => text !== undefined)
    if (answer === undefined) return bound
    for (const name of ['run', 'all', 'raw', 'first'] as const)
      Reflect.set(bound, name, () => Promise.reject(new Error(answer)))
    return bound
  }
  return statement
}
