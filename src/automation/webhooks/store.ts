import { and, count, eq, gt, or } from 'drizzle-orm'
import { webhookTokens } from '../../../db/tables/scripts.ts'
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

export async function countWebhooks(database: Database, scriptId: number): Promise<number> {
  const mine = eq(webhookTokens.scriptId, scriptId)
  const [row] = await database.select({ total: count() }).from(webhookTokens).where(mine)
  return row?.total ?? 0
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

export function insertWebhook(database: Database, row: Omit<WebhookRow, 'id'>): Write {
  return database.insert(webhookTokens).values(row)
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
