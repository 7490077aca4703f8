import { sql } from 'drizzle-orm'
import { idOfPath } from '../../../../db/paths.ts'
import type { Database, Write } from '../../../ports/database.ts'

/** The children that an object is linked to explicitly. */
export async function readLinkedIds(database: Database, id: number): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(
    sql`select child_id as id from links where parent_id = ${id} and not by_filter`,
  )
  return rows.map((row) => row.id)
}

/** Whether a service level object has a children filter. */
export async function hasFilter(database: Database, id: number): Promise<boolean> {
  const found = await database.all(sql`select 1 from slos where id = ${id} and children_filter is not null`)
  return found.length > 0
}

/** The rows of a copied service level object except the one in `objects`. Its filter searches anew. A deleted original
 * leaves `device_id` empty, which fails the batch.
 * @param key the temporary path of the copy */
export function copyRows(database: Database, key: string, originalId: number): Write[] {
  const copy = idOfPath(key)
  return [
    database.run(sql`insert into slos (id, device_id, state_operation, push_state, sort_mode, rules, is_reason,
        costs_per_min, currency, risk_factor, children_filter)
      select ${copy}, slo.device_id, slo.state_operation, slo.push_state, slo.sort_mode, slo.rules, slo.is_reason,
        slo.costs_per_min, slo.currency, slo.risk_factor, slo.children_filter
      from (select 1) left join slos slo on slo.id = ${originalId}`),
    ...copyMaterial(database, key, originalId),
  ]
}

/** The properties and explicit links of a copied service level object or container. */
export function copyMaterial(database: Database, key: string, originalId: number): Write[] {
  const copy = idOfPath(key)
  return [
    database.run(sql`insert into properties (object_id, key, value, number)
      select ${copy}, key, value, number from properties where object_id = ${originalId}`),
    database.run(sql`insert into links (parent_id, child_id, position, weight, overrides)
      select ${copy}, child_id, position, weight, overrides
      from links where parent_id = ${originalId} and not by_filter`),
  ]
}

/** Adds the copy as the last child of a service level object. */
export function linkLast(database: Database, key: string, parentId: number): Write {
  return database.run(sql`insert into links (parent_id, child_id, position, weight, overrides)
    select ${parentId}, id,
      coalesce((select max(position) + 1 from links where parent_id = ${parentId} and not by_filter), 0), 1, '{}'
    from objects where path = ${key}`)
}
