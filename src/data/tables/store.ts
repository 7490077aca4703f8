import { and, asc, eq, getTableColumns, inArray, isNotNull, lte, notInArray, or, sql } from 'drizzle-orm'
import { elementsOf } from '../../../db/lists.ts'
import { backupRows, HELD_GENERATIONS } from '../../../db/tables/backups.ts'
import { dataQueryResults } from '../../../db/tables/queries.ts'
import { dataGenerations, dataRefreshes, dataTables } from '../../../db/tables/sources.ts'
import type { Column } from '../../domain/table.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'

export type TableRow = Omit<typeof dataTables.$inferSelect, 'columns'> & {
  readonly columns: readonly Column[]
}

type OpenedRow = TableRow & { readonly isRefreshed: number }
const IS_REFRESHED = sql<number>`exists (select 1 from data_refreshes where table_id = data_tables.id)`

export type TableChange = Pick<TableRow, 'dataSourceId' | 'name' | 'columns' | 'generationId' | 'rows'>

/** The tables of a data source, by name. */
export async function listTables(database: Database, dataSourceId: number): Promise<OpenedRow[]> {
  const rows = await database
    .select({ ...getTableColumns(dataTables), isRefreshed: IS_REFRESHED })
    .from(dataTables)
    .where(eq(dataTables.dataSourceId, dataSourceId))
    .orderBy(sql`${dataTables.name} collate nocase`)
  return rows as OpenedRow[]
}

export type RefreshRow = typeof dataRefreshes.$inferSelect

/** The refreshes of the tables of a data source. */
export function listRefreshes(
  database: Database,
  dataSourceId: number,
): Promise<{ readonly table: string; readonly refresh: RefreshRow }[]> {
  return database
    .select({ table: dataTables.name, refresh: dataRefreshes })
    .from(dataRefreshes)
    .innerJoin(dataTables, eq(dataTables.id, dataRefreshes.tableId))
    .where(eq(dataTables.dataSourceId, dataSourceId))
}

/** A table by its name in any letter case. */
export async function findTable(
  database: Database,
  dataSourceId: number,
  name: string,
): Promise<OpenedRow | null> {
  const isThis = and(
    eq(dataTables.dataSourceId, dataSourceId),
    sql`${dataTables.name} = ${name} collate nocase`,
  )
  const [row] = await database
    .select({ ...getTableColumns(dataTables), isRefreshed: IS_REFRESHED })
    .from(dataTables)
    .where(isThis)
  return row ? { ...row, columns: row.columns as readonly Column[] } : null
}

/** Makes a generation that is deleted at this time unless a table gets it. @returns its id */
export async function insertGeneration(
  database: Database,
  row: { readonly dataSourceId: number; readonly dropAt: number },
): Promise<number> {
  const [made] = await database.insert(dataGenerations).values(row).returning({ id: dataGenerations.id })
  if (!made) throw new Error('The generation was not stored')
  return made.id
}

/** Adds a table. The commit fails, as `isUniqueViolation` recognises, where the source has one of this name, and as `hasNoSource`
 * recognises, where the source does not exist or is a database. */
export function insertTable(database: Database, change: TableChange, at: number): Write {
  const dataSourceId = sql`(select id from data_sources where id = ${change.dataSourceId} and type = 'csv')`
  return database
    .insert(dataTables)
    .values({ ...change, dataSourceId, version: 1, createdAt: at, updatedAt: at })
}

export function hasNoSource(error: unknown): boolean {
  return isNotNullViolation(error, 'data_tables.data_source_id')
}

/** Gives a table other contents. */
export function updateTable(
  database: Database,
  { id, version }: Pick<TableRow, 'id' | 'version'>,
  change: TableChange & { readonly updatedAt: number },
): Write {
  return database
    .update(dataTables)
    .set({ ...change, version: version + 1 })
    .where(eq(dataTables.id, id))
}

