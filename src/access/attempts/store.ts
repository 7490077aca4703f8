import { lte, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { attempts } from '../../../db/tables/credentials.ts'
import type { Database, Write } from '../../ports/database.ts'

/** Counts one more attempt under each key, unless one of the keys has its `max` already: then it counts under none. A count
 * begins anew when its time is over.
 * @returns when attempts are counted again; null where this one was */
export async function countAttempts(
  database: Database,
  limits: readonly { readonly key: string; readonly max: number }[],
  { now, windowMs }: { readonly now: number; readonly windowMs: number },
): Promise<number | null> {
  const asked = eachOf(limits)
  const full = sql`from attempts join ${asked} asked on attempts.key = asked.value ->> 'key'
    where attempts.count >= asked.value ->> 'max'`
  const [, [refused]] = await database.batch([
    database.delete(attempts).where(lte(attempts.untilAt, now)),
    database.all<{ untilAt: number | null }>(sql`select max(attempts.until_at) as untilAt ${full}`),
    database.run(sql`
      insert into attempts (key, count, until_at)
      select value ->> 'key', 1, cast(${now + windowMs} as integer) from ${asked}
      where not exists (select 1 ${full})
      on conflict (key) do update set count = attempts.count + 1`),
  ])
  return refused?.untilAt ?? null
}

/** Takes back one attempt under each of `back`, and all under each of `all`. */
export async function forgetAttempts(
  database: Database,
  { all, back }: { readonly all: readonly string[]; readonly back: readonly string[] },
): Promise<void> {
  await database.batch([
    database.run(sql`update attempts set count = count - 1 where count > 0 and key in ${elementsOf(back)}`),
    deleteAttempts(database, all),
  ])
}

/** Takes back all attempts under these keys. */
export function deleteAttempts(database: Database, keys: readonly string[]): Write {
  return database.delete(attempts).where(sql`${attempts.key} in ${elementsOf(keys)}`)
}
