import { sql } from 'drizzle-orm'
import type { Database } from '../../../../ports/database.ts'
import type { ObjectType } from '../../../tree/schema.ts'

/** A link of an object, or the escalation of another recipient, that names a recipient. */
export type Use = { readonly recipientId: number } & (
  | {
      readonly kind: 'link'
      readonly linkId: number
      readonly objectType: ObjectType
      readonly objectId: number
    }
  | { readonly kind: 'escalation'; readonly ofRecipientId: number }
)

/** What names each of these recipients, the first `limit` of each: links first, by their ids. */
export async function readUses(
  database: Database,
  recipientIds: readonly number[],
  limit: number,
): Promise<readonly Use[]> {
  const ids = JSON.stringify(recipientIds)
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
        from json_each(${ids}) wanted cross join alarm_links l on l.recipient_id = wanted.value
          join objects o on o.id = l.object_id
        union
        select step.value ->> 'recipientId', null, null, null, r.id
        from alarm_recipients r cross join json_each(r.rules, '$.escalation') step
        where step.value ->> 'recipientId' in (select value from json_each(${ids}))) used)
    where place <= ${limit} order by "recipientId", place`)
  return rows.map(({ recipientId, linkId, objectType, objectId, ofRecipientId }) =>
    linkId === null
      ? { recipientId, kind: 'escalation', ofRecipientId }
      : { recipientId, kind: 'link', linkId, objectType, objectId },
  )
}
