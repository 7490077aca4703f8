/**
 * A work queue is a table with a row for each object that waits for one kind of work: `object_id`, `mark`, and columns of
 * its own. A commit that makes the work necessary enqueues the object; the commit that does the work removes the row.
 *
 * **Invariant**: an object that is enqueued while a worker has its row stays in the queue. For that each enqueueing gives
 * the row a new random mark, and `done` removes only the rows with the marks that were read. A counter in the row would
 * not do: it begins anew after another worker has removed the row, and the first worker would remove the second row.
 */

import { getTableColumns, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { eachOf } from './lists.ts'

/** A row of a work queue, as the worker has read it. */
export type QueueItem = { readonly objectId: number; readonly mark: number }

/**
 * The statement that enqueues the selected objects.
 * @param rows selects `object_id` and the queue's own columns, in the order of the table. Where an object is in the queue
 * already, each of its own columns keeps the greater value.
 */
export function enqueue(queue: SQLiteTable, rows: SQL): SQL {
  const columns = Object.values(getTableColumns(queue)).map(({ name }) => name)
  const own = columns.filter((name) => name !== 'object_id' && name !== 'mark')
  const names = ['object_id', ...own, 'mark'].map((name) => sql.identifier(name))
  const greater = own.map((name) => sql.raw(`, ${name} = max(${name}, excluded.${name})`))
  return sql`
    insert into ${queue} (${sql.join(names, sql`, `)})
    select *, random() & ${sql.raw(String(Number.MAX_SAFE_INTEGER))} from (${rows}) where true
    on conflict (object_id) do update set mark = excluded.mark${sql.join(greater)}`
}

/** The statement that removes rows whose work is done, except those that were enqueued again meanwhile. */
export function done(queue: SQLiteTable, items: readonly QueueItem[]): SQL {
  const read = items.map(({ objectId, mark }) => ({ objectId, mark }))
  return sql`
    delete from ${queue} where (object_id, mark) in (
      select value ->> 'objectId', value ->> 'mark' from ${eachOf(read)})`
}
