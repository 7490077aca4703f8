import { desc, eq, getTableColumns, or, sql } from 'drizzle-orm'
import {
  dashboardOldUrls,
  type dashboardReferences,
  dashboards,
  dashboardVersions,
} from '../../../db/tables/dashboards.ts'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, IdExpression, Write } from '../../ports/database.ts'
import type { Reference } from './references.ts'

export type DashboardRow = typeof dashboards.$inferSelect
export type SummaryRow = Omit<DashboardRow, 'definition'>
export type VersionRow = typeof dashboardVersions.$inferSelect
export type DashboardChange = Partial<Omit<DashboardRow, 'id' | 'uuid' | 'version' | 'createdAt'>> & {
  readonly updatedAt: number
  readonly updatedBy: string
}

const { definition: _definition, ...summary } = getTableColumns(dashboards)

/** The dashboards without their definitions, by name. */
export function listDashboards(database: Database): Promise<SummaryRow[]> {
  return Promise.resolve(
    database
      .select(summary)
      .from(dashboards)
      .orderBy(sql`${dashboards.name} collate nocase`, dashboards.id),
  )
}

/** A dashboard by its id, its URL name, or a former URL name. */
export async function findDashboard(
  database: Database,
  ref: number | string,
  now: number,
): Promise<DashboardRow | null> {
  const isThis =
    typeof ref === 'number'
      ? eq(dashboards.id, ref)
      : or(
          eq(dashboards.urlName, ref),
          sql`${dashboards.id} = (select dashboard_id from dashboard_old_urls where url_name = ${ref} and until_at > ${now})`,
        )
  const rows = await database.select().from(dashboards).where(isThis)
  return rows.find(({ urlName }) => urlName === ref) ?? rows[0] ?? null
}

/** A dashboard of a family. Its definition is empty where widgets only lead to it. */
export type FamilyRow = DashboardRow & { readonly isFirst: boolean }

/** A dashboard by its id, its URL name, or a former URL name; with the dashboards that it embeds, level by level, and with
 * those that their widgets lead to. */
export async function readFamily(
  database: Database,
  { ref, now, depthMax }: { readonly ref: number | string; readonly now: number; readonly depthMax: number },
): Promise<FamilyRow[]> {
  const first =
    typeof ref === 'number'
      ? sql`${ref}`
      : sql`coalesce((select id from dashboards where url_name = ${ref}),
          (select dashboard_id from dashboard_old_urls where url_name = ${ref} and until_at > ${now}))`
  const family = sql`with recursive family (id, level, is_linked) as (
    select id, 0, 0 from dashboards where id = ${first} union
    select r.target_id, f.level + 1, r.pointer like '%/link/dashboardId' from family f
    join dashboard_references r on r.dashboard_id = f.id and r.kind = 'dashboard'
    where f.is_linked = 0 and f.level <= cast(${depthMax} as integer))`
  const rows = await database
    .select({
      ...getTableColumns(dashboards),
      definition: sql<string>`case when ${dashboards.id} in (${family} select id from family where is_linked = 0)
        then ${dashboards.definition} else '' end`,
      isFirst: sql<number>`${dashboards.id} = ${first}`,
    })
    .from(dashboards)
    .where(sql`${dashboards.id} in (${family} select id from family)`)
    .orderBy(dashboards.id)
  return rows.map((row) => ({ ...row, isFirst: Number(row.isFirst) === 1 }))
}

/** Dashboards with their definitions, by id. */
export function readDashboards(database: Database, ids: readonly number[]): Promise<DashboardRow[]> {
  return Promise.resolve(
    database
      .select()
      .from(dashboards)
      .where(sql`${dashboards.id} in ${elementsOf(ids)}`)
      .orderBy(dashboards.id),
  )
}

/** The URL names that begin with a text. */
export async function takenUrlNames(database: Database, begin: string): Promise<ReadonlySet<string>> {
  const rows = await database
    .select({ urlName: dashboards.urlName })
    .from(dashboards)
    .where(sql`${dashboards.urlName} >= ${begin} and ${dashboards.urlName} < ${`${begin}~`}`)
  return new Set(rows.map(({ urlName }) => urlName))
}

/** Adds a dashboard. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertDashboard(
  database: Database,
  row: Omit<DashboardRow, 'id'> & { readonly id?: number },
  max: number,
): Write {
  const createdAt = unlessFull(row.createdAt, { rows: sql`select 1 from dashboards`, max })
  return database.insert(dashboards).values({ ...row, createdAt })
}

/** An id that no dashboard has, and to which none refers. */
export async function nextDashboardId(database: Database): Promise<number> {
  const rows = await database.all<{ id: number }>(sql`
    select max(coalesce((select max(id) from dashboards), 0),
      coalesce((select max(target_id) from dashboard_references where kind = 'dashboard'), 0)) + 1 as "id"`)
  return rows[0]?.id ?? 1
}

