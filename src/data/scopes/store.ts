import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { forecasts } from '../../../db/tables/forecasts.ts'
import { dataScopes } from '../../../db/tables/sources.ts'
import type { Role } from '../../context.ts'
import type { Column } from '../../domain/table.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, IdExpression, Write } from '../../ports/database.ts'
import type { Filter } from '../filters/filter.ts'
import type { Person, Scope } from './sight.ts'

export type ScopeRow = Scope & {
  readonly dataSourceId: number
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

export type ScopeChange = Omit<ScopeRow, 'id' | 'version' | 'createdAt' | 'dataSourceId'>
type Named = Pick<ScopeRow, 'name'> & { readonly dataSourceId: IdExpression }

/** The scope of a data source that may be made in the same commit. */
type NewScope = Omit<ScopeRow, 'id' | 'dataSourceId'> & Named

type Subject = { readonly user: number | null; readonly group: number | null; readonly role: Role | null }

const SUBJECTS = sql<string>`(select json_group_array(json_object('user', user_id, 'group', group_id, 'role', role))
  from data_scope_subjects where scope_id = data_scopes.id)`

const shown = { ...getTableColumns(dataScopes), subjects: SUBJECTS }

/** The scopes of a data source, by id. */
export async function listScopes(database: Database, dataSourceId: number): Promise<ScopeRow[]> {
  const rows = await database
    .select(shown)
    .from(dataScopes)
    .where(eq(dataScopes.dataSourceId, dataSourceId))
    .orderBy(dataScopes.id)
  return rows.map(rowOf)
}

/** The tables of a data source that have the results of forecasts. `sourceId` and `sourceTable` are the data source and the
 * table of the series; `sourceTable` is null for a data query. */
export async function listForecastTables(
  database: Database,
  dataSourceId: number,
): Promise<
  readonly { readonly name: string; readonly sourceId: number; readonly sourceTable: string | null }[]
> {
  const field = (path: string) => sql`json_extract(${forecasts.definition}, ${path})`
  // The rows come from the source of the last run, although the definition may name another source by now.
  const source = (name: string) =>
    sql`json_extract(coalesce(json_extract(${forecasts.summary}, '$.reading.source'), ${field('$.source')}), ${`$.${name}`})`
  return database
    .select({
      name: sql<string>`${field('$.table.name')}`,
      sourceId: sql<number>`coalesce(${source('dataSourceId')},
        (select data_source_id from data_queries where id = ${source('dataQueryId')}), 0)`,
      sourceTable: sql<string | null>`${source('table')}`,
    })
    .from(forecasts)
    .where(and(eq(field('$.table.dataSourceId'), dataSourceId), sql`${source('type')} <> 'job'`))
}

/** A scope of a data source by its id, or by its name. */
export async function findScope(
  database: Database,
  dataSourceId: number,
  key: number | string,
): Promise<ScopeRow | null> {
  const [row] = await selectScope(database, dataSourceId, key)
  return row ? rowOf(row) : null
}

/** The statement of `findScope`, for a commit. `rowOf` reads its row. */
export function selectScope(database: Database, dataSourceId: number, key: number | string) {
  const isThis = typeof key === 'number' ? eq(dataScopes.id, key) : eq(dataScopes.name, key)
  return database
    .select(shown)
    .from(dataScopes)
    .where(and(eq(dataScopes.dataSourceId, dataSourceId), isThis))
}

export function rowOf(row: typeof dataScopes.$inferSelect & { readonly subjects: string }): ScopeRow {
  return {
    ...row,
    access: row.access as Scope['access'],
    filter: row.filter as Filter | null,
    subjects: subjectsOf(JSON.parse(row.subjects) as readonly Subject[]),
  }
}

function subjectsOf(subjects: readonly Subject[]): Scope['subjects'] {
  const ids = (key: 'user' | 'group') =>
    subjects.flatMap((subject) => subject[key] ?? []).sort((one, other) => one - other)
  return {
    users: ids('user'),
    userGroups: ids('group'),
    roles: subjects.flatMap(({ role }) => role ?? []).sort(),
  }
}

/** Scopes, and the users that may be their subjects. */
export type Judgement = {
  readonly scopes: readonly Scope[]
  readonly people: ReadonlyMap<number, Person>
}

/** The imported tables of a data source, and its scopes at the same time. */
type Together = Judgement & {
  readonly tables: readonly StoredTable[]
  /** Whether a refresh or a forecast may have copied rows of another table. */
  readonly hasCopies: boolean
}

type StoredTable = {
  readonly id: number
  readonly dataSourceId: number
  readonly name: string
  readonly columns: readonly Column[]
  readonly rows: number
  readonly version: number
  readonly generationId: number
  readonly isRefreshed: number
}
type Part = { readonly kind: 'table' | 'scope' | 'person' | 'copies'; readonly json: string }
type ScopeJson = Omit<Scope, 'subjects'> & { readonly subjects: readonly Subject[] }
type PersonJson = Omit<Person, 'properties'> & {
  readonly properties: readonly { readonly key: string; readonly value: string }[]
}

const scopeParts = (dataSourceId: number) => sql`
  select 'scope' as "kind", json_object('id', id, 'name', name, 'tables', json(tables), 'access', access, 'filter', json(filter),
    'hiddenColumns', json(hidden_columns), 'subjects', json(${SUBJECTS})) as "json"
  from data_scopes where data_source_id = ${dataSourceId}`

const personParts = (userIds: readonly number[]) => sql`
  select 'person' as "kind", json_object('id', u.id, 'username', u.username, 'role', u.role, 'properties', json(u.properties),
    'groupIds', json((select json_group_array(group_id) from memberships where user_id = u.id))) as "json"
  from users u where u.id in ${elementsOf(userIds)}`

/** Reads the tables, scopes and users that decide which rows of imported tables the users may read. One statement reads them,
 * so that no change comes in between. */
export async function readTogether(
  database: Database,
  dataSourceId: number,
  userIds: readonly number[],
): Promise<Together> {
  const rows = await database.all<Part>(sql`
    select 'table' as "kind", json_object('id', t.id, 'dataSourceId', t.data_source_id, 'name', t.name, 'columns', json(t.columns),
      'rows', t.rows, 'version', t.version, 'generationId', t.generation_id,
      'isRefreshed', exists (select 1 from data_refreshes where table_id = t.id)) as "json"
    from data_tables t where t.data_source_id = ${dataSourceId}
    union all ${scopeParts(dataSourceId)} union all ${personParts(userIds)}
    union all
    select 'copies', '' where exists (
        select 1 from data_refreshes r join data_tables t on t.id = r.table_id where t.data_source_id = ${dataSourceId})
      or exists (select 1 from forecasts where json_extract(definition, '$.table.dataSourceId') = ${dataSourceId})`)
  return {
    ...judgementOf(rows),
    hasCopies: rows.some(({ kind }) => kind === 'copies'),
    tables: jsonOf<StoredTable>(rows, 'table'),
  }
}

/** The scopes of a data source and the users that may be their subjects, read by one statement. */
export async function readJudgement(
  database: Database,
  dataSourceId: number,
  userIds: readonly number[],
): Promise<Judgement> {
  const parts = sql`${scopeParts(dataSourceId)} union all ${personParts(userIds)}`
  return judgementOf(await database.all<Part>(parts))
}

const jsonOf = <Item>(rows: readonly Part[], kind: Part['kind']) =>
  rows.flatMap((row) => (row.kind === kind ? [JSON.parse(row.json) as Item] : []))

function judgementOf(rows: readonly Part[]): Judgement {
  return {
    scopes: jsonOf<ScopeJson>(rows, 'scope')
      .sort((one, other) => one.id - other.id)
      .map((scope) => ({ ...scope, subjects: subjectsOf(scope.subjects) })),
    people: new Map(
      jsonOf<PersonJson>(rows, 'person').map(({ properties, ...person }) => [
        person.id,
        { ...person, properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])) },
      ]),
    ),
  }
}

