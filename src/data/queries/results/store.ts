import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import { dataQueryResults } from '../../../../db/tables/queries.ts'
import type { Column } from '../../../domain/table.ts'
import type { Database, Write } from '../../../ports/database.ts'
import { INTERVALS, LIMITS } from './interval.ts'

export type ResultRow = Omit<typeof dataQueryResults.$inferSelect, 'columns' | 'error'> & {
  readonly columns: readonly Column[]
  readonly error: { readonly code: string; readonly detail: string } | null
}

export async function findResult(database: Database, queryId: number): Promise<ResultRow | null> {
  const [row] = await database.select().from(dataQueryResults).where(eq(dataQueryResults.queryId, queryId))
  return (row as ResultRow | undefined) ?? null
}

/** The stored results of all data queries. */
export async function listResults(database: Database): Promise<readonly ResultRow[]> {
  return (await database.select().from(dataQueryResults)) as unknown as readonly ResultRow[]
}

/** The stored results of the published versions of data queries with these names. */
export async function listNamed(
  database: Database,
  names: readonly string[],
): Promise<readonly (ResultRow & { readonly name: string })[]> {
  if (names.length === 0) return []
  const rows = await database
    .select({ result: dataQueryResults, name: sql<string>`q.name` })
    .from(dataQueryResults)
    .innerJoin(
      sql`data_queries q`,
      sql`q.id = ${dataQueryResults.queryId} and q.published = ${dataQueryResults.number}`,
    )
    .where(sql`q.name collate nocase in ${elementsOf(names)}`)
  return rows.map(({ result, name }) => ({ ...(result as ResultRow), name }))
}

type Order = Pick<ResultRow, 'queryId' | 'dataSourceId' | 'everyMs'> & {
  readonly now: number
  /** The version that the stored result is of from now on; null for the one that it is of. */
  readonly number: number | null
}

/** Makes a result due, also while a refresh of it goes on, which then fails. */
export function orderResult(
  database: Database,
  { queryId, dataSourceId, everyMs, now, number }: Order,
): Write {
  return database.run(sql`
    insert into data_query_results (query_id, number, data_source_id, columns, rows, every_ms, next_at, failures, error, version)
    values (${queryId}, 0, ${dataSourceId}, '[]', 0, ${everyMs}, ${now}, 0, 'null', 1)
    on conflict (query_id) do update set every_ms = ${everyMs}, next_at = ${now}, failures = 0, failed_at = null,
      error = 'null', lease = null, lease_until_at = null, version = version + 1,
      number = case when generation_id is null then 0 else coalesce(${number}, number) end`)
}

/** Takes results away. Their rows can be read until a time. */
export function dropResults(database: Database, queryIds: readonly number[], dropAt: number): Write[] {
  const among = sql`query_id in ${elementsOf(queryIds)}`
  return [
    database.run(sql`
      update data_generations set drop_at = ${dropAt}
      where id in (select generation_id from data_query_results where ${among})`),
    database.run(sql`delete from data_query_results where ${among}`),
  ]
}

/** Orders the results that are missing, such as after a restore. */
export function orderMissing(database: Database, now: number): Write {
  const every = JSON.stringify(Object.fromEntries(INTERVALS.map((one) => [one, LIMITS[one].everyMs])))
  return database.run(sql`
    insert into data_query_results (query_id, number, data_source_id, columns, rows, every_ms, next_at, failures, error, version)
    select q.id, 0, v.data_source_id, '[]', 0,
      (select value from json_each(${every}) where key = v.materialization ->> 'refresh'), ${now}, 0, 'null', 1
    from data_query_versions v join data_queries q on q.id = v.query_id and q.published = v.number
    where v.materialization is not null and q.id not in (select query_id from data_query_results)
    on conflict do nothing`)
}

type Stored = Pick<ResultRow, 'queryId' | 'number' | 'dataSourceId' | 'columns' | 'rows' | 'basis'> & {
  readonly generationId: number
}

/** Gives a generation to a result, in place of the former one, which can be read until a time. The commit fails, unless the lease is
 * held. */
export function replaceRows(
  database: Database,
  { queryId, number, dataSourceId, columns, rows, basis, generationId }: Stored,
  { token, dropAt }: { readonly token: string; readonly dropAt: number },
): Write[] {
  const isHeld = sql`exists (select 1 from data_query_results where query_id = ${queryId} and lease = ${token})`
  return [
    database.run(sql`
      update data_generations set drop_at = null, data_source_id = case when ${isHeld} then data_source_id end
      where id = ${generationId}`),
    database.run(sql`
      update data_generations set drop_at = ${dropAt}
      where id = (select generation_id from data_query_results where query_id = ${queryId})`),
    database
      .update(dataQueryResults)
      .set({ number, dataSourceId, columns, rows, basis, generationId })
      .where(eq(dataQueryResults.queryId, queryId)),
  ]
}

/** Gives the rows of a result to a version with the same ones. The commit fails, as `replaceRows`, unless the lease is held. */
export function keepRows(
  database: Database,
  { queryId, number }: Pick<ResultRow, 'queryId' | 'number'>,
  token: string,
): Write {
  return database.run(sql`
    update data_query_results set number = ${number}, version = case when lease = ${token} then version end
    where query_id = ${queryId}`)
}

/** Takes the lease of a refresh away, which notices it within a second, and leaves the next one until it is due.
 * @returns whether there was one */
export async function endLease(database: Database, queryId: number, now: number): Promise<boolean> {
  const ended = await database.all(sql`
    update data_query_results set lease = null, lease_until_at = null, next_at = ${now} + every_ms
    where query_id = ${queryId} and lease_until_at > ${now} returning query_id`)
  return ended.length > 0
}

/** The data queries that the published versions of some refer to, also through others, as `below (root, id)`. */
const belowOf = (roots: SQL) => sql`
  with recursive refers (query_id, id) as (
    select r.query_id, q.id from data_query_references r join data_queries q on q.name = r.name collate nocase
    where r.is_published = 1),
  below (root, id) as (
    select query_id, id from refers where query_id in (${roots})
    union select b.root, r.id from below b join refers r on r.query_id = b.id)`

/** Data queries whose result is due and that no process refreshes, the longest due first. Those come later that read another
 * result which is due or is being refreshed; of results that read each other none waits. */
export function listDue(
  database: Database,
  now: number,
  limit: number,
): Promise<readonly { readonly id: number }[]> {
  const isWaited = sql`(other.next_at <= ${now} or other.lease_until_at > ${now})`
  const isCircle = sql`exists (select 1 from below back where back.root = b.id and back.id = b.root)`
  return database.all(sql`
    ${belowOf(sql`select query_id from data_query_results where next_at <= ${now} or lease_until_at > ${now}`)}
    select d.query_id as "id" from data_query_results d
    where d.next_at <= ${now} and (d.lease_until_at is null or d.lease_until_at <= ${now}) and not exists (
      select 1 from below b join data_query_results other on other.query_id = b.id
      where b.root = d.query_id and ${isWaited} and not ${isCircle})
    order by d.next_at limit ${limit}`)
}

/** Makes the results due that read the one of a data query, also through others. A refresh of them that goes on read the former
 * rows, and fails. */
export function orderDependents(database: Database, queryId: number, now: number): Write {
  return database.run(sql`
    update data_query_results set next_at = ${now}, lease = null, lease_until_at = null
    where query_id <> ${queryId} and query_id in (
      ${belowOf(sql`select query_id from data_query_results`)}
      select root from below where id = ${queryId})`)
}
