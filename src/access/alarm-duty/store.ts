import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'

/** Something without which a recipient of alarms reaches no person. */
export type Base = { readonly kind: 'user' | 'userGroup' | 'runConfiguration'; readonly id: number }

export type RecipientName = { readonly id: number; readonly name: string }

/** The first recipients that stand for a user, a user group or a run configuration, by id. */
export function listRecipientsOf(
  database: Database,
  base: Base,
  limit: number,
): Promise<readonly RecipientName[]> {
  return database.all<RecipientName>(
    sql`select id as id, name as name from alarm_recipients where ${standsOn(base)} order by id limit ${limit}`,
  )
}

/** Fails its commit, as `isNeededError` recognises, while a recipient stands for something. */
export function unlessNeeded(database: Database, base: Base): Write {
  return database.run(sql`update alarm_recipients set version = null where ${standsOn(base)}`)
}

/** Whether a commit failed because a recipient stands for the removed object. */
export function isNeededError(error: unknown): boolean {
  return isNotNullViolation(error, 'alarm_recipients.version')
}

/** A target is sealed: of a script, its shown form says which run configuration it runs, and as which user. */
function standsOn({ kind, id }: Base): SQL {
  if (kind === 'userGroup') return sql`user_group_id = ${id}`
  const isScript = sql`type = 'script' and shown_target`
  if (kind === 'user') return sql`(user_id = ${id} or ${isScript} like ${`%, as user ${id}`})`
  return sql`${isScript} like ${`script %, runConfiguration ${id}, as user %`}`
}
