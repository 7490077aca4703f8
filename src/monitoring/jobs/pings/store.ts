import { eq, sql } from 'drizzle-orm'
import { unlessFull } from '../../../../db/row-limit.ts'
import { users } from '../../../../db/tables/access.ts'
import { pings } from '../../../../db/tables/jobs.ts'
import { objects } from '../../../../db/tables/tree.ts'
import type { Role } from '../../../context.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type PingRow = {
  readonly id: number
  readonly name: string
  readonly createdAt: number
  readonly expiresAt: number | null
}

const SHOWN = { id: pings.id, name: pings.name, createdAt: pings.createdAt, expiresAt: pings.expiresAt }

/** Inserts a token with the writes of `also` about the new row. The commit fails, as `refuseFull` recognises, when the
 * job has `max` tokens. */
export async function insertPing(
  database: Database,
  ping: Omit<PingRow, 'id'> & { readonly jobId: number; readonly makerId: number; readonly hash: string },
  { max, also }: { readonly max: number; readonly also: Write },
): Promise<number> {
  const rows = sql`select 1 from pings where job_id = ${ping.jobId}`
  const [[row]] = await database.batch([
    database
      .insert(pings)
      .values({ ...ping, createdAt: unlessFull(ping.createdAt, { rows, max }) })
      .returning({ id: pings.id }),
    also,
  ])
  return row?.id ?? 0
}

export function listPings(database: Database, jobId: number): Promise<PingRow[]> {
  return Promise.resolve(database.select(SHOWN).from(pings).where(eq(pings.jobId, jobId)).orderBy(pings.id))
}

/** A token with the path of its job and its creator; the role is null if that user was deleted. */
export async function findPing(database: Database, hash: string) {
  const [row] = await database
    .select({
      id: pings.id,
      name: pings.name,
      jobId: pings.jobId,
      expiresAt: pings.expiresAt,
      path: objects.path,
      makerId: pings.makerId,
      makerRole: users.role,
    })
    .from(pings)
    .innerJoin(objects, eq(objects.id, pings.jobId))
    .leftJoin(users, eq(users.id, pings.makerId))
    .where(eq(pings.hash, hash))
  return row ? { ...row, makerRole: row.makerRole as Role | null } : null
}

export function deletePing(database: Database, id: number): Write {
  return database.delete(pings).where(eq(pings.id, id))
}
