import { count, eq } from 'drizzle-orm'
import { pings } from '../../../../db/tables/monitoring.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type PingRow = {
  readonly id: number
  readonly name: string
  readonly createdAt: number
  readonly expiresAt: number | null
}

const SHOWN = { id: pings.id, name: pings.name, createdAt: pings.createdAt, expiresAt: pings.expiresAt }

/** Adds a token, and what `also` writes about the row just inserted. */
export async function insertPing(
  database: Database,
  ping: Omit<PingRow, 'id'> & { readonly jobId: number; readonly hash: string },
  also: Write,
): Promise<number> {
  const [[row]] = await database.batch([
    database.insert(pings).values(ping).returning({ id: pings.id }),
    also,
  ])
  return row?.id ?? 0
}

export function listPings(database: Database, jobId: number): Promise<PingRow[]> {
  return Promise.resolve(database.select(SHOWN).from(pings).where(eq(pings.jobId, jobId)).orderBy(pings.id))
}

export async function countPings(database: Database, jobId: number): Promise<number> {
  const [row] = await database.select({ total: count() }).from(pings).where(eq(pings.jobId, jobId))
  return row?.total ?? 0
}

export async function findPing(database: Database, hash: string) {
  const [row] = await database
    .select({ id: pings.id, jobId: pings.jobId, expiresAt: pings.expiresAt })
    .from(pings)
    .where(eq(pings.hash, hash))
  return row ?? null
}

export function deletePing(database: Database, id: number): Write {
  return database.delete(pings).where(eq(pings.id, id))
}