/** The id of the dashboard with this uuid, within a commit. */
export function dashboardOf(uuid: string): IdExpression {
  return sql`(select id from dashboards where uuid = ${uuid})`
}

/** Changes a dashboard that is still at this version; otherwise the batch fails as `isGuarded` recognises. */
export function updateDashboard(
  database: Database,
  { id, version }: Pick<DashboardRow, 'id' | 'version'>,
  change: DashboardChange,
): Write {
  const next = sql`case when ${dashboards.version} = cast(${version} as integer) then ${version + 1} end`
  return database
    .update(dashboards)
    .set({ ...change, version: next })
    .where(eq(dashboards.id, id))
}

/** Whether a commit failed because a dashboard was no longer at its version, or others refer to it. */
export function isGuarded(error: unknown): boolean {
  return isNotNullViolation(error, 'dashboards.version')
}

/** Deletes dashboards. Unless it is forced, the batch fails as `isGuarded` recognises while others refer to them. */
export function deleteDashboards(
  database: Database,
  ids: readonly number[],
  { isForced }: { readonly isForced: boolean },
): Write[] {
  const among = elementsOf(ids)
  const guard = sql`update dashboards set version = null where id in ${among} and exists (
    select 1 from dashboard_references r
    where r.kind = 'dashboard' and r.target_id in ${among} and r.dashboard_id not in ${among})`
  return [
    ...(isForced ? [] : [database.run(guard)]),
    database.run(sql`delete from script_dependents where kind = 'widget' and owner_id in ${among}`),
    database.run(sql`delete from dashboards where id in ${among}`),
  ]
}

/** Makes a former URL name lead to its dashboard, and ends those that lead to a name that is used again. */
export function keepOldUrl(
  database: Database,
  { from, to, untilAt }: { readonly from: string; readonly to: string; readonly untilAt: number },
  dashboardId: number,
): Write[] {
  return [
    database.delete(dashboardOldUrls).where(eq(dashboardOldUrls.urlName, to)),
    database
      .insert(dashboardOldUrls)
      .values({ urlName: from, dashboardId, untilAt })
      .onConflictDoUpdate({ target: dashboardOldUrls.urlName, set: { dashboardId, untilAt } }),
  ]
}

/** Adds the current version of a dashboard, and deletes all but the latest `max`. */
export function insertVersion(
  database: Database,
  { dashboardId, ...row }: Omit<VersionRow, 'dashboardId'> & { readonly dashboardId: IdExpression },
  max: number,
): Write[] {
  return [
    database.run(sql`
      insert into dashboard_versions (dashboard_id, number, name, description, definition, created_by, created_at)
      values (${dashboardId}, ${row.number}, ${row.name}, ${row.description}, ${row.definition}, ${row.createdBy},
        ${row.createdAt})`),
    database.run(sql`
      delete from dashboard_versions where dashboard_id = ${dashboardId} and number not in (
        select number from dashboard_versions where dashboard_id = ${dashboardId} order by number desc limit ${max})`),
  ]
}

const { definition: _ofVersion, ...versionSummary } = getTableColumns(dashboardVersions)

/** The versions of a dashboard without their definitions, the latest first. */
export function listVersions(
  database: Database,
  dashboardId: number,
): Promise<Omit<VersionRow, 'definition'>[]> {
  return Promise.resolve(
    database
      .select(versionSummary)
      .from(dashboardVersions)
      .where(eq(dashboardVersions.dashboardId, dashboardId))
      .orderBy(desc(dashboardVersions.number)),
  )
}

export async function findVersion(
  database: Database,
  dashboardId: number,
  number: number,
): Promise<VersionRow | null> {
  const rows = await database
    .select()
    .from(dashboardVersions)
    .where(sql`${dashboardVersions.dashboardId} = ${dashboardId} and ${dashboardVersions.number} = ${number}`)
  return rows[0] ?? null
}

/** Replaces all that a dashboard refers to. */
export function replaceReferences(
  database: Database,
  id: IdExpression,
  references: readonly Reference[],
): Write[] {
  return [
    database.run(sql`delete from dashboard_references where dashboard_id = ${id}`),
    database.run(sql`
      insert into dashboard_references (dashboard_id, pointer, widget_id, kind, target_id, target_name, title)
      select ${id}, value ->> 'pointer', value ->> 'widgetId', value ->> 'kind', value ->> 'targetId',
        value ->> 'targetName', value ->> 'title'
      from ${eachOf(references)}`),
  ]
}

type ReferenceRow = Omit<typeof dashboardReferences.$inferSelect, 'kind'> & Pick<Reference, 'kind'>

