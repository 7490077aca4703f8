import { sql } from 'drizzle-orm'
import { eachOf } from '../../../../db/lists.ts'
import type { notifications } from '../../../../db/tables/notifications.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type Status = 'waiting' | 'sent' | 'dead'

export type NotificationRow = Omit<typeof notifications.$inferSelect, 'status'> & { readonly status: Status }

/** A message with the name of its recipient and the number of its notices. */
export type ListedRow = NotificationRow & { readonly recipientName: string; readonly notices: number }

export type NotificationPage = {
  readonly status?: Status | undefined
  readonly recipientId?: number | undefined
  readonly alarmId?: number | undefined
  readonly belowId?: number | undefined
}

const COLUMNS = sql.raw(`
  n.id as id, n.key as key, n.recipient_id as "recipientId", n.user_id as "userId", n.status as status,
  n.attempts as attempts, n.created_at as "createdAt", n.next_at as "nextAt", n.give_up_at as "giveUpAt",
  n.finished_at as "finishedAt", n.detail as detail, r.name as "recipientName",
  (select count(*) from notices where notification_id = n.id) as notices`)

/** Messages, latest first. */
export function listNotifications(
  database: Database,
  { status, recipientId, alarmId, belowId }: NotificationPage,
  limit: number,
): Promise<readonly ListedRow[]> {
  return database.all<ListedRow>(sql`
    select ${COLUMNS} from notifications n join alarm_recipients r on r.id = n.recipient_id
    where ${status === undefined ? sql`1` : sql`n.status = ${status}`}
      and ${recipientId === undefined ? sql`1` : sql`n.recipient_id = ${recipientId}`}
      and ${alarmId === undefined ? sql`1` : sql`n.id in (select notification_id from notices where alarm_id = ${alarmId})`}
      and ${belowId === undefined ? sql`1` : sql`n.id < ${belowId}`}
    order by n.id desc limit ${limit}`)
}

export async function findNotification(database: Database, id: number): Promise<ListedRow | null> {
  const [row] = await database.all<ListedRow>(sql`
    select ${COLUMNS} from notifications n join alarm_recipients r on r.id = n.recipient_id where n.id = ${id}`)
  return row ?? null
}

/** The number of sent and failed messages about an alarm. */
export type AlarmCounts = { readonly alarmId: number; readonly sent: number; readonly failed: number }

/** The counts for these alarms; alarms without sent or failed messages may be missing. */
export function countOfAlarms(
  database: Database,
  alarmIds: readonly number[],
): Promise<readonly AlarmCounts[]> {
  return database.all<AlarmCounts>(sql`
    select t.alarm_id as "alarmId", count(distinct case when n.status = 'sent' then n.id end) as sent,
           count(distinct case when n.status = 'dead' then n.id end) as failed
    from ${eachOf(alarmIds)} wanted cross join notices t on t.alarm_id = wanted.value
      cross join notifications n on n.id = t.notification_id
    group by t.alarm_id`)
}

/** Schedules a failed or waiting message again; does nothing if it was sent. */
export function reviveNotification(
  database: Database,
  id: number,
  { now, giveUpAt }: { readonly now: number; readonly giveUpAt: number },
): Write {
  return database.run(sql`
    update notifications set status = 'waiting', attempts = 0, next_at = ${now}, give_up_at = ${giveUpAt}, finished_at = null
    where id = ${id} and status <> 'sent'`)
}

/** The number of messages that wait to be sent. */
export async function countWaiting(database: Database): Promise<number> {
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from notifications where status = 'waiting'`,
  )
  return row?.total ?? 0
}

/** The number of messages that failed since an instant. */
export async function countDead(database: Database, since: number): Promise<number> {
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from notifications where finished_at >= ${since} and status = 'dead'`,
  )
  return row?.total ?? 0
}
