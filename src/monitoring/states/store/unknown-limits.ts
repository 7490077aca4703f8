import { asc, eq, sql } from 'drizzle-orm'
import { unknownLimits } from '../../../../db/tables/jobs.ts'
import type { Database } from '../../../ports/database.ts'

/** Records whether a job has a limit that is unknown. A job that does not exist any more is left out. */
export async function recordUnknownLimit(
  database: Database,
  jobId: number,
  { isUnknown, at }: { readonly isUnknown: boolean; readonly at: number },
): Promise<void> {
  if (isUnknown)
    await database.run(sql`insert into unknown_limits select id, cast(${at} as integer) from jobs where id = ${jobId}
      on conflict do nothing`)
  else await database.delete(unknownLimits).where(eq(unknownLimits.jobId, jobId))
}

/** The jobs that have a limit that is unknown, by ascending id. */
export async function listUnknownLimits(database: Database, limit: number): Promise<readonly number[]> {
  const rows = await database
    .select({ id: unknownLimits.jobId })
    .from(unknownLimits)
    .orderBy(asc(unknownLimits.jobId))
    .limit(limit)
  return rows.map(({ id }) => id)
}
