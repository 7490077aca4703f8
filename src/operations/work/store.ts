import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import { unlessFull } from '../../../db/row-limit.ts'
import { operations } from '../../../db/tables/operations.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { OperationState, OperationView } from './schema.ts'

export type OperationRow = Omit<typeof operations.$inferSelect, 'state' | 'error'> & {
  readonly state: OperationState
  readonly error: OperationView['error']
}

const ACTIVE = inArray(operations.state, ['queued', 'running'])

/** Adds an operation. Fails, as `isFull` recognises, while its user has `max` that have not ended. */
export function insertOperation(database: Database, row: OperationRow, max: number): Write {
  const rows = sql`select 1 from operations where user_id = ${row.userId}
    and state in ('queued', 'running') and lease_until_at > ${row.createdAt}`
  const createdAt = unlessFull(row.createdAt, { rows, max })
  return database.insert(operations).values({ ...row, createdAt })
}

export function isFull(error: unknown): boolean {
  return isNotNullViolation(error, 'operations.created_at')
}

export async function findOperation(database: Database, id: string): Promise<OperationRow | null> {
  const [row] = await database.select().from(operations).where(eq(operations.id, id))
  return (row as OperationRow | undefined) ?? null
}

type Renewal = Pick<OperationRow, 'state' | 'progress' | 'backendPid' | 'startedAt' | 'leaseUntilAt'>

/** Renews the lease. False if it ran out before. */
export async function renewOperation(
  database: Database,
  id: string,
  { now, ...change }: Renewal & { readonly now: number },
): Promise<boolean> {
  const renewed = await database
    .update(operations)
    .set(change)
    .where(isHeld(id, now))
    .returning({ id: operations.id })
  return renewed.length > 0
}

type Ending = Pick<OperationRow, 'state' | 'progress' | 'endedAt' | 'error' | 'resultBytes'>

/** Ends an operation whose lease has not run out. */
export function endOperation(
  database: Database,
  id: string,
  { now, ...change }: Ending & { readonly now: number },
): Write {
  return (
    database
      .update(operations)
      // From here on the lease counts the time that the result is kept.
      .set({ ...change, backendPid: null, leaseUntilAt: now })
      .where(isHeld(id, now))
  )
}

/** Notes that the work is to end. The first time counts. */
export function cancelOperation(database: Database, id: string, now: number): Write {
  return database
    .update(operations)
    .set({ cancelAt: sql`coalesce(${operations.cancelAt}, cast(${now} as integer))` })
    .where(and(eq(operations.id, id), ACTIVE))
}

/** The operations that ended, or were lost, before this instant. */
export async function listExpired(
  database: Database,
  before: number,
  max: number,
): Promise<readonly string[]> {
  const rows = await database
    .select({ id: operations.id })
    .from(operations)
    .where(lte(operations.leaseUntilAt, before))
    .limit(max)
  return rows.map(({ id }) => id)
}

export function deleteOperation(database: Database, id: string): Write {
  return database.delete(operations).where(eq(operations.id, id))
}

function isHeld(id: string, now: number) {
  return and(eq(operations.id, id), ACTIVE, sql`${operations.leaseUntilAt} > ${now}`)
}
