import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import { audit } from '../../../db/tables/audit.ts'
import type { Database, Write } from '../../ports/database.ts'

export type AuditRow = typeof audit.$inferSelect

export type NewEntry = Omit<AuditRow, 'id' | 'objectId'> & { readonly objectId: ObjectName }

/** An id, the path of an object, or the row that the preceding write inserts. */
export type ObjectName = number | string | { readonly path: string } | { readonly inserted: true }

export type Filter = {
  readonly userId?: number | undefined
  readonly action?: string | undefined
  readonly objectType?: string | undefined
  readonly objectId?: string | undefined
  readonly fromAt?: number | undefined
  readonly untilAt?: number | undefined
  readonly belowId?: number | undefined
}

export function insertEntry(database: Database, { objectId, ...entry }: NewEntry): Write {
  return database.insert(audit).values({ ...entry, objectId: idOf(objectId) })
}

/** Entries of many objects of one kind in one statement; users are given by name. */
export function insertEntries(
  database: Database,
  frame: Omit<AuditRow, 'id' | 'action' | 'objectId' | 'before' | 'after'>,
  entries: readonly (Pick<AuditRow, 'action' | 'before' | 'after'> & { readonly objectId: NameInBulk })[],
): Write {
  const { at, userId, username, address, requestId, objectType } = frame
  return database.run(sql`
    insert into audit (at, user_id, username, address, request_id, action, object_type, object_id, before, after)
    select cast(${at} as integer), cast(${userId} as integer), ${username}, ${address}, ${requestId},
           value ->> 'action', ${objectType},
           coalesce(value ->> '$.objectId.id',
             (select cast(u.id as text) from users u where u.username = value ->> '$.objectId.username')),
           value ->> 'before', value ->> 'after'
    from ${eachOf(entries)}`)
}

/** An id; or the user that has this name once the writes before this one are done. */
export type NameInBulk = { readonly id: string } | { readonly username: string }

export async function latestEntryId(database: Database): Promise<number> {
  const [row] = await database.all<{ id: number }>(sql`select coalesce(max(id), 0) as id from audit`)
  return row?.id ?? 0
}

/** Entries that fit the filter, the latest first. */
export function listEntries(database: Database, filter: Filter, limit: number): Promise<AuditRow[]> {
  const { userId, action, objectType, objectId, fromAt, untilAt, belowId } = filter
  const conditions = [
    userId === undefined ? undefined : eq(audit.userId, userId),
    action === undefined ? undefined : eq(audit.action, action),
    objectType === undefined ? undefined : eq(audit.objectType, objectType),
    objectId === undefined ? undefined : eq(audit.objectId, objectId),
    fromAt === undefined ? undefined : gte(audit.at, fromAt),
    untilAt === undefined ? undefined : lt(audit.at, untilAt),
    belowId === undefined ? undefined : lt(audit.id, belowId),
  ]
  return Promise.resolve(
    database
      .select()
      .from(audit)
      .where(and(...conditions))
      .orderBy(desc(audit.id))
      .limit(limit),
  )
}

function idOf(name: ObjectName): string | SQL<string> {
  if (typeof name !== 'object') return String(name)
  if ('inserted' in name) return sql`cast(last_insert_rowid() as text)`
  return sql`(select cast(id as text) from objects where path = ${name.path})`
}
