import { asc, eq, lte, min, sql } from 'drizzle-orm'
import { scheduleConfigurations } from '../../../db/tables/scripts.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'

export type DueRow = Omit<typeof scheduleConfigurations.$inferSelect, 'misfire' | 'nextAt'> & {
  readonly misfire: 'skip' | 'run_once'
  readonly nextAt: number
}

/** Schedules that are due, the longest first. */
export async function listDue(database: Database, now: number, limit: number): Promise<DueRow[]> {
  const rows = await database
    .select()
    .from(scheduleConfigurations)
    .where(lte(scheduleConfigurations.nextAt, now))
    .orderBy(asc(scheduleConfigurations.nextAt), asc(scheduleConfigurations.id))
    .limit(limit)
  return rows as DueRow[]
}

/** When a schedule is due next, epoch ms; null where none is. */
export async function nextDue(database: Database): Promise<number | null> {
  const [row] = await database.select({ at: min(scheduleConfigurations.nextAt) }).from(scheduleConfigurations)
  return row?.at ?? null
}

/** Moves a schedule on to when it is due next, and notes what became of it; fails, as `isMoved` recognises, where somebody
 * else has moved it, and leaves one that is gone. */
export function moveSchedule(
  database: Database,
  { id, nextAt: dueAt }: DueRow,
  { nextAt, lastResult }: { readonly nextAt: number | null; readonly lastResult: string },
): Write {
  const isThere = sql`${scheduleConfigurations.nextAt} = cast(${dueAt} as integer)`
  return database
    .update(scheduleConfigurations)
    .set({
      nextAt,
      lastAt: dueAt,
      lastResult,
      isEnabled: sql`case when ${isThere} then ${scheduleConfigurations.isEnabled} end`,
    })
    .where(eq(scheduleConfigurations.id, id))
}

/** Whether a commit failed because somebody else had moved the schedule. */
export function isMoved(error: unknown): boolean {
  return isNotNullViolation(error, 'schedule_configurations.is_enabled')
}
