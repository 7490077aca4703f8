import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import { isNotNullViolation } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { Level } from '../../../domain/state.ts'

/** A stored link. */
export type LinkRow = {
  readonly id: number
  readonly covers: 'object' | 'below'
  readonly minState: Level
  readonly recipientId: number | null
  readonly delayMs: number
  readonly recoveryDelayMs: number
  readonly events: readonly ('opened' | 'worsened' | 'flapping' | 'closed')[]
}

/** The links of an object, in their order. */
export async function readLinks(database: Database, objectId: number): Promise<readonly LinkRow[]> {
  const rows = await database.all<Omit<LinkRow, 'events'> & { events: string }>(sql`
    select id as id, covers as covers, min_state as "minState", recipient_id as "recipientId", delay_ms as "delayMs",
           recovery_delay_ms as "recoveryDelayMs", events as events
    from alarm_links where object_id = ${objectId} order by position, id`)
  return rows.map((row) => ({
    ...row,
    events: JSON.parse(row.events) as LinkRow['events'],
  }))
}

export type NewLink = Omit<LinkRow, 'id'> & {
  readonly id: number | null
  /** Whether the link covers more than before, so that alarms of objects that are already bad must be opened. */
  readonly isWider: boolean
}

/** A link as it is stored at a place of the list. */
export type StoredLink = { readonly position: number; readonly id: number }

export function removeLinks(database: Database, gone: readonly number[]): Write {
  return database.run(sql`delete from alarm_links where id in ${elementsOf(gone)}`)
}

/** Saves the links of an object, and returns their ids; links with an id stay. The commit fails, as `isWithoutRecipient`
 * recognises, when a recipient does not exist. */
export function saveLinks(database: Database, objectId: number, links: readonly NewLink[]): Write {
  const rows = links.map((link, position) => ({ ...link, position }))
  return database.all<StoredLink>(sql`
      insert into alarm_links (id, object_id, position, covers, min_state, recipient_id, delay_ms, recovery_delay_ms,
        events, opened_to)
      select value ->> 'id', ${objectId}, value ->> 'position', case when value ->> 'recipientId' is null
               or exists (select 1 from alarm_recipients r where r.id = value ->> 'recipientId') then value ->> 'covers' end,
             value ->> 'minState', value ->> 'recipientId', value ->> 'delayMs', value ->> 'recoveryDelayMs',
             value -> 'events', case when value ->> 'isWider' then '' end
      from ${eachOf(rows)} where true
      on conflict (id) do update set position = excluded.position, covers = excluded.covers,
        min_state = excluded.min_state, recipient_id = excluded.recipient_id, delay_ms = excluded.delay_ms,
        recovery_delay_ms = excluded.recovery_delay_ms, events = excluded.events,
        opened_to = coalesce(excluded.opened_to, opened_to)
      returning position, id`)
}

/** Whether a commit failed because a link names a recipient that does not exist. */
export function isWithoutRecipient(error: unknown): boolean {
  return isNotNullViolation(error, 'alarm_links.covers')
}
