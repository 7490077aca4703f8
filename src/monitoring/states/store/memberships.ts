import { sql } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import { isWithin } from '../../../../db/paths.ts'
import { staleMemberships } from '../../../../db/tables/work-queues.ts'
import { done, enqueue } from '../../../../db/work-queue.ts'
import type { QueueItem } from '../../../../db/work-queue.ts'
import type { Database, Write } from '../../../ports/database.ts'

/** Enqueues objects, or all objects at or below a path, for the filters. */
export function enqueueMemberships(
  database: Database,
  at: number | readonly number[] | { readonly path: string },
): Write {
  const isIt =
    typeof at === 'object' && 'path' in at
      ? isWithin('o.path', at.path)
      : sql`o.id in ${elementsOf([at].flat())}`
  return database.run(
    enqueue(staleMemberships, sql`select o.id, 0 from objects o where ${isIt} and ${HAS_FILTERS}`),
  )
}

/** Enqueues a service level object, by id or path, whose filter must search everything again, or was removed. */
export function enqueueFilter(database: Database, object: number | { readonly path: string }): Write {
  const isIt = typeof object === 'number' ? sql`o.id = ${object}` : sql`o.path = ${object.path}`
  return database.run(enqueue(staleMemberships, sql`select o.id, 1 from objects o where ${isIt}`))
}

/** Enqueues the consequences of deleting an object and all objects below it: matches that were excluded because of it,
 * and filters that have room again. */
export function enqueueFreed(
  database: Database,
  object: { readonly path: string; readonly parentId: number },
): Write {
  const { path, parentId } = object
  const freed = sql`
    select o.id, 0 from objects o where o.id = ${parentId} and ${HAS_FILTERS}
    union all
    select distinct l.parent_id, 1 from objects o join links l on l.child_id = o.id join slos slo on slo.id = l.parent_id
    where ${isWithin('o.path', path)} and slo.is_full`
  return database.run(enqueue(staleMemberships, freed))
}

// Installations without filters skip the work.
const HAS_FILTERS = sql.raw('exists (select 1 from slos where children_filter is not null)')

export type StaleMembership = QueueItem & {
  readonly type: string
  readonly path: string
  /** 1 if its own filter must search everything. */
  readonly isWhole: number
}

/** Objects that the filters have not examined yet. */
export async function readStaleMemberships(
  database: Database,
  limit: number,
): Promise<readonly StaleMembership[]> {
  return database.all<StaleMembership>(sql`
    select o.id as "objectId", o.type as type, o.path as path, q.mark as mark, q.is_whole as "isWhole"
    from stale_memberships q cross join objects o on o.id = q.object_id order by o.id limit ${limit}`)
}

export function finishMemberships(database: Database, items: readonly QueueItem[]): Write {
  return database.run(done(staleMemberships, items))
}
