import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/** The id of the object with this path; of an object that the same commit creates with its temporary path. */
export function idOfPath(path: string): SQL<number> {
  return sql<number>`(select id from objects where path = ${path})`
}

/** The ids in a path as a table, from the root down: `key` is the place from 0, `value` the id.
 * @param column the name of the column of the path, such as `o.path` */
export function idsOfPath(column: string): SQL {
  return sql`json_each('[' || replace(trim(${sql.raw(column)}, '/'), '/', ',') || ']')`
}

/** Whether the path in a column is `top` or below it, as a range of an index.
 * @param top a path, or the column of one */
export function isWithin(column: string, top: string | SQL): SQL {
  const path = sql.raw(column)
  return sql`${path} >= ${top} and ${path} < ${top} || '~'`
}

/** Whether the path in a column is below `top`, as a range of an index.
 * @param top a path, or the column of one */
export function isBelow(column: string, top: string | SQL): SQL {
  const path = sql.raw(column)
  return sql`${path} > ${top} and ${path} < ${top} || '~'`
}
