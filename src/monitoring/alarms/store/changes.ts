import { sql } from 'drizzle-orm'
import { isWithin } from '../../../../db/paths.ts'
import type { Database, Write } from '../../../ports/database.ts'

/** Records that the open alarms of an object that is about to be deleted, and of the objects below it, are closed; the
 * alarms are deleted with their objects. Must stand before the deletion in the same commit. */
export function closeBelow(database: Database, path: string, at: number): Write[] {
  const below = sql`from objects o cross join alarms a on a.object_id = o.id and a.end_at is null
    where ${isWithin('o.path', path)}`
  return [
    database.run(sql`
      insert into alarm_changes (alarm_id, version, object_id, link_id, at, kind, state, details)
      select a.id, a.version + 1, a.object_id, a.link_id, ${at}, 'closed', a.state, json_object('reason', 'deleted',
        'isSilent', json('true'), 'status', 'closed', 'heldReason', null, 'suppressedBy', null, 'assigneeId',
        a.assignee_id, 'beginAt', a.begin_at, 'endAt', cast(${at} as integer), 'objectType', o.type, 'objectName', o.name)
      ${below}`),
    database.run(sql`update alarms set is_unexplained = 1 where end_at is null
      and suppressed_by in (select a.id ${below})`),
  ]
}

const KEPT_MS = 400 * 86_400_000
const REMOVED_AT_ONCE = 1_000
const LOOKED_AT_ONCE = 5_000

/** Removes some alarms that were closed more than 400 days ago with their comments, and changes of deleted alarms of
 * the same age. */
export async function deleteOldChanges(database: Database, now: number): Promise<void> {
  const untilAt = now - KEPT_MS
  await database.run(sql`
    delete from alarms where id in (
      select id from alarms where end_at < ${untilAt} order by end_at limit ${REMOVED_AT_ONCE})`)
  await database.run(sql`
    delete from alarm_changes where id in (
      select c.id from (select id, alarm_id, at from alarm_changes order by id limit ${LOOKED_AT_ONCE}) c
      where c.at < ${untilAt} and not exists (select 1 from alarms a where a.id = c.alarm_id))`)
}
