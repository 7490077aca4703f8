import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { ChildrenFilter } from '../schema.ts'

export type FilterRow = {
  readonly sloId: number
  readonly filter: ChildrenFilter
  /** The path of the group that the filter searches; null if the group was deleted. */
  readonly path: string | null
  readonly isFull: boolean
}

/** The filters of all service level objects. */
export async function readFilters(database: Database): Promise<readonly FilterRow[]> {
  const rows = await database.all<{ sloId: number; filter: string; path: string | null; isFull: number }>(sql`
    select slo.id as "sloId", slo.children_filter as filter, g.path as path, slo.is_full as "isFull"
    from slos slo left join objects g on g.id = slo.children_filter ->> 'groupId'
    where slo.children_filter is not null order by slo.id`)
  return rows.map(({ filter, isFull, ...row }) => ({
    ...row,
    filter: JSON.parse(filter) as ChildrenFilter,
    isFull: isFull === 1,
  }))
}

export type MemberRow = { readonly parentId: number; readonly childId: number; readonly byFilter: number }

/** The links of these objects to service level objects that have a filter: found by it, or explicit. */
export async function readMembers(
  database: Database,
  children: readonly number[],
): Promise<readonly MemberRow[]> {
  return database.all<MemberRow>(sql`
    select l.parent_id as "parentId", l.child_id as "childId", l.by_filter as "byFilter"
    from ${eachOf(children)} child join links l on l.child_id = child.value
      join slos slo on slo.id = l.parent_id
    where slo.children_filter is not null`)
}

/** The number of objects that these filters have found. */
export async function countMembers(
  database: Database,
  parents: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await database.all<{ id: number; total: number }>(sql`
    select parent.value as id, count(*) as total
    from ${eachOf(parents)} parent join links l on l.parent_id = parent.value
    where l.by_filter group by 1`)
  return new Map(rows.map(({ id, total }) => [id, total]))
}

export type Member = { readonly parentId: number; readonly childId: number }

/** Adds the matches of filters; explicit links stay as they are. A group or service level object counts only once it is
 * known to close no cycle. */
export function addMembers(database: Database, members: readonly Member[]): Write {
  return database.run(sql`
    insert into links (parent_id, child_id, position, weight, overrides, by_filter, is_left_out)
    select slo.id, o.id, 0, 1, '{}', 1, o.type in ('group', 'slo')
    from ${eachOf(members)} member join objects o on o.id = member.value ->> 'childId'
      join slos slo on slo.id = member.value ->> 'parentId' and slo.children_filter is not null
    where true on conflict (parent_id, child_id) do nothing`)
}

export function removeMembers(database: Database, members: readonly Member[]): Write {
  return database.run(sql`
    delete from links where by_filter and exists (
      select 1 from ${eachOf(members)}
      where value ->> 'parentId' = links.parent_id and value ->> 'childId' = links.child_id)`)
}

/** Replaces all matches of a service level object's filter. */
export function replaceMembers(
  database: Database,
  parentId: number,
  found: { readonly children: readonly number[]; readonly isFull: boolean },
): Write[] {
  const { children, isFull } = found
  return [
    database.run(sql`
      delete from links where parent_id = ${parentId} and by_filter
        and child_id not in ${elementsOf(children)}`),
    addMembers(
      database,
      children.map((childId) => ({ parentId, childId })),
    ),
    database.run(sql`update slos set is_full = ${isFull ? 1 : 0} where id = ${parentId}`),
  ]
}

/** Matches whose exclusion no longer agrees with the objects above the filter's object. */
export async function readMisjudged(database: Database, limit: number): Promise<readonly Member[]> {
  return database.all<Member>(sql`
    with recursive above (slo_id, id) as (
      select id, id from slos where children_filter is not null
      union
      select a.slo_id, o.parent_id from above a join objects o on o.id = a.id where o.parent_id is not null
      union
      select a.slo_id, l.parent_id from above a join links l on l.child_id = a.id)
    select l.parent_id as "parentId", l.child_id as "childId"
    from slos slo join links l on l.parent_id = slo.id
      left join above a on a.slo_id = l.parent_id and a.id = l.child_id
    where slo.children_filter is not null and l.by_filter and l.is_left_out <> (a.id is not null)
    limit ${limit}`)
}

/** Toggles whether matches are excluded. */
export function enqueueAssessment(database: Database, members: readonly Member[]): Write {
  return database.run(sql`
    update links set is_left_out = 1 - is_left_out where by_filter and exists (
      select 1 from ${eachOf(members)}
      where value ->> 'parentId' = links.parent_id and value ->> 'childId' = links.child_id)`)
}
