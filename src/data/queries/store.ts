import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { users } from '../../../db/tables/access.ts'
import { dataQueries, dataQueryReferences, dataQueryVersions } from '../../../db/tables/queries.ts'
import { foldCase } from '../../lib/text.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, IdExpression, Write } from '../../ports/database.ts'
import type { Definition, ListQuery, Parameter } from './schema.ts'

type Typed = Pick<Definition, 'materialization' | 'assertions'> & { readonly parameters: Parameter[] }
export type QueryRow = Omit<typeof dataQueries.$inferSelect, keyof Typed> & Typed
export type QueryChange = Pick<
  QueryRow,
  | 'name'
  | 'description'
  | 'groupId'
  | 'dataSourceId'
  | 'text'
  | 'isAccessible'
  | 'updatedAt'
  | 'escaping'
  | 'hasFaults'
  | keyof Typed
>
export type VersionRow = Omit<typeof dataQueryVersions.$inferSelect, keyof Typed> & Typed
export type SummaryRow = Omit<QueryRow, 'text' | 'escaping' | 'hasFaults' | keyof Typed>
export type ListedRow = SummaryRow & { readonly hasErrors: boolean }

const {
  text: _text,
  parameters: _parameters,
  materialization: _materialization,
  escaping: _escaping,
  assertions: _assertions,
  hasFaults: _hasFaults,
  ...summary
} = getTableColumns(dataQueries)

/** The data queries without their texts, by name. A search finds names and descriptions in any letter case. */
export async function listQueries(
  database: Database,
  { search, dataSourceId, groupId, recursive }: ListQuery,
): Promise<ListedRow[]> {
  const rows: ListedRow[] = await database
    .select({ ...summary, hasErrors: hasErrors.mapWith(Boolean) })
    .from(dataQueries)
    .where(
      and(
        dataSourceId === undefined ? undefined : eq(dataQueries.dataSourceId, dataSourceId),
        groupId === undefined ? undefined : isInGroup(groupId, recursive),
      ),
    )
    .orderBy(sql`${dataQueries.name} collate nocase`)
  if (search === undefined) return rows
  // In SQLite only the letters A to Z have another case.
  const wanted = foldCase(search)
  return rows.filter(({ name, description }) =>
    [name, description].some((text) => foldCase(text).includes(wanted)),
  )
}

/** The keys of names that no published data query has, and of those whose published versions reach one of them. */
const unreadable = sql`
  with recursive unreadable (name) as (
    select r.name from data_query_references r
    where not exists (select 1 from data_queries o where o.name = r.name collate nocase and o.published > 0)
    union select lower(o.name) from unreadable u
    join data_query_references r on r.name = u.name and r.is_published = 1 join data_queries o on o.id = r.query_id)
  select name from unreadable`

/** Whether a draft had faults when it was saved, or misses its data source or data queries now. */
const hasErrors = sql<boolean>`(${dataQueries.hasFaults}
  or not exists (select 1 from data_sources s where s.id = ${dataQueries.dataSourceId})
  or ${dataQueries.id} in (select query_id from data_query_references where is_published = 0 and name in (${unreadable}))
  or exists (select 1 from json_each(${dataQueries.parameters}) p where p.value ->> 'type' = 'query' and not exists (
    select 1 from data_queries o where o.id = p.value ->> 'valuesQueryId' and o.published > 0)))`

function isInGroup(id: number, isRecursive: boolean) {
  if (!isRecursive) return eq(dataQueries.groupId, id)
  return sql`${dataQueries.groupId} in (
    with recursive below (id) as (
      select id from data_query_groups where id = ${id}
      union select g.id from data_query_groups g join below on g.parent_id = below.id)
    select id from below)`
}

/** A data query by its id, or by its name in any letter case. */
export async function findQuery(database: Database, key: number | string): Promise<QueryRow | null> {
  const [row] = await selectQuery(database, key)
  return (row as QueryRow | undefined) ?? null
}

/** As `findQuery`, as a statement of a commit. */
export function selectQuery(database: Database, key: number | string) {
  const isThis =
    typeof key === 'number' ? eq(dataQueries.id, key) : sql`${dataQueries.name} = ${key} collate nocase`
  return database.select().from(dataQueries).where(isThis)
}

