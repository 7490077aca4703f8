import { and, count, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import { unlessFull } from '../../../db/row-limit.ts'
import { users } from '../../../db/tables/access.ts'
import { webhookTokens } from '../../../db/tables/scripts.ts'
import { SCRIPT_READERS } from '../../access/rights/permissions.ts'
import type { Database, Write } from '../../ports/database.ts'

export type WebhookRow = typeof webhookTokens.$inferSelect

/** The tokens of a script, by id. */
export function listWebhooks(database: Database, scriptId: number): Promise<WebhookRow[]> {
  return Promise.resolve(
    database
      .select()
      .from(webhookTokens)
      .where(eq(webhookTokens.scriptId, scriptId))
      .orderBy(webhookTokens.id),
  )
}

/** The token of this hash, or whose token of before it is while that is still good. */
export async function findWebhook(database: Database, hash: string, now: number): Promise<WebhookRow | null> {
  const isFormer = and(eq(webhookTokens.formerHash, hash), gt(webhookTokens.formerUntil, now))
  const [row] = await database
    .select()
    .from(webhookTokens)
    .where(or(eq(webhookTokens.hash, hash), isFormer))
  return row ?? null
}

/** The number of valid tokens of users who may not run scripts. */
export async function countPowerless(database: Database, now: number): Promise<number> {
  const { userId, expiresAt } = webhookTokens
  const mayRun = and(isNull(users.disabledAt), inArray(users.role, [...SCRIPT_READERS]))
  const [row] = await database
    .select({ total: count() })
    .from(webhookTokens)
    .leftJoin(users, and(eq(users.id, userId), mayRun))
    .where(and(isNull(users.id), or(isNull(expiresAt), gt(expiresAt, now))))
  return row?.total ?? 0
}

/** Adds a token. Fails, as `refuseFull` recognises, when the script has `max`. */
export function insertWebhook(database: Database, row: Omit<WebhookRow, 'id'>, max: number): Write {
  const rows = sql`select 1 from webhook_tokens where script_id = ${row.scriptId}`
  return database
    .insert(webhookTokens)
    .values({ ...row, createdAt: unlessFull(row.createdAt, { rows, max }) })
}

export function updateWebhook(
  database: Database,
  id: number,
  change: Partial<Omit<WebhookRow, 'id' | 'scriptId'>>,
): Write {
  return database.update(webhookTokens).set(change).where(eq(webhookTokens.id, id))
}

export function deleteWebhook(database: Database, id: number): Write {
  return database.delete(webhookTokens).where(eq(webhookTokens.id, id))
}
