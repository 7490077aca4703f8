import { sql } from 'drizzle-orm'
import { eachOf, partsOf } from '../../../../../db/lists.ts'
import { idsOfPath } from '../../../../../db/paths.ts'
import { durationMs, isFixedDuration } from '../../../../lib/duration.ts'
import { isNotNullViolation } from '../../../../ports/database.ts'
import type { Database, Write } from '../../../../ports/database.ts'
import { readLimitNews } from '../../../states/limit-news.ts'
import type { Facts } from '../../texts/message.ts'
import type { Kind } from '../../texts/words.ts'
import type { AlarmChangeToNotify, NewNotice, PastNotice, Plan } from '../plan.ts'

/** An alarm change with the current data of the alarm. */
export type ChangeRow = AlarmChangeToNotify & {
  readonly state: string
  /** The last change whose notices were created. */
  readonly afterId: number
  /** Null if the alarm has no link any more, or its link has no recipient. */
  readonly recipientId: number | null
  /** The events of the link; null if it was deleted. */
  readonly events: readonly string[] | null
  /** Null if the object was deleted. */
  readonly path: string | null
  readonly facts: Facts | null
}

type Raw = Omit<ChangeRow, 'details' | 'facts' | 'events'> & {
  readonly events: string | null
  readonly details: string
  readonly objectId: number
  readonly objectType: string | null
  readonly objectName: string
  readonly objectPath: string
  readonly worstState: string
  readonly message: string | null
  readonly beginAt: number
  readonly endAt: number | null
  readonly silentSinceAt: number | null
  readonly timeout: string | null
  /** The definitions of the numbers of a job, as JSON. */
  readonly numbers: string | null
}

/** Alarm changes since the last one whose notices were created, in order. */
export async function readChanges(database: Database, limit: number): Promise<readonly ChangeRow[]> {
  const rows = await database.all<Raw>(sql`
    select c.id as id, c.alarm_id as "alarmId", c.at as at, c.kind as kind, c.state as state, c.details as details,
           l.recipient_id as "recipientId", l.events as events, o.path as path, c.object_id as "objectId", o.type as "objectType",
           coalesce(o.name, '') as "objectName", coalesce((select group_concat(name, '/') from (
             select above.name as name from ${idsOfPath('o.path')} step
               join objects above on above.id = step.value order by step.key)), '') as "objectPath",
           coalesce(a.worst_state, c.state) as "worstState", a.message as message, coalesce(a.begin_at, c.at) as "beginAt",
           a.end_at as "endAt", a.silent_since_at as "silentSinceAt", j.parameters ->> 'timeout' as timeout, j.parameters ->> 'returnValue' as numbers,
           coalesce((select change_id from notice_progress where id = 1), 0) as "afterId"
    from alarm_changes c left join alarm_links l on l.id = c.link_id left join alarms a on a.id = c.alarm_id
      left join objects o on o.id = c.object_id left join jobs j on j.id = c.object_id
    where c.id > coalesce((select change_id from notice_progress where id = 1), 0) order by c.id limit ${limit}`)
  return rows.map((row) => ({ ...row, ...parsedColumns(row) }))
}

function parsedColumns(row: Raw): Pick<ChangeRow, 'details' | 'facts' | 'events'> {
  const events = row.events === null ? null : (JSON.parse(row.events) as string[])
  const details = JSON.parse(row.details) as ChangeRow['details']
  const { alarmId, objectId, objectType, objectName, state, worstState, beginAt } = row
  if (objectType === null) return { details, events, facts: null }
  const object = { objectId, objectType, objectName, objectPath: `/${row.objectPath}` }
  const { timeout } = row
  const timeoutMs = timeout !== null && isFixedDuration(timeout) ? durationMs(timeout) : null
  const silence = { silentSinceAt: row.silentSinceAt, timeoutMs }
  const facts = { ...object, alarmId, state, worstState, beginAt, ...silence, ...messageOf(row) }
  // Notices from before the end show the alarm without its end.
  return { details, events, facts: { ...facts, endAt: row.kind === 'closed' ? row.endAt : null } }
}

/** The message of an alarm, with the name and unit of the value that it is about. */
function messageOf({ message, numbers }: Raw): Pick<Facts, 'message' | 'value'> {
  const news = message === null || numbers === null ? null : readLimitNews(message)
  if (news === null) return { message: message ?? '' }
  const defined = JSON.parse(numbers ?? '[]') as readonly { valueName?: string; valueUnit?: string }[]
  const { valueName = news.key, valueUnit = '' } =
    defined[Number(news.key.replace('returnValue', '')) - 1] ?? {}
  return { message: message ?? '', value: { name: valueName, unit: valueUnit } }
}

/** Sent and waiting notices, by alarm. */
export async function readPast(
  database: Database,
  alarmIds: readonly number[],
): Promise<ReadonlyMap<number, readonly PastNotice[]>> {
  const rows = await database.all<{
    alarmId: number
    recipientId: number
    userId: number
    kind: Kind
    dueAt: number
    isTaken: number
    facts: string
  }>(sql`
    select t.alarm_id as "alarmId", t.recipient_id as "recipientId", t.user_id as "userId", t.kind as kind,
           t.due_at as "dueAt", t.notification_id is not null as "isTaken", t.facts as facts
    from ${eachOf(alarmIds)} wanted cross join notices t on t.alarm_id = wanted.value order by t.id`)
  const past = new Map<number, PastNotice[]>()
  for (const { alarmId, isTaken, facts, ...row } of rows) {
    const list = past.get(alarmId) ?? []
    list.push({ ...row, isTaken: isTaken === 1, facts: JSON.parse(facts) as Facts })
    past.set(alarmId, list)
  }
  return past
}

/** Inserts notices; existing ones stay unchanged. */
export function insertNotices(database: Database, notices: readonly NewNotice[]): Write[] {
  return partsOf(notices).map((part) =>
    database.run(sql`
      insert or ignore into notices
        (change_id, alarm_id, object_id, recipient_id, user_id, kind, step, due_at, facts)
      select value ->> 'changeId', value ->> 'alarmId', value ->> '$.facts.objectId', value ->> 'recipientId',
             value ->> 'userId', value ->> 'kind', value ->> 'step', value ->> 'dueAt', value -> 'facts'
      from ${eachOf(part)} where exists (
        select 1 from alarm_recipients r where r.id = value ->> 'recipientId')`),
  )
}

/** Drops waiting notices of alarms: all except those that explain why notifications stop, or those that are due after
 * an instant. */
export function dropNotices(
  database: Database,
  dropped: readonly { readonly alarmId: number; readonly at: number; readonly which: Plan['dropped'] }[],
): Write {
  return database.run(sql`
    delete from notices where notification_id is null and id in (
      select t.id from ${eachOf(dropped)} d cross join notices t on t.alarm_id = d.value ->> 'alarmId'
      where t.notification_id is null and (d.value ->> 'which' = 'all' and t.kind <> 'flapping' or t.due_at > d.value ->> 'at'))`)
}

/** Stores the last change whose notices were created. The commit fails, as `isOvertaken` recognises, when another
 * process has created notices in the meantime. */
export function saveProgress(
  database: Database,
  { from, to }: { readonly from: number; readonly to: number },
): Write {
  return database.run(sql`
    insert into notice_progress (id, change_id) values (1, ${to})
    on conflict (id) do update set change_id = case when change_id = ${from} then excluded.change_id end`)
}

/** Whether a commit failed because another process has created notices in the meantime. */
export function isOvertaken(error: unknown): boolean {
  return isNotNullViolation(error, 'notice_progress.change_id')
}
