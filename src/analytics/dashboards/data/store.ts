import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { ObjectType } from '../../../monitoring/tree/schema.ts'
import type { Database } from '../../../ports/database.ts'

type Below = {
  readonly groupId: number
  readonly type: ObjectType | null
  readonly depth: number
  readonly limit: number
  /** The condition that the caller may read the object `o`. */
  readonly readable: SQL
}

/** The ids of the readable objects up to some levels below an object, by level and name. */
export async function listBelow(
  database: Database,
  { groupId, type, depth, limit, readable }: Below,
): Promise<number[]> {
  const levels = sql`(length(o.path) - length(replace(o.path, '/', '')))
    - (length(g.path) - length(replace(g.path, '/', '')))`
  const rows = await database.all<{ id: number }>(sql`
    select o.id from objects g join objects o on o.path > g.path and o.path < g.path || '~'
    where g.id = ${groupId} and ${levels} <= cast(${depth} as integer)
      and ${type === null ? sql`1` : sql`o.type = ${type}`} and ${readable}
    order by ${levels}, o.name collate nocase, o.id limit ${limit}`)
  return rows.map(({ id }) => id)
}