/** Adds a data query. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertQuery(database: Database, row: Omit<QueryRow, 'id'>, max: number): Write {
  const createdAt = unlessFull(row.createdAt, { rows: sql`select 1 from data_queries`, max })
  return database.insert(dataQueries).values({ ...row, createdAt })
}

/** Changes a data query that is still at this version; otherwise the batch fails as `isGuarded` recognises. */
export function updateQuery(
  database: Database,
  { id, version }: Pick<QueryRow, 'id' | 'version'>,
  change: Partial<QueryChange> & Partial<Pick<QueryRow, 'published'>>,
): Write {
  const next = sql`case when ${dataQueries.version} = cast(${version} as integer) then ${version + 1} end`
  return database
    .update(dataQueries)
    .set({ ...change, version: next })
    .where(eq(dataQueries.id, id))
}

/** Deletes data queries, whose names are at these keys. Unless it is forced, the batch fails as `isGuarded` recognises while
 * others refer to them. */
export function deleteQueries(
  database: Database,
  { ids, keys }: { readonly ids: readonly number[]; readonly keys: readonly string[] },
  { isForced }: { readonly isForced: boolean },
): Write[] {
  const among = elementsOf(ids)
  const guard = sql`update data_queries set version = null where id in ${among} and exists (
    select 1 from (${usesOf({ ids, keys })}) u where u.query_id not in ${among})`
  return [
    ...(isForced ? [] : [database.run(guard)]),
    database.run(sql`delete from data_queries where id in ${among}`),
  ]
}

/** Whether a commit failed because a data query was no longer at its version. */
export function isGuarded(error: unknown): boolean {
  return isNotNullViolation(error, 'data_queries.version')
}

/** Adds a version, and deletes all but the latest `max`. */
export function insertVersion(database: Database, row: VersionRow, max: number): Write[] {
  return [
    database.insert(dataQueryVersions).values(row),
    database.run(
      sql`delete from data_query_versions where query_id = ${row.queryId} and number <= ${row.number - max}`,
    ),
  ]
}

/** The versions of a data query, the latest first. */
export async function listVersions(database: Database, queryId: number): Promise<VersionRow[]> {
  const rows = await database
    .select()
    .from(dataQueryVersions)
    .where(eq(dataQueryVersions.queryId, queryId))
    .orderBy(desc(dataQueryVersions.number))
  return rows as VersionRow[]
}

export async function findVersion(
  database: Database,
  queryId: number,
  number: number,
): Promise<(Definition & VersionRow) | null> {
  const isThis = and(eq(dataQueryVersions.queryId, queryId), eq(dataQueryVersions.number, number))
  const [row] = await database.select().from(dataQueryVersions).where(isThis)
  return (row as VersionRow | undefined) ?? null
}

export type PublishedRow = {
  readonly id: number
  readonly name: string
  /** Null for a data query that was never published. */
  readonly definition: Definition | null
}

/** The published versions of the data queries with these names. */
export async function listPublished(
  database: Database,
  names: readonly string[],
): Promise<readonly PublishedRow[]> {
  const { dataSourceId, text, parameters, materialization, escaping, assertions } =
    getTableColumns(dataQueryVersions)
  const isLatest = and(
    eq(dataQueryVersions.queryId, dataQueries.id),
    eq(dataQueryVersions.number, dataQueries.published),
  )
  const rows = await database
    .select({
      id: dataQueries.id,
      name: dataQueries.name,
      definition: { dataSourceId, text, parameters, materialization, escaping, assertions },
    })
    .from(dataQueries)
    .leftJoin(dataQueryVersions, isLatest)
    .where(sql`${dataQueries.name} collate nocase in ${elementsOf(names)}`)
  return rows as unknown as readonly PublishedRow[]
}

/** Replaces the names to which the draft of a data query refers. */
export function replaceReferences(database: Database, id: IdExpression, keys: readonly string[]): Write[] {
  return [
    database.run(sql`delete from data_query_references where query_id = ${id} and is_published = 0`),
    database.run(sql`
      insert into data_query_references (query_id, is_published, name)
      select distinct ${id}, 0, value from ${eachOf(keys)}`),
  ]
}

/** Copies the references of the draft to the published version. */
export function publishReferences(database: Database, id: number): Write[] {
  return [
    database
      .delete(dataQueryReferences)
      .where(and(eq(dataQueryReferences.queryId, id), eq(dataQueryReferences.isPublished, true))),
    database.run(sql`
      insert into data_query_references (query_id, is_published, name)
      select query_id, 1, name from data_query_references where query_id = ${id} and is_published = 0`),
  ]
}

/** The id of the data query with this name, within a commit. */
export function queryNamed(name: string): IdExpression {
  return sql`(select id from data_queries where name = ${name} collate nocase)`
}

