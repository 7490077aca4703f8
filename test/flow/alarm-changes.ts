import { sql } from 'drizzle-orm'

import type { AlarmChange, ChangeKind } from '../../src/monitoring/alarms/alarm.ts'
import type { Database } from '../../src/ports/database.ts'
import type { Level } from '../../src/domain/state.ts'

/** One thing that happened to an alarm. */
type ChangeRow = {
  /** Ascends in the order in which changes were kept. */
  readonly id: number
  readonly alarmId: number
  readonly version: number
  readonly objectId: number
  readonly linkId: number
  readonly at: number
  readonly kind: ChangeKind
  readonly state: Level
  /** Without how the alarm stands where the alarm went with its object or link: then `reason` is `deleted` or `unlinked`. */
  readonly details: Partial<AlarmChange['details']>
}

/** The events of alarms after a change, in the order in which they were stored; at most `limit`. */
export async function changesAfter(
  database: Database,
  id: number,
  limit: number,
): Promise<readonly ChangeRow[]> {
  const rows = await database.all<Omit<ChangeRow, 'details'> & { details: string }>(sql`
    select id as id, alarm_id as "alarmId", version as version, object_id as "objectId", link_id as "linkId", at as at,
           kind as kind, state as state, details as details
    from alarm_changes where id > ${id} order by id limit ${limit}`)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as ChangeRow['details'] }))
}
