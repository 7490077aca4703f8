import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { Level } from '../../../domain/state.ts'
import { LEVELS } from '../../states/state.ts'
import { rank } from '../alarm.ts'
import type { CoveringRow } from '../store.ts'

const CHANGE =
  sql.raw(`insert into alarm_changes (alarm_id, version, object_id, link_id, at, kind, state, details)
  select a.id, a.version + 1, a.object_id, a.link_id,`)

/** Closes the open alarms of links that are about to be removed. Belongs in the commit that removes them. */
export function closeOfLinks(database: Database, linkIds: readonly number[], at: number): Write[] {
  const open = sql`from ${eachOf(linkIds)} link cross join alarms a on a.link_id = link.value and a.status <> 'closed'`
  return [
    database.run(sql`
      ${CHANGE} ${at}, 'closed', a.state, json_object('reason', 'unlinked',
        'isSilent', json('true'), 'status', 'closed', 'heldReason', null, 'suppressedBy', null, 'assigneeId',
        a.assignee_id, 'beginAt', a.begin_at, 'endAt', cast(${at} as integer))
      ${open}`),
    database.run(
      sql`update alarms set is_unexplained = 1 where end_at is null and suppressed_by in (select a.id ${open})`,
    ),
    database.run(sql`
      update alarms set status = 'closed', end_at = ${at}, assigned_until_at = null, suppressed_by = null,
        held_reason = null, maintained = 0, flapping = 0, delayed_until_at = null, well_since_at = null, due_at = null,
        is_unexplained = 0, version = version + 1
      where link_id in ${elementsOf(linkIds)} and status <> 'closed'`),
  ]
}

/** Records on the open alarms of links that they have a new recipient. Belongs in the commit that changes the
 * recipient. */
export function readdressLinks(database: Database, linkIds: readonly number[], at: number): Write[] {
  if (linkIds.length === 0) return []
  return readdress(database, sql`select value from ${eachOf(linkIds)}`, at)
}

/** An alarm of one recipient is never the cause of an alarm of another, so causes are searched again.
 * @param linkIds a query for the ids of the links */
function readdress(database: Database, linkIds: SQL, at: number): Write[] {
  const open = sql`from alarms a where a.link_id in (${linkIds}) and a.status <> 'closed'`
  return [
    database.run(sql`
      ${CHANGE} ${at}, 'readdressed', a.state, json_object(
        'isSilent', json(case when a.status <> 'open' or a.suppressed_by is not null or a.well_since_at is not null
          or a.held_reason is not null then 'true' else 'false' end),
        'status', a.status, 'heldReason', a.held_reason, 'suppressedBy', a.suppressed_by, 'assigneeId', a.assignee_id)
      ${open}`),
    database.run(sql`
      update alarms set is_unexplained = 1 where end_at is null and suppressed_by in (select a.id ${open})`),
    database.run(sql`
      update alarms set version = version + 1, is_unexplained = 1
      where link_id in (${linkIds}) and status <> 'closed'`),
  ]
}

/** The link that gets the first recipient of an installation: the first link, if no link names a recipient. Null if
 * there is no such link, or if there are recipients already. */
export async function findFirstLink(
  database: Database,
): Promise<{ readonly id: number; readonly objectId: number; readonly objectType: string } | null> {
  const [row] = await database.all<{ id: number; objectId: number; objectType: string }>(sql`
    select l.id as id, o.id as "objectId", o.type as "objectType" from alarm_links l join objects o on o.id = l.object_id
    where not exists (select 1 from alarm_links where recipient_id is not null)
      and not exists (select 1 from alarm_recipients)
    order by l.object_id, l.position, l.id limit 1`)
  return row ?? null
}

/** Sets the recipient of a link that has none yet. Must stand after the insertion of the recipient in the same
 * commit. */
export function addressLink(
  database: Database,
  linkId: number,
  { recipientId, at }: { readonly recipientId: SQL; readonly at: number },
): Write[] {
  const unaddressed = sql`select id from alarm_links where id = ${linkId} and recipient_id is null`
  return [
    ...readdress(database, unaddressed, at),
    database.run(sql`
      update objects set version = version + 1
      where id in (select object_id from alarm_links where id in (${unaddressed}))`),
    database.run(sql`update alarm_links set recipient_id = ${recipientId} where id in (${unaddressed})`),
  ]
}

/** Whether any link names a recipient. */
export async function hasAddressedLink(database: Database): Promise<boolean> {
  const [row] = await database.all<{ has: number }>(
    sql`select exists (select 1 from alarm_links where recipient_id is not null) as has`,
  )
  return row?.has === 1
}

/** The number of open alarms of these links. */
export async function countOpenOfLinks(database: Database, linkIds: readonly number[]): Promise<number> {
  const [row] = await database.all<{ total: number }>(sql`
    select count(*) as total from ${eachOf(linkIds)} link
      cross join alarms a on a.link_id = link.value and a.status <> 'closed'`)
  return row?.total ?? 0
}

/** A link that still has to open alarms of objects that were bad when it was created, with the path up to which it has
 * done so. */
export type OpeningRow = CoveringRow & { readonly openedTo: string }

/** The first link of this kind; null for none. */
export async function findOpening(database: Database): Promise<OpeningRow | null> {
  const [row] = await database.all<OpeningRow>(sql`
    select l.id as id, l.object_id as "objectId", l.recipient_id as "recipientId", l.min_state as "minState",
           l.delay_ms as "delayMs", l.recovery_delay_ms as "recoveryDelayMs", l.opened_to as "openedTo"
    from alarm_links l where l.opened_to is not null order by l.id limit 1`)
  return row ?? null
}

/** A bad object with its latest transition. */
export type BadRow = {
  readonly objectId: number
  readonly path: string
  readonly state: Level
  readonly isFlapping: boolean
  readonly seq: number
  readonly message: string | null
  readonly silentSinceAt: number | null
}

/** Objects that a link covers, that are bad enough for it and that have no open alarm of it, by path. Objects with
 * pending transitions are left out, because those raise the alarms. */
export async function findBad(
  database: Database,
  { id, openedTo, minState }: OpeningRow,
  limit: number,
): Promise<readonly BadRow[]> {
  const levels = LEVELS.slice(0, rank(minState) + 1)
  const rows = await database.all<Omit<BadRow, 'isFlapping'> & { isFlapping: number }>(sql`
    select o.id as "objectId", o.path as path, s.state as state, s.flapping as "isFlapping", s.seq as seq,
           t.message as message, t.silent_since_at as "silentSinceAt"
    from alarm_links l join objects top on top.id = l.object_id
      cross join objects o on o.path >= max(top.path, ${openedTo}) and o.path < top.path || '~'
      cross join states s on s.object_id = o.id left join transitions t on t.object_id = o.id and t.seq = s.seq
    where l.id = ${id} and o.path > ${openedTo} and s.state in ${elementsOf(levels)}
      and s.alarmed_seq = s.seq and case l.covers when 'object' then o.id = top.id else o.type in ('job', 'slo', 'slc') end
      and not exists (select 1 from alarms a where a.object_id = o.id and a.link_id = l.id and a.end_at is null)
    order by o.path limit ${limit}`)
  return rows.map((row) => ({ ...row, isFlapping: row.isFlapping === 1 }))
}

/** Stores the path up to which a link has opened alarms; null once it has finished. */
export function saveOpened(database: Database, { id, openedTo: from }: OpeningRow, to: string | null): Write {
  return database.run(sql`update alarm_links set opened_to = ${to} where id = ${id} and opened_to = ${from}`)
}
