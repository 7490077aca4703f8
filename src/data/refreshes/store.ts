import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { dataRefreshes, dataTables } from '../../../db/tables/sources.ts'
import type { Column } from '../../domain/table.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Filter } from '../filters/filter.ts'
import type { PreviewBody } from '../imports/schema.ts'

/** From where the rows of a table come. */
export type Origin = ForeignOrigin | ScriptOrigin

/** The table of a database whose rows are copied. */
export type ForeignOrigin = {
  readonly kind: 'foreign'
  readonly dataSourceId: number
  readonly table: string
  readonly isView: boolean
  readonly columns: readonly Column[]
  readonly filter: Filter | null
}

/** A file that each run of a script leaves. */
export type ScriptOrigin = {
  readonly kind: 'script'
  readonly scriptId: number
  readonly runConfigurationId: number | null
  /** The name of the file. */
  readonly output: string
  readonly file: PreviewBody['file']
  readonly values: PreviewBody['values']
  /** The columns of the table, and the names of the columns of the file. */
  readonly columns: readonly SourcedColumn[]
  /** The user in whose name the script runs. */
  readonly userId: number
}

type SourcedColumn = {
  readonly source: string
  readonly name: string
  readonly type: Exclude<Column['type'], 'binary'>
}

export type RefreshError = { readonly code: string; readonly detail: string }

export type RefreshRow = Omit<typeof dataRefreshes.$inferSelect, 'origin' | 'error'> & {
  readonly origin: Origin
  readonly error: RefreshError | null
}

export type Definition = Pick<RefreshRow, 'origin' | 'everyMs' | 'nextAt'>

const NO_ERROR = sql`'null'`

export async function findRefresh(database: Database, tableId: number): Promise<RefreshRow | null> {
  const [row] = await database.select().from(dataRefreshes).where(eq(dataRefreshes.tableId, tableId))
  return (row as RefreshRow | undefined) ?? null
}

/** Gives a refresh to the table of this name, in the commit that makes it. */
export function insertRefresh(
  database: Database,
  { sourceId, table }: { readonly sourceId: number; readonly table: string },
  { origin, everyMs, nextAt }: Definition,
): Write {
  return database.run(sql`
    insert into data_refreshes (table_id, origin, every_ms, next_at, failures, error, version)
    select id, ${JSON.stringify(origin)}, ${everyMs}, ${nextAt}, 0, 'null', 1 from data_tables
    where data_source_id = ${sourceId} and name = ${table} collate nocase`)
}

/** Replaces a definition that is at this version. The commit fails, as `isOther` knows, where it is not. */
export function updateRefresh(
  database: Database,
  { tableId, version }: Pick<RefreshRow, 'tableId' | 'version'>,
  change: Definition,
): Write {
  const next = sql`case when ${dataRefreshes.version} = ${version} then ${version + 1} end`
  return database
    .update(dataRefreshes)
    .set({ ...change, version: next })
    .where(eq(dataRefreshes.tableId, tableId))
}

export function deleteRefresh(database: Database, tableId: number): Write {
  return database.delete(dataRefreshes).where(eq(dataRefreshes.tableId, tableId))
}

/** Whether a commit failed because a definition or a lease was another one. */
export function isOther(error: unknown): boolean {
  return isNotNullViolation(error, 'data_refreshes.version')
}

export type Lease = { readonly tableId: number; readonly token: string }
type Until = { readonly now: number; readonly until: number }

/** Takes the lease of a refresh.
 * @param isDue whether only one that is due is taken: another process may have done it meanwhile
 * @returns false while another process has it, or while `max` go on in all */
export async function takeLease(
  database: Database,
  { tableId, token }: Lease,
  { now, until, max, isDue }: Until & { readonly max: number; readonly isDue: boolean },
): Promise<boolean> {
  const due = isDue ? sql`next_at <= ${now}` : sql`true`
  const taken = await database.all(sql`
    update data_refreshes set lease = ${token}, lease_until_at = ${until}
    where table_id = ${tableId} and (lease_until_at is null or lease_until_at <= ${now}) and ${due}
      and (select count(*) from data_refreshes where lease_until_at > ${now}) < ${max}
    returning table_id`)
  return taken.length > 0
}

/** @returns false when the lease is lost */
export async function renewLease(
  database: Database,
  { tableId, token }: Lease,
  { now, until }: Until,
): Promise<boolean> {
  const kept = await database.all(sql`
    update data_refreshes set lease_until_at = ${until}
    where table_id = ${tableId} and lease = ${token} and lease_until_at > ${now} returning table_id`)
  return kept.length > 0
}

/** Gives a lease back, and nothing else. */
export function leaveLease(database: Database, lease: Lease): Write {
  return database.update(dataRefreshes).set({ lease: null, leaseUntilAt: null }).where(isHeld(lease))
}

/** Ends a refresh that succeeded. The commit fails, as `isOther` knows, when the lease is lost. */
export function finishRefresh(
  database: Database,
  { tableId, token }: Lease,
  { at, nextAt }: { readonly at: number; readonly nextAt: number | null },
): Write {
  const version = sql`case when lease = ${token} then version end`
  return database
    .update(dataRefreshes)
    .set({
      version,
      nextAt,
      refreshedAt: at,
      failures: 0,
      failedAt: null,
      error: NO_ERROR,
      lease: null,
      leaseUntilAt: null,
    })
    .where(eq(dataRefreshes.tableId, tableId))
}

/** Ends a refresh that failed, unless the lease is lost. */
export function failRefresh(
  database: Database,
  lease: Lease,
  {
    at,
    nextAt,
    error,
  }: { readonly at: number; readonly nextAt: number | null; readonly error: RefreshError },
): Write {
  const failures = sql`${dataRefreshes.failures} + 1`
  return database
    .update(dataRefreshes)
    .set({ nextAt, failures, failedAt: at, error, lease: null, leaseUntilAt: null })
    .where(isHeld(lease))
}

function isHeld({ tableId, token }: Lease): SQL | undefined {
  return and(eq(dataRefreshes.tableId, tableId), eq(dataRefreshes.lease, token))
}

/** Tables whose refresh is due and that no process refreshes, the longest due first. */
export function listDue(
  database: Database,
  now: number,
  limit: number,
): Promise<readonly { readonly dataSourceId: number; readonly name: string }[]> {
  const isFree = or(isNull(dataRefreshes.leaseUntilAt), lte(dataRefreshes.leaseUntilAt, now))
  return Promise.resolve(
    database
      .select({ dataSourceId: dataTables.dataSourceId, name: dataTables.name })
      .from(dataRefreshes)
      .innerJoin(dataTables, eq(dataTables.id, dataRefreshes.tableId))
      .where(and(lte(dataRefreshes.nextAt, now), isFree))
      .orderBy(asc(dataRefreshes.nextAt))
      .limit(limit),
  )
}

/** The tables whose latest refresh failed: how many, and one of them. */
export async function countFailed(
  database: Database,
): Promise<{ readonly count: number; readonly name: string | null }> {
  const [row] = await database.all<{ count: number; name: string | null }>(sql`
    select count(*) as "count", min(t.name) as "name" from data_refreshes r
    join data_tables t on t.id = r.table_id where r.failures > 0`)
  return row ?? { count: 0, name: null }
}
