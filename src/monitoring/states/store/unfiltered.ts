import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Database, Write } from '../../../ports/database.ts'

/** Queues an object, or all objects at or below a path, for the filters. */
export function markUnfiltered(database: Database, object: number | { readonly path: string }): Write {
  const isIt =
    typeof object === 'number'
      ? sql`o.id = ${object}`
      : sql`o.path >= ${object.path} and o.path < ${`${object.path}~`}`
  return note(database, sql`select o.id, 1, 0 from objects o where ${isIt} and ${HAS_FILTERS}`)
}

/** Queues a service level object, by id or path, whose filter must search everything again, or was removed. */
export function markFilter(database: Database, object: number | { readonly path: string }): Write {
  const isIt = typeof object === 'number' ? sql`o.id = ${object}` : sql`o.path = ${object.path}`
  return note(database, sql`select o.id, 1, 1 from objects o where ${isIt}`)
}

/** Queues the consequences of deleting an object and all objects below it: matches that were excluded because of it,
 * and filters that have room again. */
export function markFreed(
  database: Database,
  object: { readonly path: string; readonly parentId: number },
): Write {
  const { path, parentId } = object
  return note(
    database,
    sql`select o.id, 1, 0 from objects o where o.id = ${parentId} and ${HAS_FILTERS}
      union all
      select distinct l.parent_id, 1, 1 from objects o join links l on l.child_id = o.id join slos slo on slo.id = l.parent_id
      where o.path >= ${path} and o.path < ${`${path}~`} and slo.is_full`,
  )
}

// Installations without filters skip the work.
const HAS_FILTERS = sql.raw('exists (select 1 from slos where children_filter is not null)')

function note(database: Database, select: SQL): Write {
  return database.run(sql`
    insert into unfiltered (object_id, mark, is_whole) select * from (${select}) where true
    on conflict (object_id) do update set mark = mark + 1, is_whole = max(is_whole, excluded.is_whole)`)
}

export type Unfiltered = {
  readonly id: number
  readonly type: string
  readonly path: string
  readonly mark: number
  /** 1 if its own filter must search everything. */
  readonly isWhole: number
}

/** Objects that the filters have not checked yet. */
export async function readUnfiltered(database: Database, limit: number): Promise<readonly Unfiltered[]> {
  return database.all<Unfiltered>(sql`
    select o.id as id, o.type as type, o.path as path, u.mark as mark, u.is_whole as "isWhole"
    from unfiltered u cross join objects o on o.id = u.object_id order by o.id limit ${limit}`)
}

/** Removes objects from the queue, unless they changed again in the meantime. */
export function forgetUnfiltered(database: Database, seen: readonly Unfiltered[]): Write {
  const marks = JSON.stringify(seen.map(({ id, mark }) => ({ id, mark })))
  return database.run(sql`
    delete from unfiltered where exists (
      select 1 from json_each(${marks})
      where value ->> 'id' = unfiltered.object_id and value ->> 'mark' = unfiltered.mark)`)
}
