import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import type { Database, Write } from '../../../ports/database.ts'

/** The jobs that the action has to stop or to start. */
export async function findJobsToChange(
  database: Database,
  ids: readonly number[],
  stopped: boolean,
): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    select jobs.id as id from ${eachOf(ids)} wanted
    cross join jobs on jobs.id = wanted.value where jobs.stopped <> ${Number(stopped)} order by wanted.key`)
  return rows.map(({ id }) => id)
}

/** Stops or starts jobs, with other writes in the same commit. @returns the ids of the jobs that exist */
export async function commitStopped(
  database: Database,
  ids: readonly number[],
  { stopped, writes }: { readonly stopped: boolean; readonly writes: readonly Write[] },
): Promise<ReadonlySet<number>> {
  const [rows] = await database.batch([
    database.all<{ id: number }>(sql`
      update jobs set stopped = ${Number(stopped)}
      where id in ${elementsOf(ids)} returning id`),
    ...writes,
  ])
  return new Set((rows as { id: number }[]).map(({ id }) => id))
}
