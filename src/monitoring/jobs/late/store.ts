import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../../db/lists.ts'
import { isWithin } from '../../../../db/paths.ts'
import type { State } from '../../../domain/state.ts'
import type { Database } from '../../../ports/database.ts'

/** Jobs at or below a path that are not stopped, the first in the order of their paths; and the path of the last. The ids
 * come as one text: as rows they would take five times as long.
 * @param want.after the path of the last job before the page; empty for the first page
 * @param want.readable a condition on the job, `o` */
export async function findRunning(
  database: Database,
  path: string,
  want: { readonly after: string; readonly limit: number; readonly readable: SQL },
): Promise<{ readonly ids: readonly number[]; readonly lastPath: string }> {
  const [row] = await database.all<{ ids: string; lastPath: string | null }>(sql`
    select json_group_array(id) as ids, max(path) as "lastPath" from (
      select o.id as id, o.path as path from objects o cross join jobs j on j.id = o.id
      where o.type = 'job' and ${isWithin('o.path', path)} and o.path > ${want.after}
        and not j.stopped and ${want.readable}
      order by o.path limit ${want.limit})`)
  return { ids: JSON.parse(row?.ids ?? '[]') as number[], lastPath: row?.lastPath ?? '' }
}

export type WaitingJob = {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly state: State
  /** 0 for a job without an interval. */
  readonly intervalMs: number
}

/** These jobs, by id; jobs that do not exist are missing. */
export async function readWaitingJobs(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, WaitingJob>> {
  const rows = await database.all<WaitingJob>(sql`
    select o.id as id, o.name as name, o.path as path, coalesce(s.state, 'undefined') as state, j.interval_ms as "intervalMs"
    from ${eachOf(ids)} w cross join objects o on o.id = w.value
      cross join jobs j on j.id = o.id left join states s on s.object_id = o.id`)
  return new Map(rows.map((row) => [row.id, row]))
}
