import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { idsOfPath } from '../../../db/paths.ts'
import { isNotNullViolation, isUniqueViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { State } from '../../domain/state.ts'
import type { Alarm, AlarmChange, Terms } from './alarm.ts'
import { heldReasonOf } from './alarm.ts'
import { dueAtOf } from './course.ts'

/** A stored alarm, with the path of its object and the terms of its link. */
export type AlarmRow = Alarm & {
  readonly id: number
  readonly objectId: number
  readonly linkId: number
  readonly openedSeq: number
  readonly reason: string
  readonly message: string | null
  readonly silentSinceAt: number | null
  readonly version: number
  readonly path: string
  readonly recipientId: number | null
  /** The terms of the link; no delays if the link was removed. */
  readonly terms: Terms
}

/** A transition without alarms yet; `seq` is null if an object only started or stopped flapping. */
export type PendingRow = {
  readonly objectId: number
  readonly type: string
  readonly path: string
  /** The last transition whose alarms were raised, and the latest one. */
  readonly alarmedSeq: number
  readonly latestSeq: number
  readonly isFlapping: boolean
  readonly wasFlapping: boolean
  readonly seq: number | null
  readonly at: number
  readonly to: State
  readonly reason: string
  readonly message: string | null
  readonly silentSinceAt: number | null
  /** Message changes since the latest transition, as JSON; null for none. */
  readonly news: string | null
}

/** A link that covers an object. */
export type CoveringRow = Terms & {
  readonly id: number
  readonly objectId: number
  readonly recipientId: number | null
}

type FlapFlags = { isFlapping: number; wasFlapping: number }

/** Transitions without alarms yet; transitions of one object are in their order. */
export async function readPending(database: Database, limit: number): Promise<readonly PendingRow[]> {
  const rows = await database.all<Omit<PendingRow, keyof FlapFlags> & FlapFlags>(sql`
    select s.object_id as "objectId", o.type as type, o.path as path, s.alarmed_seq as "alarmedSeq",
           s.seq as "latestSeq", s.flapping as "isFlapping", s.alarmed_flapping as "wasFlapping", t.seq as seq,
           t.at as at, t.to_state as "to", t.reason as reason, t.message as message,
           t.silent_since_at as "silentSinceAt", s.news as news
    from states s join objects o on o.id = s.object_id
      left join transitions t on t.object_id = s.object_id and t.seq > s.alarmed_seq
    where s.alarmed_seq < s.seq or s.alarmed_flapping <> s.flapping or s.news is not null
    order by s.object_id, t.seq limit ${limit}`)
  return rows.map((row) => ({
    ...row,
    isFlapping: row.isFlapping === 1,
    wasFlapping: row.wasFlapping === 1,
  }))
}

/** The links that cover objects, by id: the objects' own links, and links above them that cover everything below that
 * is bad by itself. */
export function readCovering(
  database: Database,
  objectIds: readonly number[],
): Promise<readonly CoveringRow[]> {
  return database.all<CoveringRow>(sql`
    select l.id as id, o.id as "objectId", l.recipient_id as "recipientId", l.min_state as "minState",
           l.delay_ms as "delayMs", l.recovery_delay_ms as "recoveryDelayMs"
    from ${eachOf(objectIds)} wanted cross join objects o on o.id = wanted.value
      cross join ${idsOfPath('o.path')} above
      cross join alarm_links l on l.object_id = above.value
    where case l.covers when 'object' then l.object_id = o.id else o.type in ('job', 'slo', 'slc') end
    order by o.id, l.id`)
}

const COLUMNS = sql.raw(`
  a.id as id, a.object_id as "objectId", a.link_id as "linkId", a.opened_seq as "openedSeq", a.status as status,
  a.state as state, a.worst_state as "worstState", a.begin_at as "beginAt", a.end_at as "endAt", a.reason as reason,
  a.message as message, a.silent_since_at as "silentSinceAt", a.assignee_id as "assigneeId",
  a.assigned_until_at as "assignedUntilAt", a.sticky as sticky, a.suppressed_by as "suppressedBy",
  a.maintained as maintained, a.flapping as flapping, a.delayed_until_at as "delayedUntilAt",
  a.well_since_at as "wellSinceAt", a.version as version, o.path as path, l.recipient_id as "recipientId",
  coalesce(l.min_state, 'warning') as "minState", coalesce(l.delay_ms, 0) as "delayMs",
  coalesce(l.recovery_delay_ms, 0) as "recoveryDelayMs"`)
const JOINS = sql.raw('join objects o on o.id = a.object_id left join alarm_links l on l.id = a.link_id')

type RawAlarmRow = Omit<AlarmRow, 'sticky' | 'maintained' | 'flapping' | 'terms'> &
  Terms & { sticky: number; maintained: number; flapping: number }

function rowOf({ minState, delayMs, recoveryDelayMs, ...raw }: RawAlarmRow): AlarmRow {
  return {
    ...raw,
    sticky: raw.sticky === 1,
    maintained: raw.maintained === 1,
    flapping: raw.flapping === 1,
    terms: { minState, delayMs, recoveryDelayMs },
  }
}

/** The open alarms of objects. */
export async function readOpen(
  database: Database,
  objectIds: readonly number[],
): Promise<readonly AlarmRow[]> {
  const rows = await database.all<RawAlarmRow>(sql`
    select ${COLUMNS} from ${eachOf(objectIds)} wanted
      cross join alarms a on a.object_id = wanted.value and a.end_at is null ${JOINS}`)
  return rows.map(rowOf)
}

/** The alarms with these ids, without deleted ones. */
export async function readAlarms(database: Database, ids: readonly number[]): Promise<readonly AlarmRow[]> {
  const rows = await database.all<RawAlarmRow>(sql`
    select ${COLUMNS} from ${eachOf(ids)} wanted cross join alarms a on a.id = wanted.value ${JOINS}
    order by wanted.key`)
  return rows.map(rowOf)
}

/** Alarms that time has changed by an instant, whose cause has closed, or whose assignee was deleted. */
export async function readDue(database: Database, now: number, limit: number): Promise<readonly AlarmRow[]> {
  const rows = await database.all<RawAlarmRow>(sql`
    select ${COLUMNS} from alarms a ${JOINS} where a.id in (
      select id from (select id from alarms where due_at <= ${now} order by due_at limit ${limit})
      union select id from (select id from alarms where is_unexplained = 1 limit ${limit})
      union select id from (select id from alarms where status = 'assigned' and assignee_id is null limit ${limit}))
    order by a.id limit ${limit}`)
  return rows.map(rowOf)
}

/** When time changes an alarm next, epoch ms: 0 for as soon as possible, Infinity for never. */
export async function readNextAt(database: Database): Promise<number> {
  const [row] = await database.all<{ at: number | null }>(sql`
    select case when exists (select 1 from alarms where is_unexplained = 1)
             or exists (select 1 from alarms where status = 'assigned' and assignee_id is null)
             or exists (select 1 from alarm_links where opened_to is not null)
           then 0 else (select min(due_at) from alarms where due_at is not null) end as at`)
  return row?.at ?? Number.POSITIVE_INFINITY
}

/** The highest alarm id that was ever used. */
export async function readLastId(database: Database): Promise<number> {
  const [row] = await database.all<{ id: number }>(sql`
    select max(coalesce((select max(id) from alarms), 0), coalesce((select max(alarm_id) from alarm_changes), 0)) as id`)
  return row?.id ?? 0
}

/** An alarm with its changes since it was read. */
export type ChangedAlarm = { readonly row: AlarmRow; readonly changes: readonly AlarmChange[] }

/** Stores alarms and their changes. The commit fails, as `isOvertaken` recognises, when an alarm was changed since it
 * was read, because each change of an alarm has its own number, and when the link of a new alarm was removed. */
export function saveAlarms(database: Database, told: readonly ChangedAlarm[]): Write[] {
  if (told.length === 0) return []
  const rows = told.map(({ row }) => ({
    ...row,
    heldReason: heldReasonOf(row),
    dueAt: dueAtOf(row, row.terms),
  }))
  const changes = told.flatMap(({ row, changes: all }) =>
    all.map((change, index) => ({
      ...change,
      alarmId: row.id,
      version: row.version - all.length + index + 1,
      objectId: row.objectId,
      linkId: row.linkId,
    })),
  )
  const closed = told.flatMap(({ row }) => (row.endAt === null ? [] : [row.id]))
  return [
    database.all<{ savedId: number }>(sql`
      insert into alarms (id, object_id, link_id, opened_seq, status, state, worst_state, begin_at, end_at, reason, message,
        silent_since_at, assignee_id, assigned_until_at, sticky, suppressed_by, held_reason, maintained, flapping,
        delayed_until_at, well_since_at, due_at, is_unexplained, version)
      select value ->> 'id', value ->> 'objectId',
             case when exists (select 1 from alarm_links where id = value ->> 'linkId')
               or exists (select 1 from alarms where id = value ->> 'id') then value ->> 'linkId' end,
             value ->> 'openedSeq', value ->> 'status',
             value ->> 'state', value ->> 'worstState', value ->> 'beginAt', value ->> 'endAt', value ->> 'reason',
             value ->> 'message', value ->> 'silentSinceAt', value ->> 'assigneeId', value ->> 'assignedUntilAt',
             value ->> 'sticky', value ->> 'suppressedBy', value ->> 'heldReason', value ->> 'maintained',
             value ->> 'flapping', value ->> 'delayedUntilAt', value ->> 'wellSinceAt', value ->> 'dueAt', 0,
             value ->> 'version'
      from ${eachOf(rows)} where exists (select 1 from objects where id = value ->> 'objectId')
      on conflict (id) do update set status = excluded.status, state = excluded.state,
        worst_state = excluded.worst_state, message = excluded.message, silent_since_at = excluded.silent_since_at,
        end_at = excluded.end_at, assignee_id = excluded.assignee_id,
        assigned_until_at = excluded.assigned_until_at, sticky = excluded.sticky,
        suppressed_by = excluded.suppressed_by, held_reason = excluded.held_reason, maintained = excluded.maintained,
        flapping = excluded.flapping, delayed_until_at = excluded.delayed_until_at,
        well_since_at = excluded.well_since_at, due_at = excluded.due_at, version = excluded.version
      returning id as "savedId"`),
    database.run(sql`
      insert into alarm_changes (alarm_id, version, object_id, link_id, at, kind, state, details)
      select value ->> 'alarmId', value ->> 'version', value ->> 'objectId', value ->> 'linkId', value ->> 'at',
             value ->> 'kind', value ->> 'state', value ->> 'details'
      from ${eachOf(changes)} where exists (select 1 from alarms where id = value ->> 'alarmId')`),
    ...(closed.length > 0 ? [markUnexplained(database, closed)] : []),
  ]
}

/** Marks alarms whose cause has closed. */
function markUnexplained(database: Database, suppressors: readonly number[]): Write {
  return database.run(sql`
    update alarms set is_unexplained = 1
    where suppressed_by in ${elementsOf(suppressors)} and end_at is null`)
}

/** Removes these marks. */
export function forgetUnexplained(database: Database, ids: readonly number[]): Write {
  return database.run(sql`
    update alarms set is_unexplained = 0 where id in ${elementsOf(ids)}`)
}

export type Alarmed = {
  readonly objectId: number
  /** The last transition whose alarms were raised before, and the one now. */
  readonly fromSeq: number
  readonly toSeq: number
  /** Whether the object flaps, as far as its transitions are known. */
  readonly isFlapping: boolean
  /** The message changes when they were read, as JSON, if these are all its transitions; else null. */
  readonly news: string | null
}

/** Marks transitions as done. The commit fails, as `isOvertaken` recognises, when another process has raised their
 * alarms. */
export function saveAlarmed(database: Database, alarmed: readonly Alarmed[]): Write {
  return database.run(sql`
    insert into states (object_id, seq, state, since_at, alarmed_seq, alarmed_flapping, news)
    select s.object_id, s.seq, s.state, s.since_at,
           case when s.alarmed_seq = value ->> 'fromSeq' then value ->> 'toSeq' end, value ->> 'isFlapping',
           nullif(s.news, value ->> 'news')
    from ${eachOf(alarmed)} cross join states s on s.object_id = value ->> 'objectId' where true
    on conflict (object_id) do update set alarmed_seq = excluded.alarmed_seq,
      alarmed_flapping = excluded.alarmed_flapping, news = excluded.news`)
}

/** Whether a commit failed because an alarm was changed since it was read, the link of a new alarm was removed, or the same
 * alarms were already raised. */
export function isOvertaken(error: unknown): boolean {
  return (
    isUniqueViolation(error, 'alarm_changes.version') ||
    isUniqueViolation(error, 'alarms.id') ||
    isUniqueViolation(error, 'alarms.link_id') ||
    isNotNullViolation(error, 'alarms.link_id') ||
    isNotNullViolation(error, 'states.alarmed_seq')
  )
}

/** The number of alarms that are not closed, by status. */
export async function countUnclosed(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await database.all<{ status: string; total: number }>(
    sql`select status, count(*) as total from alarms where status in ('open', 'assigned') group by status`,
  )
  return new Map(rows.map(({ status, total }) => [status, total]))
}
