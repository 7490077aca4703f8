import { and, eq, ne } from 'drizzle-orm'
import { runConfigurations, scheduleConfigurations } from '../../../../db/tables/scripts.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { Changer } from '../changer.ts'
import type { Rules } from './schema.ts'

export type RunConfigurationRow = Omit<typeof runConfigurations.$inferSelect, 'rules' | keyof Changer> & {
  readonly rules: Rules
} & Changer

export type RunConfigurationChange = Pick<
  RunConfigurationRow,
  'name' | 'isDefault' | 'timeoutS' | 'rules' | 'secrets' | keyof Changer
>

/** The run configurations of a script, by id. */
export async function listRunConfigurations(
  database: Database,
  scriptId: number,
): Promise<RunConfigurationRow[]> {
  return (await selectRunConfigurations(database, scriptId)) as RunConfigurationRow[]
}

/** As `listRunConfigurations`, as a statement of a commit. */
export function selectRunConfigurations(database: Database, scriptId: number) {
  return database
    .select()
    .from(runConfigurations)
    .where(eq(runConfigurations.scriptId, scriptId))
    .orderBy(runConfigurations.id)
}

export function insertRunConfiguration(
  database: Database,
  row: Omit<RunConfigurationRow, 'id'> & { readonly id?: number },
): Write {
  return database.insert(runConfigurations).values(row)
}

export function updateRunConfiguration(
  database: Database,
  id: number,
  change: RunConfigurationChange & { readonly updatedAt: number },
): Write {
  return database.update(runConfigurations).set(change).where(eq(runConfigurations.id, id))
}

/** Makes no other configuration of a script the default one. It goes before the write that makes another one so. */
export function clearDefault(database: Database, scriptId: number, exceptId: number): Write {
  return database
    .update(runConfigurations)
    .set({ isDefault: false })
    .where(and(eq(runConfigurations.scriptId, scriptId), ne(runConfigurations.id, exceptId)))
}

export function makeDefault(database: Database, id: number, changer: Partial<Changer>): Write {
  return database
    .update(runConfigurations)
    .set({ isDefault: true, ...changer })
    .where(eq(runConfigurations.id, id))
}

export function deleteRunConfiguration(database: Database, id: number): Write {
  return database.delete(runConfigurations).where(eq(runConfigurations.id, id))
}

/** Gives the schedules of a configuration to a user. */
export function ownSchedules(database: Database, id: number, userId: number | null): Write {
  return database
    .update(scheduleConfigurations)
    .set({ userId })
    .where(eq(scheduleConfigurations.runConfigurationId, id))
}
