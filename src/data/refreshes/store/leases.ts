import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { isNotNullViolation } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type RefreshError = { readonly code: string; readonly detail: string }

/** A table whose rows are refreshed, or a data query whose result is. */
export type Subject = { readonly kind: 'table' | 'query'; readonly id: number }
export type Lease = Subject & { readonly token: string }
type Until = { readonly now: number; readonly until: number }

const PLACES: Readonly<Record<Subject['kind'], { readonly table: SQL; readonly key: SQL }>> = {
  table: { table: sql`data_refreshes`, key: sql`table_id` },
  query: { table: sql`data_query_results`, key: sql`query_id` },
}

const LOST = [
  'data_refreshes.version',
  'data_query_results.version',
  'data_generations.data_source_id',
] as const

/** Whether a commit failed because a lease was lost. */
export function isLost(error: unknown): boolean {
  return LOST.some((column) => isNotNullViolation(error, column))
}

/** Takes the lease of a refresh.
 * @param isDue whether only one that is due is taken: another process may have done it meanwhile
 * @returns false while another process has it, or while `max` go on in all */
export async function takeLease(
  database: Database,
  { kind, id, token }: Lease,
  { now, until, max, isDue }: Until & { readonly max: number; readonly isDue: boolean },
): Promise<boolean> {
  const { table, key } = PLACES[kind]
  const due = isDue ? sql`next_at <= ${now}` : sql`true`
  const taken = await database.all(sql`
    update ${table} set lease = ${token}, lease_until_at = ${until}
    where ${key} = ${id} and (lease_until_at is null or lease_until_at <= ${now}) and ${due}
      and (select count(*) from data_refreshes where lease_until_at > ${now})
        + (select count(*) from data_query_results where lease_until_at > ${now}) < ${max}
    returning ${key}`)
  return taken.length > 0
}

/** @returns false when the lease is lost */
export async function renewLease(
  database: Database,
  { kind, id, token }: Lease,
  { now, until }: Until,
): Promise<boolean> {
  const { table, key } = PLACES[kind]
  const kept = await database.all(sql`
    update ${table} set lease_until_at = ${until}
    where ${key} = ${id} and lease = ${token} and lease_until_at > ${now} returning ${key}`)
  return kept.length > 0
}

/** Whether a lease was not lost. */
export async function holdsLease(
  database: Database,
  { kind, id, token }: Lease,
  now: number,
): Promise<boolean> {
  const { table, key } = PLACES[kind]
  const held = await database.all(sql`
    select 1 from ${table} where ${key} = ${id} and lease = ${token} and lease_until_at > ${now}`)
  return held.length > 0
}

/** Gives a lease back, and nothing else. */
export function leaveLease(database: Database, { kind, id, token }: Lease): Write {
  const { table, key } = PLACES[kind]
  return database.run(
    sql`update ${table} set lease = null, lease_until_at = null where ${key} = ${id} and lease = ${token}`,
  )
}

/** Ends a refresh that succeeded. The commit fails, as `isLost` recognises, when the lease is lost. */
export function finishRefresh(
  database: Database,
  { kind, id, token }: Lease,
  { at, nextAt }: { readonly at: number; readonly nextAt: number | null },
): Write {
  const { table, key } = PLACES[kind]
  return database.run(sql`
    update ${table} set version = case when lease = ${token} then version end, next_at = ${nextAt},
      refreshed_at = ${at}, failures = 0, failed_at = null, error = 'null', lease = null, lease_until_at = null
    where ${key} = ${id}`)
}

/** Ends a refresh that failed, unless the lease is lost. */
export function failRefresh(
  database: Database,
  { kind, id, token }: Lease,
  {
    at,
    nextAt,
    error,
  }: { readonly at: number; readonly nextAt: number | null; readonly error: RefreshError },
): Write {
  const { table, key } = PLACES[kind]
  return database.run(sql`
    update ${table} set next_at = ${nextAt}, failures = failures + 1, failed_at = ${at},
      error = ${JSON.stringify(error)}, lease = null, lease_until_at = null
    where ${key} = ${id} and lease = ${token}`)
}

/** The refreshes that are due for so long, or whose latest run failed: how many, and the name of one of them. */
export async function countBehind(
  database: Database,
  state: { readonly kind: 'failed' } | { readonly kind: 'late'; readonly before: number },
): Promise<{ readonly count: number; readonly name: string | null }> {
  const isBehind = state.kind === 'failed' ? sql`failures > 0` : sql`next_at < ${state.before}`
  const [row] = await database.all<{ count: number; name: string | null }>(sql`
    select count(*) as "count", min(name) as "name" from (
      select t.name as name from data_refreshes r join data_tables t on t.id = r.table_id where ${isBehind}
      union all
      select q.name from data_query_results r join data_queries q on q.id = r.query_id where ${isBehind})`)
  return row ?? { count: 0, name: null }
}
