import { sql } from 'drizzle-orm'
import { eachOf } from '../../../../db/lists.ts'
import { unlessFull } from '../../../../db/row-limit.ts'
import { isNotNullViolation } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { Level, State } from '../../../domain/state.ts'
import type { HeldReason, Status } from '../../alarms/alarm.ts'
import type { ObjectType } from '../../tree/schema.ts'

/** An alarm with its object, as the interface shows it. */
export type DetailRow = {
  readonly id: number
  readonly status: Status
  readonly state: Level
  readonly worstState: Level
  readonly beginAt: number
  readonly endAt: number | null
  readonly wellSinceAt: number | null
  readonly reason: string
  readonly message: string | null
  readonly silentSinceAt: number | null
  readonly linkId: number
  readonly recipientId: number | null
  readonly assigneeId: number | null
  readonly assigneeName: string | null
  readonly assignedUntilAt: number | null
  readonly sticky: number
  readonly suppressedBy: number | null
  readonly heldReason: HeldReason | null
  readonly version: number
  readonly objectId: number
  readonly type: ObjectType
  readonly subType: string
  readonly name: string
  readonly path: string
  readonly runBy: number
  readonly objectState: State
  readonly isReason: number
}

/** Alarms with their objects, in the order of the ids. */
export function readDetails(database: Database, ids: readonly number[]): Promise<readonly DetailRow[]> {
  return database.all<DetailRow>(sql`
    select a.id as id, a.status as status, a.state as state, a.worst_state as "worstState", a.begin_at as "beginAt",
           a.end_at as "endAt", a.well_since_at as "wellSinceAt", a.reason as reason, a.message as message,
           a.silent_since_at as "silentSinceAt", a.link_id as "linkId", l.recipient_id as "recipientId",
           a.assignee_id as "assigneeId", coalesce(nullif(u.fullname, ''), u.username) as "assigneeName",
           a.assigned_until_at as "assignedUntilAt", a.sticky as sticky, a.suppressed_by as "suppressedBy",
           a.held_reason as "heldReason", a.version as version, o.id as "objectId", o.type as type,
           o.sub_type as "subType", o.name as name, o.path as path, coalesce(s.state, 'undefined') as "objectState",
           case when o.type = 'job' and o.collector_id = 0 then p.collector_id else o.collector_id end as "runBy",
           coalesce(slo.is_reason, 0) as "isReason"
    from ${eachOf(ids)} wanted cross join alarms a on a.id = wanted.value
      join objects o on o.id = a.object_id left join objects p on p.id = o.parent_id
      left join states s on s.object_id = o.id left join slos slo on slo.id = o.id
      left join alarm_links l on l.id = a.link_id left join users u on u.id = a.assignee_id
    order by wanted.key`)
}

export type PropertyRow = {
  readonly objectId: number
  readonly id: number
  readonly key: string
  readonly value: string
}

/** The properties of objects, by key. */
export function readPropertiesOf(
  database: Database,
  objectIds: readonly number[],
): Promise<readonly PropertyRow[]> {
  return database.all<PropertyRow>(sql`
    select p.object_id as "objectId", p.id as id, p.key as key, p.value as value
    from ${eachOf(objectIds)} wanted cross join properties p on p.object_id = wanted.value
    order by p.object_id, p.key`)
}

export type CommentRow = {
  readonly alarmId: number
  readonly id: number
  readonly userId: number
  readonly name: string | null
  readonly text: string
  readonly createdAt: number
  /** The number of all comments of the alarm. */
  readonly total: number
}

/** The latest comments of each alarm, at most `limit` of each, in order of creation. */
export function readComments(
  database: Database,
  alarmIds: readonly number[],
  limit: number,
): Promise<readonly CommentRow[]> {
  return database.all<CommentRow>(sql`
    select * from (
      select c.alarm_id as "alarmId", c.id as id, c.user_id as "userId",
             coalesce(nullif(u.fullname, ''), u.username) as name, c.text as text, c.created_at as "createdAt",
             count(*) over (partition by c.alarm_id) as total,
             row_number() over (partition by c.alarm_id order by c.id desc) as place
      from ${eachOf(alarmIds)} wanted cross join alarm_comments c on c.alarm_id = wanted.value
        left join users u on u.id = c.user_id)
    where place <= ${limit} order by id`)
}

/** The number of comments of each alarm; alarms without comments are missing. */
export async function countComments(
  database: Database,
  alarmIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await database.all<{ id: number; total: number }>(sql`
    select c.alarm_id as id, count(*) as total
    from ${eachOf(alarmIds)} wanted cross join alarm_comments c on c.alarm_id = wanted.value
    group by c.alarm_id`)
  return new Map(rows.map(({ id, total }) => [id, total]))
}

export type NewComment = Pick<CommentRow, 'userId' | 'text' | 'createdAt'>
export type StoredComment = Pick<CommentRow, 'id' | 'name'>

/** Adds a comment to each of these alarms, and returns the id and the name of the author. The commit fails, as `isFull`
 * recognises, when one of them has `max` comments. */
export function insertComments(
  database: Database,
  alarmIds: readonly number[],
  { comment: { userId, text, createdAt }, max }: { readonly comment: NewComment; readonly max: number },
): Write {
  const rows = sql`select 1 from alarm_comments c where c.alarm_id = a.id`
  return database.all<StoredComment>(sql`
    insert into alarm_comments (alarm_id, user_id, text, created_at)
    select a.id, ${userId}, ${text}, ${unlessFull(createdAt, { rows, max })}
    from ${eachOf(alarmIds)} wanted cross join alarms a on a.id = wanted.value
    returning id, (select coalesce(nullif(fullname, ''), username) from users where id = user_id) as name`)
}

/** Whether a commit failed because an alarm has as many comments as it may have. */
export function isFull(error: unknown): boolean {
  return isNotNullViolation(error, 'alarm_comments.created_at')
}
