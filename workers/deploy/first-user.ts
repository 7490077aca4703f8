import { createHash, randomBytes } from 'node:crypto'

import { jsonOf } from './wrangler.ts'
import type { Wrangler } from './wrangler.ts'

/** As long as the links that the service logs. */
const LINK_LIFETIME_MS = 30 * 60_000

/** Runs a statement in the database of the environment. */
async function execute<Row>(
  wrangler: Wrangler,
  args: readonly string[],
  sql: string,
): Promise<readonly Row[]> {
  const [result] = await jsonOf<readonly { readonly results: readonly Row[] }[]>(wrangler, [
    'd1',
    'execute',
    'DB',
    '--remote',
    '--json',
    ...args,
    '--command',
    sql,
  ])
  return result?.results ?? []
}

/** The number of users; zero while there is no table of them. */
export async function countUsers(wrangler: Wrangler, args: readonly string[]): Promise<number> {
  const tables = await execute(wrangler, args, "select name from sqlite_master where name = 'users'")
  if (tables.length === 0) return 0
  const [row] = await execute<{ users: number }>(wrangler, args, 'select count(*) as users from users')
  return row?.users ?? 0
}

/** Makes a link to the set-up page, as the service does at its start (`src/access/session/service/first-start.ts`). Its own one is in a
 * log that only `wrangler tail` prints. */
export async function makeSetupLink(
  wrangler: Wrangler,
  args: readonly string[],
  url: string,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const hash = createHash('sha256').update(token).digest('hex')
  await execute(
    wrangler,
    args,
    `insert into setups (hash, expires_at) values ('${hash}', ${Date.now() + LINK_LIFETIME_MS})`,
  )
  return `${url}/session/setup?token=${token}`
}
