import { sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../../db/lists.ts'
import type { Database } from '../../../../ports/database.ts'
import type { ObjectType } from '../../../tree/schema.ts'

/** A link of an object, or another recipient's escalation, that uses a recipient. */
export type Use = { readonly recipientId: number } & (
  | {
      readonly kind: 'link'
      readonly linkId: number
      readonly objectType: ObjectType
      readonly objectId: number
    }
  | { readonly kind: 'escalation'; readonly ofRecipientId: number }
)

/** The uses of each of these recipients, at most `limit` of each: links first, by id. */
export async function readUses(
  database: Database,
  recipientIds: readonly number[],
  limit: number,
): Promise<readonly Use[]> {
  const rows = await database.all<{
    recipientId: number
    linkId: number | null
    objectType: ObjectType
    objectId: number
    ofRecipientId: number
  }>(sql`
    select "recipientId", "linkId", "objectType", "objectId", "ofRecipientId" from (
      select used.*, row_number() over (partition by "recipientId" order by "linkId" is null, "linkId", "ofRecipientId") as place
      from (
        select l.recipient_id as "recipientId", l.id as "linkId", o.type as "objectType", o.id as "objectId",
               null as "ofRecipientId"
        from ${eachOf(recipientIds)} wanted cross join alarm_links l on l.recipient_id = wanted.value
          join objects o on o.id = l.object_id
        union
        select step.value ->> 'recipientId', null, null, null, r.id
        from alarm_recipients r cross join json_each(r.rules, '$.escalation') step
        where step.value ->> 'recipientId' in ${elementsOf(recipientIds)}) used)
    where place <= ${limit} order by "recipientId", place`)
  return rows.map(({ recipientId, linkId, objectType, objectId, ofRecipientId }) =>
    linkId === null
      ? { recipientId, kind: 'escalation', ofRecipientId }
      : { recipientId, kind: 'link', linkId, objectType, objectId },
  )
}

/** Why no alarm reaches a person through a recipient. */
export type Gap = { readonly recipientId: number; readonly why: 'reaches_nobody' | 'objects_gone' }

/** The gaps of these recipients, or of all that links use: no user who can sign in and has a mail address, or no
 * remaining object in `objectIds`. */
export function readGaps(
  database: Database,
  recipientIds: readonly number[] | null,
): Promise<readonly Gap[]> {
  const wanted =
    recipientIds === null
      ? sql`exists (select 1 from alarm_links l where l.recipient_id = r.id)`
      : sql`r.id in ${elementsOf(recipientIds)}`
  return database.all<Gap>(sql`
    select r.id as "recipientId", 'reaches_nobody' as why from alarm_recipients r
    where ${wanted} and r.type in ('user', 'group') and not exists (
      select 1 from users u where u.email <> '' and u.disabled_at is null and (u.id = r.user_id
        or exists (select 1 from memberships m where m.user_id = u.id and m.group_id = r.user_group_id)))
    union all
    select r.id, 'objects_gone' from alarm_recipients r
    where ${wanted} and json_array_length(r.rules, '$.objectIds') > 0 and not exists (
      select 1 from json_each(r.rules, '$.objectIds') one join objects o on o.id = one.value)
    order by 1, 2`)
}
