import { eq, sql } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import { unlessFull } from '../../../../db/row-limit.ts'
import { dashboardGroups } from '../../../../db/tables/dashboards.ts'
import { guardCircle } from '../../../ports/database.ts'
import type { Database, IdExpression, Write } from '../../../ports/database.ts'
import type { Values } from '../parameters.ts'

export type GroupRow = Omit<typeof dashboardGroups.$inferSelect, 'defaultParams'> & {
  readonly defaultParams: Values
}
export type GroupChange = Pick<GroupRow, 'name' | 'parentId' | 'position' | 'defaultParams' | 'updatedAt'>

/** The id of the group with this name and parent, within a commit. */
export function groupNamed({ name, parentId }: Pick<GroupRow, 'name' | 'parentId'>): IdExpression {
  return sql`(select id from dashboard_groups where name = ${name} collate nocase and parent_id is ${parentId})`
}

/** Adds a group. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertGroup(database: Database, row: Omit<GroupRow, 'id'>, max: number): Write {
  const createdAt = unlessFull(row.createdAt, { rows: sql`select 1 from dashboard_groups`, max })
  return database.insert(dashboardGroups).values({ ...row, createdAt })
}

/** Changes a group. The batch fails, as `writeGroup` recognises, for a group that has another version, or that would be below
 * itself. */
export function updateGroup(
  database: Database,
  { id, version }: Pick<GroupRow, 'id' | 'version'>,
  change: GroupChange,
): Write[] {
  const next = sql`case when ${dashboardGroups.version} = cast(${version} as integer) then ${version + 1} end`
  return [
    database
      .update(dashboardGroups)
      .set({ ...change, version: next })
      .where(eq(dashboardGroups.id, id)),
    guardCircle(database, 'dashboard_groups', id),
  ]
}

/** Deletes groups. Fails for the foreign key while something else is in one of them. */
export function deleteGroups(database: Database, ids: readonly number[]): Write {
  return database.run(sql`delete from dashboard_groups where id in ${elementsOf(ids)}`)
}
