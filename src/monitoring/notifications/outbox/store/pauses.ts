import { eq, sql } from 'drizzle-orm'
import { notificationPauses } from '../../../../../db/tables/notifications.ts'
import type { Database, Write } from '../../../../ports/database.ts'

const ONLY_ID = 1

/** Since when notifications are paused, epoch ms; null if they are not. */
export async function findPause(database: Database): Promise<number | null> {
  const [row] = await database.select().from(notificationPauses).where(eq(notificationPauses.id, ONLY_ID))
  return row?.sinceAt ?? null
}

/** Pauses notifications; an existing pause keeps its start. */
export function insertPause(database: Database, sinceAt: number): Write {
  return database.insert(notificationPauses).values({ id: ONLY_ID, sinceAt }).onConflictDoNothing()
}

/** Ends the pause, and gives up messages whose time is over and notices of closed alarms that were due before
 * `noticesFromAt`. */
export function endPause(
  database: Database,
  {
    now,
    noticesFromAt,
    detail,
  }: { readonly now: number; readonly noticesFromAt: number; readonly detail: string },
): Write[] {
  return [
    database.run(sql`update notifications set status = 'dead', next_at = null, finished_at = ${now}, detail = ${detail}
      where next_at is not null and give_up_at < ${now}`),
    database.run(sql`delete from notices where notification_id is null and due_at < ${noticesFromAt}
      and not exists (select 1 from alarms a where a.id = notices.alarm_id and a.end_at is null)`),
    database.delete(notificationPauses),
  ]
}

/** The number of waiting messages and notices. */
export async function countWaiting(database: Database): Promise<number> {
  const [row] = await database.all<{ total: number }>(sql`
    select (select count(*) from notifications where next_at is not null)
      + (select count(*) from notices where notification_id is null) as total`)
  return row?.total ?? 0
}