/** Adds a scope. The commit fails, as `refuseFull` recognises, when the data source has `max` scopes. */
export function insertScope(database: Database, { subjects, ...row }: NewScope, max: number): Write[] {
  const rows = sql`select 1 from data_scopes where data_source_id = ${row.dataSourceId}`
  const createdAt = unlessFull(row.createdAt, { rows, max })
  return [database.insert(dataScopes).values({ ...row, createdAt }), insertSubjects(database, row, subjects)]
}

/** Changes a scope that is still at this version. Otherwise the commit fails, as `isGuarded` recognises. */
export function updateScope(
  database: Database,
  { id, version, dataSourceId }: ScopeRow,
  { subjects, ...change }: ScopeChange,
): Write[] {
  const next = sql`case when ${dataScopes.version} = cast(${version} as integer) then ${version + 1} end`
  return [
    database
      .update(dataScopes)
      .set({ ...change, version: next })
      .where(eq(dataScopes.id, id)),
    database.run(sql`delete from data_scope_subjects where scope_id = ${id}`),
    insertSubjects(database, { dataSourceId, name: change.name }, subjects),
  ]
}

export function deleteScope(database: Database, id: number): Write {
  return database.delete(dataScopes).where(eq(dataScopes.id, id))
}

export function deleteScopesOf(database: Database, dataSourceId: number): Write {
  return database.delete(dataScopes).where(eq(dataScopes.dataSourceId, dataSourceId))
}

