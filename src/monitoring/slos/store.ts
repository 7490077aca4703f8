import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { idOfPath } from '../../../db/paths.ts'
import { links, slos } from '../../../db/tables/slos.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Push } from '../states/propagation.ts'
import type { SloRules } from '../states/slo-state.ts'
import type { ChildBody, ChildrenFilter, SORT_MODES } from './schema.ts'

export type SloRow = {
  readonly deviceId: number
  readonly pushState: Push
  readonly sortMode: (typeof SORT_MODES)[number]
  readonly rules: SloRules
  readonly isReason: boolean
  readonly costsPerMin: number
  readonly currency: string
  readonly riskFactor: number
  readonly childrenFilter: ChildrenFilter | null
}

export type SloDetails = SloRow & {
  readonly isFull: boolean
}

/** The own fields of a service level object. */
export async function findSlo(database: Database, id: number): Promise<SloDetails | null> {
  const [row] = await database
    .select({
      deviceId: slos.deviceId,
      pushState: slos.pushState,
      sortMode: slos.sortMode,
      rules: slos.rules,
      isReason: slos.isReason,
      costsPerMin: slos.costsPerMin,
      currency: slos.currency,
      riskFactor: slos.riskFactor,
      childrenFilter: slos.childrenFilter,
      isFull: slos.isFull,
    })
    .from(slos)
    .where(eq(slos.id, id))
  return row
    ? {
        ...row,
        pushState: row.pushState as Push,
        sortMode: row.sortMode as SloRow['sortMode'],
        rules: row.rules as SloRules,
        childrenFilter: row.childrenFilter as ChildrenFilter | null,
      }
    : null
}

/** The number of children that a service level object counts. @param readable a condition on the child, `o` */
export async function countChildren(database: Database, id: number, readable: SQL): Promise<number> {
  const [row] = await database.all<{ total: number }>(sql`
    select count(*) as total from links l join objects o on o.id = l.child_id
    where l.parent_id = ${id} and not l.is_left_out and ${readable}`)
  return row?.total ?? 0
}

/** The name of the device of a service level object; empty if it has none.
 * @param readable a condition on the device, `o` */
export async function findDeviceName(database: Database, id: number, readable: SQL): Promise<string> {
  const [device] = await database.all<{ name: string }>(sql`
    select o.name as name from slos join objects o on o.id = slos.device_id where slos.id = ${id} and ${readable}`)
  return device?.name ?? ''
}

/** @param path the temporary path of the new object */
export function insertSlo(database: Database, path: string, row: SloRow): Write {
  return database.insert(slos).values({ ...columnsOf(row), id: idOfPath(path) })
}

export function updateSlo(database: Database, id: number, row: SloRow): Write {
  return database.update(slos).set(columnsOf(row)).where(eq(slos.id, id))
}

function columnsOf(row: SloRow) {
  return { ...row, stateOperation: row.rules.operation }
}

/** The number of other service level objects with a filter. */
export async function countFilters(database: Database, butId: number): Promise<number> {
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from slos where children_filter is not null and id <> ${butId}`,
  )
  return row?.total ?? 0
}

/** The number of explicit links of an object without these. */
export async function countLinks(
  database: Database,
  parentId: number,
  but: readonly number[],
): Promise<number> {
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from links where parent_id = ${parentId} and not by_filter
      and child_id not in ${elementsOf(but)}`,
  )
  return row?.total ?? 0
}

/** Deletes removed links before the others are written. Matches of the filter stay. */
export function deleteLinks(database: Database, parentId: number, only?: readonly number[]): Write {
  if (!only) return database.delete(links).where(and(eq(links.parentId, parentId), eq(links.byFilter, false)))
  return database.run(sql`
    delete from links where parent_id = ${parentId} and not by_filter
      and child_id in ${elementsOf(only)}`)
}

/** Those of the children that are linked. */
export async function listLinked(
  database: Database,
  parentId: number,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    select child_id as id from links where parent_id = ${parentId} and not by_filter
      and child_id in ${elementsOf(ids)}`)
  return rows.map(({ id }) => id)
}

/** Gives links the first places, in this order. Other links keep their order after them. */
export function orderLinks(database: Database, parentId: number, ids: readonly number[]): Write {
  return database.run(sql`
    update links set position = coalesce(
      (select key from ${eachOf(ids)} where value = links.child_id), position + ${ids.length})
    where parent_id = ${parentId} and not by_filter`)
}

/** Adds new links after the existing ones, which keep their place. A match of the filter becomes a link. */
export function saveLinks(database: Database, parentId: number, children: readonly ChildBody[]): Write {
  return database.run(sql`
    insert into links (parent_id, child_id, position, weight, overrides)
    select ${parentId}, value ->> 'id',
           key + coalesce((select max(position) + 1 from links where parent_id = ${parentId} and not by_filter), 0),
           value ->> 'weight', value -> 'stateOverrides'
    from ${eachOf(children)} where true
    on conflict (parent_id, child_id) do update set weight = excluded.weight, overrides = excluded.overrides,
      position = case when by_filter then excluded.position else position end, by_filter = 0, is_left_out = 0`)
}
