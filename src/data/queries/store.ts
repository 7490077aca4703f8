import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { dataQueries, dataQueryVersions } from '../../../db/tables/queries.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Definition, ListQuery, Parameter } from './schema.ts'

export type QueryRow = Omit<typeof dataQueries.$inferSelect, 'parameters'> & {
  readonly parameters: Parameter[]
}
export type QueryChange = Pick<
  QueryRow,
  'name' | 'description' | 'dataSourceId' | 'text' | 'parameters' | 'updatedAt'
>
export type VersionRow = Omit<typeof dataQueryVersions.$inferSelect, 'parameters'> & {
  readonly parameters: Parameter[]
}

const { text: _text, parameters: _parameters, ...summary } = getTableColumns(dataQueries)

/** The data queries without their texts, by name. */
export function listQueries(
  database: Database,
  { search, dataSourceId }: ListQuery,
): Promise<Omit<QueryRow, 'text' | 'parameters'>[]> {
  const wanted = search?.normalize('NFC').toLowerCase()
  return database
    .select(summary)
    .from(dataQueries)
    .where(
      and(
        dataSourceId === undefined ? undefined : eq(dataQueries.dataSourceId, dataSourceId),
        wanted === undefined
          ? undefined
          : sql`(instr(lower(${dataQueries.name}), ${wanted}) or instr(lower(${dataQueries.description}), ${wanted}))`,
      ),
    )
    .orderBy(sql`${dataQueries.name} collate nocase`)
}

/** A data query by its id, or by its name in any letter case. */
export async function findQuery(database: Database, key: number | string): Promise<QueryRow | null> {
  const isThis =
    typeof key === 'number' ? eq(dataQueries.id, key) : sql`${dataQueries.name} = ${key} collate nocase`
  const [row] = await database.select().from(dataQueries).where(isThis)
  return (row as QueryRow | undefined) ?? null
}

/** Adds a data query. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertQuery(database: Database, row: Omit<QueryRow, 'id'>, max: number): Write {
  const createdAt = sql`case when (select count(*) from data_queries) < ${max} then ${row.createdAt} end`
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

export function deleteQuery(database: Database, id: number): Write {
  return database.delete(dataQueries).where(eq(dataQueries.id, id))
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
  readonly name: string
  /** Null for a data query that was never published. */
  readonly definition: Definition | null
}

/** The published versions of the data queries with these names. */
export async function listPublished(
  database: Database,
  names: readonly string[],
): Promise<readonly PublishedRow[]> {
  const { dataSourceId, text, parameters } = getTableColumns(dataQueryVersions)
  const isLatest = and(
    eq(dataQueryVersions.queryId, dataQueries.id),
    eq(dataQueryVersions.number, dataQueries.published),
  )
  const rows = await database
    .select({ name: dataQueries.name, definition: { dataSourceId, text, parameters } })
    .from(dataQueries)
    .leftJoin(dataQueryVersions, isLatest)
    .where(sql`${dataQueries.name} collate nocase in (select value from json_each(${JSON.stringify(names)}))`)
  return rows as readonly PublishedRow[]
}
