import { and, asc, count, eq, inArray, isNull, lte, min, or, sql } from 'drizzle-orm'
import { users } from '../../../db/tables/access.ts'
import { scheduleConfigurations } from '../../../db/tables/scripts.ts'
import { SCRIPT_READERS } from '../../access/rights/permissions.ts'
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

/** The next due time of all schedules, epoch ms; null without one. */
export async function nextDue(database: Database): Promise<number | null> {
  const [row] = await database.select({ at: min(scheduleConfigurations.nextAt) }).from(scheduleConfigurations)
  return row?.at ?? null
}

/** Moves a schedule to its next time and stores its outcome. Fails, as `isMoved` recognises, when another process has moved it; a
 * deleted one is left alone. */
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

/** Disables a schedule that is due; fails as `moveSchedule`. */
export function disableSchedule(database: Database, { id, nextAt: dueAt }: DueRow): Write {
  const isThere = sql`${scheduleConfigurations.nextAt} = cast(${dueAt} as integer)`
  return database
    .update(scheduleConfigurations)
    .set({
      nextAt: null,
      lastAt: dueAt,
      lastResult: OWNERLESS,
      isEnabled: sql`case when ${isThere} then 0 end`,
    })
    .where(eq(scheduleConfigurations.id, id))
}

const OWNERLESS = 'forbidden'

/** How many schedules are enabled, or were disabled by `disableSchedule`, and have no user who may run scripts. */
export async function countOwnerless(database: Database): Promise<number> {
  const { isEnabled, lastResult, userId } = scheduleConfigurations
  const mayRun = and(eq(users.id, userId), isNull(users.disabledAt), inArray(users.role, [...SCRIPT_READERS]))
  const [row] = await database
    .select({ total: count() })
    .from(scheduleConfigurations)
    .leftJoin(users, mayRun)
    .where(and(isNull(users.id), or(isEnabled, eq(lastResult, OWNERLESS))))
  return row?.total ?? 0
}

/** Whether a commit failed because another process had moved the schedule. */
export function isMoved(error: unknown): boolean {
  return isNotNullViolation(error, 'schedule_configurations.is_enabled')
}
