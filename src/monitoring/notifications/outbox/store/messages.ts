import { eq, lt, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../../db/lists.ts'
import { notifications } from '../../../../../db/tables/notifications.ts'
import type { Database, Write } from '../../../../ports/database.ts'
import type { Facts } from '../../texts/message.ts'
import type { Kind } from '../../texts/words.ts'

/** A due notice with the path of its object; null if the object was deleted. */
export type DueRow = {
  readonly id: number
  readonly changeId: number
  readonly alarmId: number
  readonly recipientId: number
  readonly userId: number
  readonly kind: Kind
  readonly step: number
  readonly dueAt: number
  readonly path: string | null
}

/** Due notices, by id for each addressee, without addressees that have an unfinished message. Each addressee has an equal
 * share: one whose notices wait for its rate limit does not keep others waiting. */
export function readDue(database: Database, now: number, limit: number): Promise<readonly DueRow[]> {
  return database.all<DueRow>(sql`
    select t.id as id, t.change_id as "changeId", t.alarm_id as "alarmId", t.recipient_id as "recipientId",
           t.user_id as "userId", t.kind as kind, t.step as step, t.due_at as "dueAt", o.path as path
    from (
      select w.*, row_number() over (partition by w.recipient_id, w.user_id order by w.id) as place
      from notices w where w.notification_id is null and w.due_at <= ${now}
        and not exists (select 1 from notifications n
          where n.recipient_id = w.recipient_id and n.user_id = w.user_id and n.next_at is not null)
      ) t left join objects o on o.id = t.object_id
    order by t.place, t.id limit ${limit}`)
}

/** When the next notice after an instant is due, and when the next message is tried; Infinity for none. */
export async function readNext(
  database: Database,
  after: number,
): Promise<{ readonly dueAt: number; readonly tryAt: number }> {
  const [row] = await database.all<{ dueAt: number | null; tryAt: number | null }>(sql`
    select (select min(due_at) from notices where notification_id is null and due_at > ${after}) as "dueAt",
           (select min(next_at) from notifications where next_at > ${after}) as "tryAt"`)
  return { dueAt: row?.dueAt ?? Infinity, tryAt: row?.tryAt ?? Infinity }
}

export type Addressed = { readonly recipientId: number; readonly userId: number }

/** When messages to these addressees were created after an instant. */
export function readMade(
  database: Database,
  addressees: readonly Addressed[],
  after: number,
): Promise<readonly (Addressed & { readonly createdAt: number })[]> {
  return database.all(sql`
    select n.recipient_id as "recipientId", n.user_id as "userId", n.created_at as "createdAt"
    from ${eachOf(addressees)} a cross join notifications n
      on n.recipient_id = a.value ->> 'recipientId' and n.user_id = a.value ->> 'userId' and n.created_at > ${after}
    order by n.created_at desc`)
}

export type NewMessage = {
  readonly key: string
  readonly recipientId: number
  readonly userId: number
  readonly createdAt: number
  readonly giveUpAt: number
  readonly noticeIds: readonly number[]
}

/** Creates a message from waiting notices. */
export function insertMessage(database: Database, { noticeIds, ...message }: NewMessage): Write[] {
  return [
    database
      .insert(notifications)
      .values({ ...message, status: 'waiting', attempts: 0, nextAt: message.createdAt, detail: '' }),
    database.run(sql`
      update notices set notification_id = (select id from notifications where key = ${message.key})
      where notification_id is null and id in ${elementsOf(noticeIds)}`),
  ]
}

/** Adds the next reminder for each of these notices. */
export function insertReminders(
  database: Database,
  reminders: readonly { readonly afterId: number; readonly dueAt: number }[],
): Write {
  return database.run(sql`
    insert or ignore into notices (change_id, alarm_id, object_id, recipient_id, user_id, kind, step, due_at, facts)
    select t.change_id, t.alarm_id, t.object_id, t.recipient_id, t.user_id, t.kind, t.step + 1, value ->> 'dueAt', t.facts
    from ${eachOf(reminders)} join notices t on t.id = value ->> 'afterId'`)
}

/** Postpones notices to an instant at which the addressee may be notified. */
export function postpone(database: Database, ids: readonly number[], dueAt: number): Write {
  return database.run(sql`
    update notices set due_at = ${dueAt}
    where notification_id is null and id in ${elementsOf(ids)}`)
}

export function dropThese(database: Database, ids: readonly number[]): Write {
  return database.run(sql`
    delete from notices where notification_id is null and id in ${elementsOf(ids)}`)
}

/** A message to send. */
export type DueMessage = {
  readonly id: number
  readonly key: string
  readonly recipientId: number
  readonly userId: number
  readonly attempts: number
  readonly createdAt: number
  readonly giveUpAt: number
}

/** Due messages without those with some ids; first attempts come first. */
export function readMessages(
  database: Database,
  now: number,
  { except, limit }: { readonly except: readonly number[]; readonly limit: number },
): Promise<readonly DueMessage[]> {
  return database.all<DueMessage>(sql`
    select id as id, key as key, recipient_id as "recipientId", user_id as "userId", attempts as attempts,
           created_at as "createdAt", give_up_at as "giveUpAt"
    from notifications where next_at <= ${now} and id not in ${elementsOf(except)}
    order by attempts > 0, next_at, id limit ${limit}`)
}

export type ToldRow = { readonly notificationId: number; readonly kind: Kind; readonly facts: Facts }

/** The notices of messages, in order of the changes. */
export async function readNoticesOf(database: Database, ids: readonly number[]): Promise<readonly ToldRow[]> {
  const rows = await database.all<{ notificationId: number; kind: Kind; facts: string }>(sql`
    select t.notification_id as "notificationId", t.kind as kind, t.facts as facts
    from ${eachOf(ids)} wanted cross join notices t on t.notification_id = wanted.value order by t.id`)
  return rows.map((row) => ({ ...row, facts: JSON.parse(row.facts) as Facts }))
}

/** Counts an attempt before it begins, with the time of the next one in case this one has no result. */
export function noteAttempts(
  database: Database,
  attempts: readonly { readonly id: number; readonly nextAt: number }[],
): Write {
  return database.run(sql`
    update notifications set attempts = attempts + 1,
      next_at = (select value ->> 'nextAt' from ${eachOf(attempts)} where value ->> 'id' = notifications.id)
    where id in (select value ->> 'id' from ${eachOf(attempts)})`)
}

/** Stores the final result of a message. */
export function finish(
  database: Database,
  id: number,
  end: { readonly status: 'sent' | 'dead'; readonly detail: string; readonly finishedAt: number },
): Write {
  return database
    .update(notifications)
    .set({ ...end, nextAt: null })
    .where(eq(notifications.id, id))
}

/** Schedules the next attempt of a message. */
export function retry(
  database: Database,
  id: number,
  again: { readonly detail: string; readonly nextAt: number },
): Write {
  return database.update(notifications).set(again).where(eq(notifications.id, id))
}

/** Deletes messages that were sent or failed before an instant, with their notices. */
export function removeOld(database: Database, before: number): Write {
  return database.delete(notifications).where(lt(notifications.finishedAt, before))
}
