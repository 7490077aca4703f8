import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import { is } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { SQLiteRaw } from 'drizzle-orm/sqlite-core/query-builders/raw'

import { Refusal } from '../../src/lib/errors.ts'
import type { Database, Write } from '../../src/ports/database.ts'

/** The system database of a worker, from its D1 binding; migrations are applied by `wrangler d1 migrations apply`. It
 * refuses with `unavailable` while D1 is away. */
export function openD1(binding: D1Database): Database {
  const client = refusing(binding)
  const database = drizzle(client)
  const batch = database.batch.bind(database)
  return Object.assign(database, {
    batch: ((items) => {
      for (const item of items) prepareRaw(client, item)
      return batch(items)
    }) satisfies Database['batch'],
  })
}

// Drizzle 0.45 prepares the statements of its builders, but not raw SQL with parameters, with which its batch fails.
function prepareRaw(binding: D1Database, item: Write): void {
  if (is(item, SQLiteRaw)) Reflect.set(item, 'stmt', binding.prepare(item.getQuery().sql))
}

/** Transient errors of D1; wrong SQL and broken constraints are other errors. */
const PASSING =
  /network connection lost|object to be reset|code was updated|overloaded|internal error|timed? ?out|exceeded its (?:cpu|memory) |starting up/i

/** The binding, whose statements refuse while D1 is unavailable. A batch accepts only statements that the platform has made, so
 * their methods are replaced. */
function refusing(binding: D1Database): D1Database {
  const own: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (sql) => refusingStatement(binding.prepare(sql)),
    batch: (statements) => binding.batch<never>(statements).catch(refuse),
  }
  return own as D1Database
}

function refusingStatement(statement: D1PreparedStatement): D1PreparedStatement {
  const bind = statement.bind.bind(statement)
  statement.bind = (...values) => refusingStatement(bind(...values))
  for (const name of ['run', 'all', 'raw'] as const) {
    const ask = (statement[name] as (...input: unknown[]) => Promise<unknown>).bind(statement)
    Reflect.set(statement, name, (...input: unknown[]) => ask(...input).catch(refuse))
  }
  return statement
}

function refuse(error: unknown): never {
  if (!PASSING.test(String(error))) throw error
  const refusal = new Refusal('unavailable', 'The database is unavailable. Try again shortly.')
  refusal.cause = error
  throw refusal
}