export type Dependent = Pick<QueryRow, 'id' | 'name' | 'version'> & {
  /** Whether the draft and the published version refer to the data query. */
  readonly draft: boolean
  readonly published: boolean
}

/** The data queries that refer to one of these, by name. */
export async function listDependents(database: Database, of: Targets): Promise<Dependent[]> {
  type Counted = Omit<Dependent, 'draft' | 'published'> & {
    readonly drafts: number
    readonly versions: number
  }
  const rows = await database.all<Counted>(sql`
    select q.id as "id", q.name as "name", q.version as "version",
      sum(1 - u.is_published) as "drafts", sum(u.is_published) as "versions"
    from (${usesOf(of)}) u join data_queries q on q.id = u.query_id
    group by q.id order by q.name collate nocase`)
  return rows.map(({ drafts, versions, ...row }) => ({ ...row, draft: drafts > 0, published: versions > 0 }))
}

/** Data queries by their ids, and by the keys of their names. */
type Targets = { readonly ids: readonly number[]; readonly keys: readonly string[] }

/** The uses of data queries: by their names in texts, and by their ids for the values of parameters. */
function usesOf({ ids, keys }: Targets) {
  const among = elementsOf(ids)
  return sql`
    select query_id, is_published from data_query_references
    where name in ${elementsOf(keys)}
    union select q.id, 0 from data_queries q, json_each(q.parameters) p
    where p.value ->> 'valuesQueryId' in ${among}
    union select q.id, 1 from data_queries q
    join data_query_versions v on v.query_id = q.id and v.number = q.published, json_each(v.parameters) p
    where p.value ->> 'valuesQueryId' in ${among}`
}

/** Replaces a name in all references. The batch fails as `isGuarded` recognises unless there are as many as were read. */
export function renameReferences(
  database: Database,
  id: number,
  { from, to, count }: { readonly from: string; readonly to: string; readonly count: number },
): Write[] {
  return [
    database.run(sql`
      update data_queries set version = case when
        (select count(*) from data_query_references where name = ${from}) = cast(${count} as integer) then version end
      where id = ${id}`),
    database.run(sql`
      insert or ignore into data_query_references (query_id, is_published, name)
      select query_id, is_published, ${to} from data_query_references where name = ${from}`),
    database.run(sql`delete from data_query_references where name = ${from} and name <> ${to}`),
  ]
}

/** Replaces the text of a published version. */
export function updateVersionText(
  database: Database,
  { queryId, number }: Pick<VersionRow, 'queryId' | 'number'>,
  text: string,
): Write {
  const isThis = and(eq(dataQueryVersions.queryId, queryId), eq(dataQueryVersions.number, number))
  return database.update(dataQueryVersions).set({ text }).where(isThis)
}

/** The texts of data queries: of the draft, and of the published version where there is one. */
export function listTexts(
  database: Database,
  ids: readonly number[],
): Promise<
  {
    readonly id: number
    readonly version: number
    readonly published: number
    readonly draft: string
    readonly text: string | null
  }[]
> {
  return database.all(sql`
    select q.id as "id", q.version as "version", q.published as "published", q.text as "draft", v.text as "text"
    from data_queries q left join data_query_versions v on v.query_id = q.id and v.number = q.published
    where q.id in ${elementsOf(ids)}`)
}

/** The ids among these of data queries that were published. */
export async function listPublishedIds(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await database
    .select({ id: dataQueries.id })
    .from(dataQueries)
    .where(sql`${dataQueries.published} > 0 and ${dataQueries.id} in ${elementsOf(ids)}`)
  return new Set(rows.map(({ id }) => id))
}

/** The names of data queries, by their ids. */
export async function listNames(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await database
    .select({ id: dataQueries.id, name: dataQueries.name })
    .from(dataQueries)
    .where(sql`${dataQueries.id} in ${elementsOf(ids)}`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The attributes of a user in templates, beside the name. The groups are their names, in the order of the alphabet. */
export async function findTemplateUser(database: Database, id: number) {
  const [row] = await database
    .select({
      language: users.language,
      timeZone: users.timeZone,
      properties: users.properties,
      groups: sql<string>`(select json_group_array(name) from (
        select g.name from user_groups g join memberships m on m.group_id = g.id
        where m.user_id = users.id order by g.name collate nocase))`,
    })
    .from(users)
    .where(eq(users.id, id))
  if (!row) return { language: '', timeZone: '', properties: {}, groups: [] }
  const properties = Object.fromEntries(row.properties.map(({ key, value }) => [key, value]))
  return { ...row, properties, groups: JSON.parse(row.groups) as readonly string[] }
}