export function deleteTable(database: Database, id: number): Write {
  return database.delete(dataTables).where(eq(dataTables.id, id))
}

/** Keeps a generation for a table. The commit fails, as `isChanged` recognises, unless the table that gets other contents is at
 * this version.
 * @param table null for a new table */
export function claimGeneration(
  database: Database,
  id: number,
  table: Pick<TableRow, 'id' | 'version'> | null,
): Write {
  const isThere = table
    ? sql`exists (select 1 from data_tables where id = ${table.id} and version = ${table.version})`
    : sql`true`
  const dataSourceId = sql`case when ${isThere} then ${dataGenerations.dataSourceId} end`
  return database
    .update(dataGenerations)
    .set({ dropAt: null, dataSourceId })
    .where(eq(dataGenerations.id, id))
}

type Names = { readonly sourceId: number; readonly names: readonly string[] }

const markOf = ({ sourceId, names }: Names) => sql`(
  select coalesce(group_concat(name || ' ' || columns, char(10)), '') from (
    select name, columns from data_tables
    where data_source_id = ${sourceId} and name in ${elementsOf(names)}
    order by id))`

/** The names and columns of tables, as one text. */
export async function tablesMark(database: Database, tables: Names): Promise<string> {
  const [row] = await database.all<{ mark: string }>(sql`select ${markOf(tables)} as mark`)
  return row?.mark ?? ''
}

/** Fails, as `areTablesChanged` recognises, if tables have another mark. */
export function requireTables(database: Database, tables: Names, mark: string): Write {
  return database.run(sql`
    update data_tables set version = null
    where data_source_id = ${tables.sourceId} and ${markOf(tables)} <> ${mark}`)
}

export function areTablesChanged(error: unknown): boolean {
  return isNotNullViolation(error, 'data_tables.version')
}

/** Whether a commit failed because a table had changed or was deleted. */
export function isChanged(error: unknown): boolean {
  return isNotNullViolation(error, 'data_generations.data_source_id')
}

/** Sets when a generation is deleted. */
export function setDrop(database: Database, id: number, dropAt: number): Write {
  return database.update(dataGenerations).set({ dropAt }).where(eq(dataGenerations.id, id))
}

/** Sets when a generation is deleted, unless a table has it. */
export function setDropUnused(database: Database, id: number, dropAt: number): Write {
  const isUnused = and(eq(dataGenerations.id, id), isNotNull(dataGenerations.dropAt))
  return database.update(dataGenerations).set({ dropAt }).where(isUnused)
}

/** Sets when the generations of all tables of a data source are deleted, and the generations of results of data queries
 * that read it. */
export function dropAllOf(database: Database, dataSourceId: number, dropAt: number): Write {
  const own = database
    .select({ id: dataTables.generationId })
    .from(dataTables)
    .where(eq(dataTables.dataSourceId, dataSourceId))
  const results = database
    .select({ id: dataQueryResults.generationId })
    .from(dataQueryResults)
    .where(eq(dataQueryResults.dataSourceId, dataSourceId))
  const isOwn = or(inArray(dataGenerations.id, own), inArray(dataGenerations.id, results))
  return database.update(dataGenerations).set({ dropAt }).where(isOwn)
}

/** The generations that are due to be deleted and that no backup reads, the longest due first. */
export function listDue(database: Database, now: number, limit: number) {
  const held = database
    .select({ id: backupRows.place })
    .from(backupRows)
    .where(eq(backupRows.section, HELD_GENERATIONS))
  return database
    .select({ id: dataGenerations.id, dataSourceId: dataGenerations.dataSourceId })
    .from(dataGenerations)
    .where(and(lte(dataGenerations.dropAt, now), notInArray(dataGenerations.id, held)))
    .orderBy(asc(dataGenerations.dropAt))
    .limit(limit)
}

export function deleteGeneration(database: Database, id: number): Write {
  return database.delete(dataGenerations).where(eq(dataGenerations.id, id))
}
