import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { elementsOf } from '../../../db/lists.ts'
import { isWithin } from '../../../db/paths.ts'
import type { Database } from '../../ports/database.ts'

/** Things that widgets show or use: by their ids, by their name, or all objects at and below a path of the tree. */
export type Shown =
  | { readonly kind: 'dataQuery' | 'forecast'; readonly ids: readonly number[] }
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'object'; readonly path: string }

export type Use = { readonly dashboardId: number; readonly widgetId: string }

/** The first widgets that show something, by dashboard, and their number up to the limit. */
export function listUses(database: Database, shown: Shown, limit: number): Promise<readonly Use[]> {
  return database.all<Use>(sql`
    select distinct r.dashboard_id as "dashboardId", r.widget_id as "widgetId" from dashboard_references r
    where ${isShown(shown)} order by r.dashboard_id, r.widget_id limit ${limit}`)
}

export async function hasDashboard(database: Database, id: number): Promise<boolean> {
  const rows = await database.all(sql`select 1 from dashboards where id = ${id}`)
  return rows.length > 0
}

function isShown(shown: Shown): SQL {
  if (shown.kind === 'file') return sql`r.kind = 'file' and r.target_id = 0 and r.target_name = ${shown.name}`
  if (shown.kind === 'object')
    return sql`r.kind = 'object' and r.target_id in (
      select id from objects where ${isWithin('path', shown.path)})`
  return sql`r.kind = ${shown.kind} and r.target_id in ${elementsOf(shown.ids)}`
}
