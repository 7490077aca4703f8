import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import { isBelow } from '../../../db/paths.ts'
import { statusPages } from '../../../db/tables/status-pages.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { State } from '../../domain/state.ts'
import type { ObjectType } from '../tree/schema.ts'

export type Addresses = {
  readonly pageHash: string
  readonly pageSealed: string
  readonly badgeHash: string
  readonly badgeSealed: string
}

export type StatusPageRow = Addresses & {
  readonly objectId: number
  readonly days: number
  readonly title: string | null
}

export type ChildRow = { readonly id: number; readonly type: ObjectType; readonly name: string }

export async function findStatusPage(database: Database, objectId: number): Promise<StatusPageRow | null> {
  const [row] = await database.all<StatusPageRow>(sql`
    select object_id as "objectId", page_hash as "pageHash", page_sealed as "pageSealed", badge_hash as "badgeHash",
           badge_sealed as "badgeSealed", days as days, title as title
    from status_pages where object_id = ${objectId}`)
  return row ?? null
}

/** Whether an object `o` is below an object `p` or linked to it. */
const IS_PART = sql`(${isBelow('o.path', sql`p.path`)}
  or exists (select 1 from links l where l.parent_id = p.id and l.child_id = o.id and not l.is_left_out))`

/** The components of a page, in order, without those that are no longer below the object. */
export function readChildren(database: Database, objectId: number): Promise<readonly ChildRow[]> {
  return database.all<ChildRow>(sql`
    select o.id as id, o.type as type, o.name as name
    from status_page_children c cross join objects p on p.id = c.object_id cross join objects o on o.id = c.child_id
    where c.object_id = ${objectId} and ${IS_PART} order by c.position`)
}

export type ListedRow = StatusPageRow &
  Pick<ShownRow, 'type' | 'name' | 'state'> & { readonly components: number }

/** The status pages of objects `p` that `writable` selects, by the ids of the objects. */
export function listPages(
  database: Database,
  { writable, afterId, limit }: { readonly writable: SQL; readonly afterId: number; readonly limit: number },
): Promise<readonly ListedRow[]> {
  return database.all<ListedRow>(sql`
    select g.object_id as "objectId", g.page_hash as "pageHash", g.page_sealed as "pageSealed",
           g.badge_hash as "badgeHash", g.badge_sealed as "badgeSealed", g.days as days, g.title as title,
           p.type as type, p.name as name, coalesce(s.state, 'undefined') as state,
           (select count(*) from status_page_children c cross join objects o on o.id = c.child_id
            where c.object_id = p.id and ${IS_PART}) as components
    from status_pages g cross join objects p on p.id = g.object_id left join states s on s.object_id = p.id
    where g.object_id > ${afterId} and ${writable} order by g.object_id limit ${limit}`)
}

export type Candidate = { readonly id: number; readonly path: string; readonly isBelow: boolean }

/** These objects, without deleted ones, and whether each is below an object or linked to it. */
export async function readCandidates(
  database: Database,
  parentId: number,
  ids: readonly number[],
): Promise<readonly Candidate[]> {
  const rows = await database.all<Omit<Candidate, 'isBelow'> & { isBelow: number }>(sql`
    select o.id as id, o.path as path, ${IS_PART} as "isBelow"
    from ${eachOf(ids)} w cross join objects p on p.id = ${parentId}
      cross join objects o on o.id = w.value`)
  return rows.map((row) => ({ ...row, isBelow: row.isBelow === 1 }))
}

/** Creates the page, or changes its contents and keeps its addresses. */
export function savePage(
  database: Database,
  row: StatusPageRow,
  children: readonly number[],
): readonly Write[] {
  return [
    database
      .insert(statusPages)
      .values(row)
      .onConflictDoUpdate({ target: statusPages.objectId, set: { days: row.days, title: row.title } }),
    database.run(sql`delete from status_page_children where object_id = ${row.objectId}`),
    database.run(sql`
      insert into status_page_children (object_id, child_id, position)
      select ${row.objectId}, value, key from ${eachOf(children)}`),
  ]
}

/** Replaces the addresses of a page; the old ones stop working. */
export function moveAddresses(database: Database, objectId: number, addresses: Addresses): Write {
  const { pageHash, pageSealed, badgeHash, badgeSealed } = addresses
  return database.run(sql`
    update status_pages set page_hash = ${pageHash}, page_sealed = ${pageSealed}, badge_hash = ${badgeHash},
      badge_sealed = ${badgeSealed} where object_id = ${objectId}`)
}

export function deletePage(database: Database, objectId: number): Write {
  return database.run(sql`delete from status_pages where object_id = ${objectId}`)
}

export type ShownRow = {
  readonly id: number
  readonly type: ObjectType
  readonly path: string
  readonly name: string
  readonly state: State
  readonly sinceAt: number
  readonly createdAt: number
  /** When the running maintenance is planned to end; null without a planned end. */
  readonly maintainedUntilAt: number | null
}

/** The page of a token: the object, its days of availability, and its title. */
export async function findShown(
  database: Database,
  kind: 'page' | 'badge',
  hash: string,
): Promise<Pick<StatusPageRow, 'objectId' | 'days' | 'title'> | null> {
  const column = kind === 'page' ? statusPages.pageHash : statusPages.badgeHash
  const [row] = await database
    .select({ objectId: statusPages.objectId, days: statusPages.days, title: statusPages.title })
    .from(statusPages)
    .where(sql`${column} = ${hash}`)
  return row ?? null
}

/** The object of a page, then the components that are still below it. */
export function readShown(database: Database, objectId: number): Promise<readonly ShownRow[]> {
  return database.all<ShownRow>(sql`
    with shown (id, position) as (
      select cast(${objectId} as integer), -1
      union all
      select child_id, position from status_page_children where object_id = ${objectId})
    select o.id as id, o.type as type, o.path as path, o.name as name, coalesce(s.state, 'undefined') as state,
           coalesce(s.since_at, o.created_at) as "sinceAt", o.created_at as "createdAt",
           (select max(r.next_at) from revaluations r
            where r.running = 1 and instr(o.path, '/' || r.object_id || '/') > 0) as "maintainedUntilAt"
    from shown cross join objects p on p.id = ${objectId} cross join objects o on o.id = shown.id
      left join states s on s.object_id = o.id
    where o.id = p.id or ${IS_PART}
    order by shown.position`)
}
