import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import { idOfPath } from '../../../db/paths.ts'
import { jobs, jobValues } from '../../../db/tables/jobs.ts'
import { builtOnce } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { FlappingLimits } from '../../domain/job-rules.ts'
import type { State } from '../../domain/state.ts'
import { foldCase } from '../../lib/text.ts'
import type { Parameters, ThresholdsBody } from '../job-config/schema.ts'

export type JobRow = {
  readonly interval: string
  readonly intervalMs: number
  readonly stopped: boolean
  readonly parameters: Parameters
  readonly thresholds: ThresholdsBody
  readonly forcedState: State | null
  readonly flapping: FlappingLimits | null
}

const jobById = builtOnce((database) =>
  database
    .select()
    .from(jobs)
    .where(eq(jobs.id, sql.placeholder('id')))
    .prepare(),
)

export async function findJob(database: Database, id: number): Promise<JobRow | null> {
  const [row] = await jobById(database).all({ id })
  return row ? (row as unknown as JobRow) : null
}

/** The given ids that belong to jobs. */
export async function readExistingIds(
  database: Database,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    select jobs.id as id from ${eachOf(ids)} as wanted
    cross join jobs on jobs.id = wanted.value`)
  return rows.map(({ id }) => id)
}

/** The ids of one page of jobs; page numbers wrap around. There are `pages` pages, unless that makes pages smaller than
 * `sizeMin` or larger than `sizeMax` ids. */
export async function readPageOfIds(
  database: Database,
  page: number,
  { pages, sizeMin, sizeMax }: { readonly pages: number; readonly sizeMin: number; readonly sizeMax: number },
): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    with whole as (
      select count(*) as total, cast(${pages} as integer) as pages, cast(${sizeMin} as integer) as size_min,
        cast(${sizeMax} as integer) as size_max from jobs),
    part as (select total, max(size_min, min(size_max, (total + pages - 1) / pages)) as size from whole)
    select id from jobs order by id limit (select size from part)
    offset (select size * (${page} % max(1, (total + size - 1) / size)) from part)`)
  return rows.map(({ id }) => id)
}

/** The parameters of these jobs, by id, without those that do not exist. @param readable a condition on the object, `o` */
export async function findParameters(
  database: Database,
  ids: readonly number[],
  readable: SQL,
): Promise<ReadonlyMap<number, Parameters>> {
  const rows = await database.all<{ id: number; parameters: string }>(sql`
    select jobs.id as id, parameters from ${eachOf(ids)} as wanted
    cross join objects o on o.id = wanted.value cross join jobs on jobs.id = o.id where ${readable}`)
  return new Map(rows.map(({ id, parameters }) => [id, JSON.parse(parameters) as Parameters]))
}

/** The id of the object with this path, for rows of an object that the same commit creates. */
export type ObjectId = { readonly path: string }

/** Writes the job's row and the names of its values. */
export function insertJob(database: Database, { path }: ObjectId, row: JobRow): readonly Write[] {
  const id = idOfPath(path)
  return [database.insert(jobs).values({ id, ...row }), insertValueNames(database, id, row.parameters)]
}

export function updateJob(database: Database, id: number, row: JobRow): readonly Write[] {
  return [
    database.update(jobs).set(row).where(eq(jobs.id, id)),
    database.delete(jobValues).where(eq(jobValues.jobId, id)),
    insertValueNames(database, sql`${id}`, row.parameters),
  ]
}

function insertValueNames(database: Database, id: ReturnType<typeof sql>, parameters: Parameters): Write {
  const names = [
    ...parameters.returnValue.map(({ valueName }, index) => ({
      key: `returnValue${index + 1}`,
      name: foldCase(valueName),
    })),
    ...parameters.stringValue.map(({ valueName }, index) => ({
      key: `stringValue${index + 1}`,
      name: foldCase(valueName),
    })),
  ]
  return database.run(sql`
    insert into job_values (job_id, key, name_folded)
    select ${id}, value ->> 'key', value ->> 'name' from ${eachOf(names)}`)
}
