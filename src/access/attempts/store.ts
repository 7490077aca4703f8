import { lte, sql } from 'drizzle-orm'
import { attempts } from '../../../db/tables/credentials.ts'
import type { Database } from '../../ports/database.ts'

export type Counted = { readonly key: string; readonly count: number; readonly untilAt: number }

/** Counts one more attempt under each key; a count begins anew when its time is over. */
export async function countAttempts(
  database: Database,
  keys: readonly string[],
  { now, windowMs }: { readonly now: number; readonly windowMs: number },
): Promise<readonly Counted[]> {
  const untilAt = now + windowMs
  const [, counted] = await database.batch([
    database.delete(attempts).where(lte(attempts.untilAt, now)),
    database
      .insert(attempts)
      .values(keys.map((key) => ({ key, count: 1, untilAt })))
      .onConflictDoUpdate({ target: attempts.key, set: { count: sql`${attempts.count} + 1` } })
      .returning(),
  ])
  return counted
}

/** Takes back one attempt under each of `back`, and all under each of `all`. */
export async function forgetAttempts(
  database: Database,
  { all, back }: { readonly all: readonly string[]; readonly back: readonly string[] },
): Promise<void> {
  await database.batch([
    database.run(
      sql`update attempts set count = count - 1 where count > 0 and key in (select value from json_each(${JSON.stringify(back)}))`,
    ),
    database.run(
      sql`delete from attempts where key in (select value from json_each(${JSON.stringify(all)}))`,
    ),
  ])
}