type GoneRow = Pick<ReferenceRow, 'dashboardId' | 'pointer' | 'kind' | 'targetId' | 'targetName'>

/** The condition that the target of a reference `r` does not exist any more. */
export const IS_GONE = sql`not case r.kind
  when 'object' then exists (select 1 from objects o where o.id = r.target_id)
  when 'dataQuery' then exists (select 1 from data_queries q where q.id = r.target_id)
  when 'script' then exists (select 1 from scripts s where s.id = r.target_id)
  when 'dashboard' then exists (select 1 from dashboards d where d.id = r.target_id)
  when 'file' then exists (select 1 from files f where f.name = r.target_name)
  when 'forecast' then exists (select 1 from forecasts f where f.id = r.target_id)
  else 1 end`

/** The targets of dashboards that do not exist any more. */
export function listGone(database: Database, dashboardIds: readonly number[] | null): Promise<GoneRow[]> {
  const among = dashboardIds === null ? sql`1` : sql`r.dashboard_id in ${elementsOf(dashboardIds)}`
  return database.all(sql`
    select r.dashboard_id as "dashboardId", r.pointer as "pointer", r.kind as "kind", r.target_id as "targetId",
      r.target_name as "targetName"
    from dashboard_references r where ${among} and ${IS_GONE}
    order by r.dashboard_id, r.pointer`)
}

/** The dashboards with a public link that has not ended. */
export async function listPublic(
  database: Database,
  { dashboardId, now }: { readonly dashboardId: number | null; readonly now: number },
): Promise<ReadonlySet<number>> {
  const among = dashboardId === null ? sql`1` : sql`dashboard_id = ${dashboardId}`
  const rows = await database.all<{ id: number }>(sql`
    select dashboard_id as "id" from dashboard_publics where ${among} and ${hasNotEnded(now)}`)
  return new Set(rows.map(({ id }) => id))
}

/** The condition that a public link has not ended. */
export function hasNotEnded(now: number): SQL {
  return sql`(expires_at is null or expires_at > ${now})`
}

/** The references to things of a kind, by dashboard and pointer: to ids, or to the file of a name. */
export function listReferencesTo(
  database: Database,
  {
    kind,
    ids,
    name = '',
  }: Pick<Reference, 'kind'> & { readonly ids: readonly number[]; readonly name?: string },
): Promise<Pick<ReferenceRow, 'dashboardId' | 'widgetId' | 'title' | 'pointer'>[]> {
  return database.all(sql`
    select dashboard_id as "dashboardId", widget_id as "widgetId", title, pointer from dashboard_references
    where kind = ${kind} and target_name = ${name}
      and target_id in ${elementsOf(ids)}
    order by dashboard_id, pointer`)
}

/** The language of a user. */
export async function languageOfUser(database: Database, userId: number): Promise<string> {
  const rows = await database.all<{ language: string }>(sql`select language from users where id = ${userId}`)
  return rows[0]?.language ?? ''
}

/** The dashboard that a user has chosen to see first; null for none. */
export async function startOfUser(database: Database, userId: number): Promise<number | null> {
  const rows = await database.all<{ id: number | null }>(
    sql`select start_dashboard_id as "id" from users where id = ${userId}`,
  )
  return rows[0]?.id ?? null
}

const EMBEDS = sql`r.kind = 'dashboard' and r.pointer not like '%/link/dashboardId'`

/** The writes that fail a batch, as `isCycle` and `isTooDeep` recognise, when a dashboard embeds itself, or when more than
 * `depthMax` dashboards are embedded in one another. */
export function guardEmbedding(database: Database, id: IdExpression, depthMax: number): Write[] {
  const below = sql`with recursive below (id, level) as (
    select ${id}, 0 union
    select r.target_id, level + 1 from below join dashboard_references r on r.dashboard_id = below.id
    where ${EMBEDS} and level <= cast(${depthMax} as integer))`
  const above = sql`with recursive above (id, level) as (
    select ${id}, 0 union
    select r.dashboard_id, level + 1 from above join dashboard_references r on r.target_id = above.id
    where ${EMBEDS} and level <= cast(${depthMax} as integer))`
  return [
    database.run(sql`update dashboards set name = case when not exists (
      ${below} select 1 from below where level > 0 and id = ${id}) then name end where id = ${id}`),
    database.run(sql`update dashboards set updated_at = case when
      (${below} select max(level) from below) + (${above} select max(level) from above)
      <= cast(${depthMax} as integer) then updated_at end where id = ${id}`),
  ]
}

export function isCycle(error: unknown): boolean {
  // Not the time of creation: a dashboard that `refuseFull` refuses has none.
  return isNotNullViolation(error, 'dashboards.name')
}

export function isTooDeep(error: unknown): boolean {
  return isNotNullViolation(error, 'dashboards.updated_at')
}
