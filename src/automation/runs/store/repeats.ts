import { and, eq, lte, sql } from 'drizzle-orm'
import { runRepeats } from '../../../../db/tables/runs.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type Repeat = { readonly digest: string; readonly runId: string }

export async function findRepeat(
  database: Database,
  { userId, key, now }: { readonly userId: number; readonly key: string; readonly now: number },
): Promise<Repeat | null> {
  const [row] = await database
    .select()
    .from(runRepeats)
    .where(and(eq(runRepeats.userId, userId), eq(runRepeats.key, key), sql`${runRepeats.untilAt} > ${now}`))
  return row ?? null
}

/** Stores the run of a key, and deletes expired keys. */
export function insertRepeat(database: Database, row: typeof runRepeats.$inferInsert, now: number): Write[] {
  return [
    database.delete(runRepeats).where(lte(runRepeats.untilAt, now)),
    database.insert(runRepeats).values(row),
  ]
}
