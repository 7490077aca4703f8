import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { unlessFull } from '../../../../db/row-limit.ts'
import { runners } from '../../../../db/tables/runs.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { AboutRunner } from '../protocol.ts'

export type RunnerRow = Omit<typeof runners.$inferSelect, 'about'> & { readonly about: AboutRunner }

/** Keeps a runner under its name. One that was there under it goes on as this one, and its former token is good for
 * nothing. Fails, as `refuseFull` recognises by `registered_at`, for a new one when there are `max`. */
export function saveRunner(database: Database, row: Omit<RunnerRow, 'id'>, max: number): Write {
  const { tokenHash, about, registeredAt, seenAt } = row
  const isThere = sql`exists (select 1 from runners where name = ${row.name})`
  const limit = { rows: sql`select 1 from runners`, isThere, max }
  return database
    .insert(runners)
    .values({ ...row, registeredAt: unlessFull(registeredAt, limit) })
    .onConflictDoUpdate({ target: runners.name, set: { tokenHash, about, registeredAt, seenAt } })
}

export async function findRunner(database: Database, id: number): Promise<RunnerRow | null> {
  const [row] = await database.select().from(runners).where(eq(runners.id, id))
  return row ? (row as RunnerRow) : null
}

export async function findByToken(database: Database, tokenHash: string): Promise<RunnerRow | null> {
  const [row] = await database.select().from(runners).where(eq(runners.tokenHash, tokenHash))
  return row ? (row as RunnerRow) : null
}

export function saveSeenAt(database: Database, id: number, seenAt: number): Write {
  return database.update(runners).set({ seenAt }).where(eq(runners.id, id))
}

/** All runners by name, each with how many jobs it holds. */
export async function listRunners(
  database: Database,
): Promise<readonly (RunnerRow & { readonly held: number })[]> {
  const rows = await database
    .select({
      runner: runners,
      held: sql<number>`(select count(*) from runs where lease_until is not null and runner_id = runners.id)`,
    })
    .from(runners)
    .orderBy(runners.name)
  return rows.map(({ runner, held }) => ({ ...(runner as RunnerRow), held }))
}

/** The reports of the runners that were heard of between two instants. */
export async function listPresent(
  database: Database,
  { afterAt, beforeAt }: { readonly afterAt: number; readonly beforeAt: number },
): Promise<AboutRunner[]> {
  const rows = await database
    .select({ about: runners.about })
    .from(runners)
    .where(and(gt(runners.seenAt, afterAt), lt(runners.seenAt, beforeAt)))
  return rows.map(({ about }) => about as AboutRunner)
}

export function deleteRunner(database: Database, id: number): Write {
  return database.delete(runners).where(eq(runners.id, id))
}
