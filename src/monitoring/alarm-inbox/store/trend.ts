import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Level } from '../../../domain/state.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'

/** The time in which an alarm was open, epoch ms; `endAt` is null until it closes. */
export type OpenSpan = {
  readonly objectId: number
  readonly worstState: Level
  readonly beginAt: number
  readonly endAt: number | null
}

/** At most `max` alarms that were open at some time of a range.
 * @param readable the condition that the caller may read the object `o` */
export function findOpenSpans(
  database: Database,
  readable: SQL,
  { beginAt, endAt }: Range,
  max: number,
): Promise<readonly OpenSpan[]> {
  const spans = (condition: SQL) => sql`select a.object_id as "objectId", a.worst_state as "worstState",
      a.begin_at as "beginAt", a.end_at as "endAt"
    from alarms a cross join objects o on o.id = a.object_id
    where ${condition} and a.begin_at < ${endAt} and ${readable}`
  const [open, closed] = [sql`a.end_at is null`, sql`a.end_at >= ${beginAt}`]
  return database.all<OpenSpan>(sql`${spans(open)} union all ${spans(closed)} limit ${max}`)
}

export type AlarmCounts = {
  readonly unacknowledged: number
  readonly acknowledged: number
  readonly suppressed: number
}

/** The alarms that are not closed. @param readable as for `findOpenSpans` */
export async function countOpen(database: Database, readable: SQL): Promise<AlarmCounts> {
  const [counts] = await database.all<AlarmCounts>(
    sql`select count(*) filter (where a.suppressed_by is null and a.status = 'open') as unacknowledged,
        count(*) filter (where a.suppressed_by is null and a.status = 'assigned') as acknowledged,
        count(a.suppressed_by) as suppressed
      from alarms a cross join objects o on o.id = a.object_id
      where a.status in ('open', 'assigned') and ${readable}`,
  )
  return counts ?? { unacknowledged: 0, acknowledged: 0, suppressed: 0 }
}
