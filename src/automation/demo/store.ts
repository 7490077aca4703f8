import { and, eq, lte } from 'drizzle-orm'
import { demo } from '../../../db/tables/demo.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Made } from './made.ts'

export type DemoRow = Omit<typeof demo.$inferSelect, 'id' | 'made'> & { readonly made: Made }

const ONLY = 1
const isOnly = eq(demo.id, ONLY)

/** The plant; null without one. */
export async function findDemo(database: Database): Promise<DemoRow | null> {
  const [row] = await database.select().from(demo).where(isOnly)
  return row ? withMade(row) : null
}

/** Fails the commit where a plant exists already, as `isUniqueViolation` tells. */
export function insertDemo(database: Database, row: Omit<DemoRow, 'heldUntilAt'>): Write {
  return database.insert(demo).values({ id: ONLY, ...row, heldUntilAt: 0 })
}

/** Takes the turn to work on the plant until `untilAt`; null while another process or isolate has it, or without a plant. */
export async function takeTurn(
  database: Database,
  { now, untilAt }: { readonly now: number; readonly untilAt: number },
): Promise<DemoRow | null> {
  const [row] = await database
    .update(demo)
    .set({ heldUntilAt: untilAt })
    .where(and(isOnly, lte(demo.heldUntilAt, now)))
    .returning()
  return row ? withMade(row) : null
}

export function updateDemo(database: Database, change: Partial<DemoRow>): Write {
  return database.update(demo).set(change).where(isOnly)
}

export function deleteDemo(database: Database): Write {
  return database.delete(demo).where(isOnly)
}

function withMade(row: typeof demo.$inferSelect): DemoRow {
  const { id: _, made, ...rest } = row
  return { ...rest, made: made as Made }
}
