import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import { idsOfPath } from '../../../../db/paths.ts'
import { staleMaintenance } from '../../../../db/tables/work-queues.ts'
import { done, enqueue } from '../../../../db/work-queue.ts'
import type { QueueItem } from '../../../../db/work-queue.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { SlaReview } from '../sla-view.ts'

/** Enqueues a review of an object, by id or path, that may have entered or left maintenance by its new place. */
export function enqueueArrival(
  database: Database,
  object: number | { readonly path: string },
  at: number,
): Write {
  const isIt = typeof object === 'number' ? sql`o.id = ${object}` : sql`o.path = ${object.path}`
  const arrived = sql`select o.id, cast(${at} as integer) from objects o
    where ${isIt} and exists (select 1 from states where object_id in (o.id, o.parent_id) and maintained = 1)`
  return database.run(enqueue(staleMaintenance, arrived))
}

/** Enqueues reviews of objects that may enter or leave maintenance. */
export function enqueueMaintenance(database: Database, objects: readonly MaintenanceMoment[]): Write {
  const known = sql`select value ->> 'objectId', value ->> 'at' from ${eachOf(objects)}
    where exists (select 1 from objects where id = value ->> 'objectId')`
  return database.run(enqueue(staleMaintenance, known))
}

/** Enqueues reviews of the direct children of these objects. */
export function enqueueChildren(database: Database, parents: readonly MaintenanceMoment[]): Write {
  const children = sql`select o.id, value ->> 'at' from ${eachOf(parents)}
      join objects o on o.parent_id = value ->> 'objectId'`
  return database.run(enqueue(staleMaintenance, children))
}

export type MaintenanceMoment = { readonly objectId: number; readonly at: number }

/** A queued review, and the group of the container that it is about, because no link leads to a container. */
export type NotedReview = SlaReview & { readonly mark: number; readonly groupId: number | null }

/** Objects that must be reviewed first, because others depend on them: see `readStaleMaintenance`. */
export type Urgent = { readonly ids: readonly number[] }

/** Some queued reviews; with `urgent`, only the reviews of these objects, of objects on the way to them, of linked objects,
 * and of containers. */
export async function readStaleMaintenance(
  database: Database,
  limit: number,
  urgent?: Urgent,
): Promise<readonly NotedReview[]> {
  const running = sql`exists (select 1 from revaluations r where r.object_id = m.object_id and r.running = 1`
  const rows = await database.all<MutableReview>(sql`
    select m.object_id as "objectId", m.at as at, m.mark as mark,
           case when o.type = 'slc' then o.parent_id end as "groupId", ${running}) as own,
           ${running} and not r.sla_relevant) as "ownSla"
    from stale_maintenance m join objects o on o.id = m.object_id
    where ${urgent ? isUrgent(urgent) : sql`true`} order by m.object_id limit ${limit}`)
  return rows.map((row) => ({ ...row, own: row.own === 1, ownSla: row.ownSla === 1 }))
}

function isUrgent({ ids }: Urgent): SQL {
  return sql`m.object_id in (
    select place.value from (
      select path from objects where id in ${elementsOf(ids)}
      union select c.path from links l cross join objects c on c.id = l.child_id
      union select c.path from slcs cross join objects c on c.id = slcs.id) one,
      ${idsOfPath('one.path')} place)`
}

/** Whether any review is queued. */
export async function hasStaleMaintenance(database: Database): Promise<boolean> {
  return (await database.all(sql`select 1 from stale_maintenance limit 1`)).length > 0
}

type MutableReview = Omit<NotedReview, 'own' | 'ownSla'> & { own: number; ownSla: number }

/** A container enters or leaves maintenance, with the maintenance that excuses downtime. */
export type MaintenanceInterval = MaintenanceMoment & {
  readonly maintained: boolean
  readonly excused: boolean
}

/** Adds maintenance changes of containers after the known ones. */
export function insertMaintenanceIntervals(
  database: Database,
  intervals: readonly MaintenanceInterval[],
): Write {
  return database.run(sql`
    insert into slc_maintenance (slc_id, seq, at, maintained, excused)
    select c.id, coalesce(max(s.seq), 0) + 1, max(value ->> 'at', coalesce(max(s.at), 0)), value ->> 'maintained', value ->> 'excused'
    from ${eachOf(intervals)} join slcs c on c.id = value ->> 'objectId'
      left join slc_maintenance s on s.slc_id = c.id
    group by c.id`)
}

export function finishMaintenance(database: Database, items: readonly QueueItem[]): Write {
  return database.run(done(staleMaintenance, items))
}
