import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import { dataRefreshes, dataTables } from '../../../db/tables/sources.ts'
import type { Column } from '../../domain/table.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Filter } from '../filters/filter.ts'
import type { PreviewBody } from '../imports/schema.ts'
import type { RefreshError } from './store/leases.ts'

/** The origin of the rows of a table. */
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

export type RefreshRow = Omit<typeof dataRefreshes.$inferSelect, 'origin' | 'error'> & {
  readonly origin: Origin
  readonly error: RefreshError | null
}

export type Definition = Pick<RefreshRow, 'origin' | 'everyMs' | 'nextAt'>

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

/** Replaces a definition that is at this version, and takes its lease away: a refresh that goes on notices it within a second.
 * The commit fails, as `isOther` recognises, where the definition is at another version. */
export function updateRefresh(
  database: Database,
  { tableId, version }: Pick<RefreshRow, 'tableId' | 'version'>,
  change: Definition,
): Write {
  const next = sql`case when ${dataRefreshes.version} = ${version} then ${version + 1} end`
  return database
    .update(dataRefreshes)
    .set({ ...change, version: next, lease: null, leaseUntilAt: null })
    .where(eq(dataRefreshes.tableId, tableId))
}

export function deleteRefresh(database: Database, tableId: number): Write {
  return database.delete(dataRefreshes).where(eq(dataRefreshes.tableId, tableId))
}

/** Whether a commit failed because a definition was at another version. */
export function isOther(error: unknown): boolean {
  return isNotNullViolation(error, 'data_refreshes.version')
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
