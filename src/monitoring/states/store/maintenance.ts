import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Database, Write } from '../../../ports/database.ts'
import type { ChargingReview } from '../sla-view.ts'

/** Queues a review of an object, by id or path, that may have entered or left maintenance by its new place. */
export function noteArrival(
  database: Database,
  object: number | { readonly path: string },
  at: number,
): Write {
  const isIt = typeof object === 'number' ? sql`o.id = ${object}` : sql`o.path = ${object.path}`
  return database.run(sql`
    insert into maintenance_changes (object_id, at, mark) select o.id, ${at}, 1 from objects o
    where ${isIt} and exists (select 1 from states where object_id in (o.id, o.parent_id) and maintained = 1)
    ${AGAIN}`)
}

/** Queues reviews of objects that may enter or leave maintenance. */
export function noteMaintenance(database: Database, objects: readonly MaintenanceMoment[]): Write {
  return database.run(sql`
    insert into maintenance_changes (object_id, at, mark)
    select value ->> 'objectId', max(value ->> 'at'), 1 from json_each(${JSON.stringify(objects)})
    where exists (select 1 from objects where id = value ->> 'objectId') group by 1 ${AGAIN}`)
}

/** Queues reviews of the direct children of these objects. */
export function noteChildren(database: Database, parents: readonly MaintenanceMoment[]): Write {
  return database.run(sql`
    insert into maintenance_changes (object_id, at, mark)
    select o.id, value ->> 'at', 1 from json_each(${JSON.stringify(parents)})
      join objects o on o.parent_id = value ->> 'objectId'
    where true ${AGAIN}`)
}

export type MaintenanceMoment = { readonly objectId: number; readonly at: number }

const AGAIN = sql.raw(`on conflict (object_id) do update set at = max(at, excluded.at), mark = mark + 1`)

/** A queued review, and the group of the container that it is about, because no link leads to a container. */
export type NotedReview = ChargingReview & { readonly mark: number; readonly groupId: number | null }

/** Objects that must be reviewed first, because others depend on them: see `readMaintenanceChanges`. */
export type Urgent = { readonly ids: readonly number[] }

/** Some queued reviews; with `urgent`, only those of these objects, of objects on the way to them, of linked objects,
 * and of containers. */
export async function readMaintenanceChanges(
  database: Database,
  limit: number,
  urgent?: Urgent,
): Promise<readonly NotedReview[]> {
  const running = sql`exists (select 1 from revaluations r where r.object_id = m.object_id and r.running = 1`
  const rows = await database.all<MutableReview>(sql`
    select m.object_id as "objectId", m.at as at, m.mark as mark,
           case when o.type = 'slc' then o.parent_id end as "groupId", ${running}) as own,
           ${running} and not r.sla_relevant) as "ownCharged"
    from maintenance_changes m join objects o on o.id = m.object_id
    where ${urgent ? isUrgent(urgent) : sql`true`} order by m.object_id limit ${limit}`)
  return rows.map((row) => ({ ...row, own: row.own === 1, ownCharged: row.ownCharged === 1 }))
}

function isUrgent({ ids }: Urgent): SQL {
  return sql`m.object_id in (
    select place.value from (
      select path from objects where id in (select value from json_each(${JSON.stringify(ids)}))
      union select c.path from links l cross join objects c on c.id = l.child_id
      union select c.path from slcs cross join objects c on c.id = slcs.id) one,
      json_each('[' || replace(trim(one.path, '/'), '/', ',') || ']') place)`
}

/** Whether any review is queued. */
export async function hasMaintenanceChanges(database: Database): Promise<boolean> {
  return (await database.all(sql`select 1 from maintenance_changes limit 1`)).length > 0
}

type MutableReview = Omit<NotedReview, 'own' | 'ownCharged'> & { own: number; ownCharged: number }

/** A container enters or leaves maintenance, with the maintenance that excuses downtime. */
export type MaintenanceInterval = MaintenanceMoment & {
  readonly maintained: boolean
  readonly excused: boolean
}

/** Adds maintenance changes of containers after the known ones. */
export function insertMaintenanceIntervals(
  database: Database,
  spells: readonly MaintenanceInterval[],
): Write {
  return database.run(sql`
    insert into slc_spells (slc_id, seq, at, maintained, excused)
    select c.id, coalesce(max(s.seq), 0) + 1, max(value ->> 'at', coalesce(max(s.at), 0)), value ->> 'maintained', value ->> 'excused'
    from json_each(${JSON.stringify(spells)}) join slcs c on c.id = value ->> 'objectId'
      left join slc_spells s on s.slc_id = c.id
    group by c.id`)
}

/** Removes reviews from the queue, unless they were queued again in the meantime. */
export function forgetMaintenanceChanges(
  database: Database,
  seen: readonly { readonly objectId: number; readonly mark: number }[],
): Write {
  return database.run(sql`
    delete from maintenance_changes where (object_id, mark) in (
      select value ->> 'objectId', value ->> 'mark' from json_each(${JSON.stringify(seen)}))`)
}
