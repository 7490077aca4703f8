import { sql } from 'drizzle-orm'
import type { Database } from '../../../ports/database.ts'

export type NamedQuery = {
  readonly id: number
  readonly name: string
  readonly published: number
  /** Whether dashboards show its results to users who may not run it. */
  readonly isAccessible: boolean
  readonly parameters: string[]
}
type QueryRow = Omit<NamedQuery, 'isAccessible' | 'parameters'> & {
  readonly isAccessible: number
  readonly parameters: string
}

/** The names of the parameters of data queries: of the published version, or of the draft of an unpublished one. */
export async function readQueries(database: Database, ids: readonly number[]): Promise<NamedQuery[]> {
  const rows = await database.all<QueryRow>(sql`
    select q.id as "id", q.name as "name", q.published as "published", q.is_accessible as "isAccessible",
      coalesce(v.parameters, q.parameters) as "parameters"
    from data_queries q left join data_query_versions v on v.query_id = q.id and v.number = q.published
    where q.id in (select value from json_each(${JSON.stringify(ids)}))`)
  return rows.map((row) => ({
    ...row,
    isAccessible: row.isAccessible === 1,
    parameters: (JSON.parse(row.parameters) as { name: string }[]).map(({ name }) => name),
  }))
}

/** The names of scripts, and the media types that they accept. */
export async function readScripts(
  database: Database,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly name: string; readonly acceptedFiles: string[] }[]> {
  const rows = await database.all<{ id: number; name: string; acceptedFiles: string }>(sql`
    select id as "id", name as "name", accepted_files as "acceptedFiles" from scripts
    where id in (select value from json_each(${JSON.stringify(ids)}))`)
  return rows.map((row) => ({ ...row, acceptedFiles: JSON.parse(row.acceptedFiles) as string[] }))
}
