import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import { idsOfPath } from '../../../../db/paths.ts'
import type { Database } from '../../../ports/database.ts'

export type ObjectName = { readonly path: readonly string[]; readonly externalId?: string }

/** The names of objects from below the root down, with their property `externalId`. */
export async function readObjectNames(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ObjectName>> {
  const rows = await database.all<{ id: number; path: string; externalId: string | null }>(sql`
    select o.id, (select json_group_array(name) from (
        select a.name from ${idsOfPath('o.path')} above
        join objects a on a.id = above.value where a.parent_id is not null order by above.key)) as "path",
      (select value from properties p where p.object_id = o.id and p.key = 'externalId') as "externalId"
    from objects o where o.id in ${elementsOf(ids)}`)
  return new Map(
    rows.map(({ id, path, externalId }) => [
      id,
      { path: JSON.parse(path) as string[], ...(externalId !== null && { externalId }) },
    ]),
  )
}

/** The ids of the objects with these names, in the order of the names; several where names are not unique. */
export async function findByPaths(
  database: Database,
  paths: readonly (readonly string[])[],
): Promise<readonly (readonly number[])[]> {
  const rows = await database.all<{ place: number; id: number }>(sql`
    with recursive wanted (place, path) as (select key, value from ${eachOf(paths)}),
    step (place, depth, id) as (
      select place, 0, (select id from objects where parent_id is null) from wanted
      union all
      select s.place, s.depth + 1, o.id from step s join wanted w on w.place = s.place
      join objects o on o.parent_id = s.id
        and o.name = json_extract(w.path, '$[' || s.depth || ']') collate nocase)
    select s.place as "place", s.id as "id" from step s join wanted w on w.place = s.place
    where s.depth = json_array_length(w.path) and s.depth > 0`)
  return paths.map((_, index) => rows.flatMap(({ place, id }) => (Number(place) === index ? [id] : [])))
}

/** The ids of the objects with each value of the property `externalId`. */
export async function findByExternalIds(
  database: Database,
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await database.all<{ id: number; value: string }>(sql`
    select object_id as "id", value from properties
    where key = 'externalId' and value in ${elementsOf(values)}`)
  return new Map(
    [...Map.groupBy(rows, ({ value }) => value)].map(([value, of]) => [value, of.map(({ id }) => id)]),
  )
}

type Named = { readonly id: number; readonly name: string }

const TABLES = {
  dataQuery: sql`data_queries`,
  script: sql`scripts`,
  dataSource: sql`data_sources`,
  forecast: sql`forecasts`,
}

/** The names of data queries, scripts, data sources and forecasts by their ids. */
export function readNames(
  database: Database,
  kind: keyof typeof TABLES,
  ids: readonly number[],
): Promise<Named[]> {
  const table = TABLES[kind]
  return database.all(sql`
    select id, name from ${table} where id in ${elementsOf(ids)} order by id`)
}

/** The data queries, scripts, data sources and forecasts with these names, in any letter case. */
export function findNames(
  database: Database,
  kind: keyof typeof TABLES,
  names: readonly string[],
): Promise<Named[]> {
  const table = TABLES[kind]
  return database.all(sql`
    select id, name from ${table} where name collate nocase in ${elementsOf(names)}`)
}

type QueryRow = {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly dataSource: string
  readonly text: string
  readonly parameters: string
  readonly isAccessible: number
}

/** The published versions of data queries with the names of their data sources, by name. */
export function readQueryTexts(database: Database, ids: readonly number[]): Promise<QueryRow[]> {
  return database.all(sql`
    select q.id as "id", q.name as "name", q.description as "description", s.name as "dataSource",
      coalesce(v.text, q.text) as "text", coalesce(v.parameters, q.parameters) as "parameters",
      q.is_accessible as "isAccessible"
    from data_queries q join data_sources s on s.id = q.data_source_id
    left join data_query_versions v on v.query_id = q.id and v.number = q.published
    where q.id in ${elementsOf(ids)} order by q.name collate nocase`)
}
