import { eq } from 'drizzle-orm'
import { scheduleConfigurations } from '../../../../db/tables/scripts.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { ScheduleConfigurationView } from './schema.ts'

export type ScheduleRow = Omit<typeof scheduleConfigurations.$inferSelect, 'misfire'> & {
  readonly misfire: ScheduleConfigurationView['misfire']
}

export type ScheduleChange = Omit<
  ScheduleRow,
  'id' | 'scriptId' | 'createdAt' | 'updatedAt' | 'lastAt' | 'lastResult'
>

/** The schedule configurations of a script, by id. */
export async function listSchedules(database: Database, scriptId: number): Promise<ScheduleRow[]> {
  return (await selectSchedules(database, scriptId)) as ScheduleRow[]
}

/** As `listSchedules`, as a statement of a commit. */
export function selectSchedules(database: Database, scriptId: number) {
  return database
    .select()
    .from(scheduleConfigurations)
    .where(eq(scheduleConfigurations.scriptId, scriptId))
    .orderBy(scheduleConfigurations.id)
}

export function insertSchedule(
  database: Database,
  row: Omit<ScheduleRow, 'id' | 'lastAt' | 'lastResult'>,
): Write {
  return database.insert(scheduleConfigurations).values(row)
}

export function updateSchedule(
  database: Database,
  id: number,
  change: ScheduleChange & { readonly updatedAt: number },
): Write {
  return database.update(scheduleConfigurations).set(change).where(eq(scheduleConfigurations.id, id))
}

export function deleteSchedule(database: Database, id: number): Write {
  return database.delete(scheduleConfigurations).where(eq(scheduleConfigurations.id, id))
}
