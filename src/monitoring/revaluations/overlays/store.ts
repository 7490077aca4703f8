import { sql } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import { isWithin } from '../../../../db/paths.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'

/** Overlays in a range that affect objects: on them or above them, and on their children at any depth, in the tree and
 * by links. `seed` is the object at which an overlay takes effect: one of these objects, or one below them. */
export async function findOverlays(
  database: Database,
  ids: readonly number[],
  { beginAt, endAt, limit }: Range & { readonly limit: number },
): Promise<readonly { readonly id: number; readonly seed: number }[]> {
  return database.all<{ id: number; seed: number }>(sql`
    with recursive roots (id, path) as (
      select id, path from objects where id in ${elementsOf(ids)}
      union
      select c.id, c.path from roots
        join objects s on ${isWithin('s.path', sql`roots.path`)} and s.type in ('slo', 'slc')
        join links l on l.parent_id = s.id and not l.is_left_out join objects c on c.id = l.child_id)
    select distinct r.id as id, case when o.path >= roots.path then o.id else roots.id end as seed
    from revaluations r join objects o on o.id = r.object_id
      join roots on (${isWithin('o.path', sql`roots.path`)})
        or (${isWithin('roots.path', sql`o.path`)})
    where r.in_past = 1 and r.type <> 'comment' and r.end_at > ${beginAt} and r.begin_at < ${endAt}
    limit ${limit}`)
}

/** The path of an object; null if it does not exist. */
export async function findPath(database: Database, id: number): Promise<string | null> {
  const [row] = await database.all<{ path: string }>(sql`select path from objects where id = ${id}`)
  return row?.path ?? null
}