const markOf = (dataSourceId: number) => sql`(
  select coalesce(group_concat(id || ' ' || version), '') from (
    select id, version from data_scopes where data_source_id = ${dataSourceId} order by id))`

/** The versions of the scopes of a data source, as one text. */
export async function scopesMark(database: Database, dataSourceId: number): Promise<string> {
  const [row] = await database.all<{ mark: string }>(sql`select ${markOf(dataSourceId)} as mark`)
  return row?.mark ?? ''
}

/** The commit fails, as `isGuarded` recognises, if a data source has scopes with another mark. */
export function requireScopes(database: Database, dataSourceId: number, mark: string): Write {
  return database.run(sql`
    update data_scopes set version = null
    where data_source_id = ${dataSourceId} and ${markOf(dataSourceId)} <> ${mark}`)
}

/** A text that changes with each change of a scope, and of these users and their user groups. Ids of deleted scopes are not
 * used again, so no two states of the scopes have one count, one highest id and one sum of versions. */
export async function sightsMark(database: Database, userIds: readonly number[]): Promise<string> {
  const ids = elementsOf(userIds)
  const [row] = await database.all<{ mark: string }>(sql`
    select (select count(*) || ' ' || coalesce(max(id), 0) || ' ' || coalesce(sum(version), 0) from data_scopes)
      || ', ' || (select coalesce(group_concat(id || ' ' || version), '') from users where id in ${ids})
      || ', ' || (select coalesce(group_concat(user_id || ' ' || group_id), '') from (
        select user_id, group_id from memberships where user_id in ${ids} order by user_id, group_id)) as mark`)
  return row?.mark ?? ''
}

/** Whether a commit failed because a scope was no longer at its version. */
export function isGuarded(error: unknown): boolean {
  return isNotNullViolation(error, 'data_scopes.version')
}

function insertSubjects(
  database: Database,
  { dataSourceId, name }: Named,
  { users, userGroups, roles }: Scope['subjects'],
): Write {
  const subjects = [
    ...users.map((user) => ({ user })),
    ...userGroups.map((group) => ({ group })),
    ...roles.map((role) => ({ role })),
  ]
  return database.run(sql`
    insert into data_scope_subjects (scope_id, user_id, group_id, role)
    select s.id, value ->> 'user', value ->> 'group', value ->> 'role'
    from ${eachOf(subjects)} join data_scopes s
      on s.data_source_id = ${dataSourceId} and s.name = ${name}`)
}

export type Unknown = { readonly key: 'users' | 'userGroups'; readonly place: number }

/** The places in the lists of a scope whose ids belong to no user and to no user group. */
export function listUnknown(
  database: Database,
  { users, userGroups }: Pick<Scope['subjects'], 'users' | 'userGroups'>,
): Promise<readonly Unknown[]> {
  return database.all<Unknown>(sql`
    select 'users' as "key", wanted.key as "place" from ${eachOf(users)} wanted
    where not exists (select 1 from users t where t.id = wanted.value)
    union all
    select 'userGroups' as "key", wanted.key as "place" from ${eachOf(userGroups)} wanted
    where not exists (select 1 from user_groups t where t.id = wanted.value)`)
}

export type SubjectName = { readonly key: 'users' | 'userGroups'; readonly id: number; readonly name: string }

/** The names of users and user groups with these ids. */
export function namesOf(
  database: Database,
  { users, userGroups }: Pick<Scope['subjects'], 'users' | 'userGroups'>,
): Promise<readonly SubjectName[]> {
  return database.all<SubjectName>(sql`
    select 'users' as "key", id as "id", username as "name" from users
    where id in ${elementsOf(users)}
    union all
    select 'userGroups' as "key", id as "id", name as "name" from user_groups
    where id in ${elementsOf(userGroups)}`)
}

/** The ids of users, by the keys of their names, and of user groups, by their names. */
export function idsNamed(
  database: Database,
  { users, userGroups }: { readonly users: readonly string[]; readonly userGroups: readonly string[] },
): Promise<readonly SubjectName[]> {
  return database.all<SubjectName>(sql`
    select 'users' as "key", id as "id", username_key as "name" from users
    where username_key in ${elementsOf(users)}
    union all
    select 'userGroups' as "key", id as "id", name as "name" from user_groups
    where name in ${elementsOf(userGroups)}`)
}
