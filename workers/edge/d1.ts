import type { D1Database } from '@cloudflare/workers-types'
import { is } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { SQLiteRaw } from 'drizzle-orm/sqlite-core/query-builders/raw'

import type { Database, Write } from '../../src/ports/database.ts'

/** The system database of a worker, from its D1 binding; migrations are applied by `wrangler d1 migrations apply`. */
export function openD1(binding: D1Database): Database {
  const database = drizzle(binding)
  const batch = database.batch.bind(database)
  return Object.assign(database, {
    batch: ((items) => {
      for (const item of items) prepareRaw(binding, item)
      return batch(items)
    }) satisfies Database['batch'],
  })
}

// Drizzle 0.45 prepares what its builders build, but forgets raw SQL with parameters, and its batch then fails.
function prepareRaw(binding: D1Database, item: Write): void {
  if (is(item, SQLiteRaw)) Reflect.set(item, 'stmt', binding.prepare(item.getQuery().sql))
}
