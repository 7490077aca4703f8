import { sql } from 'drizzle-orm'
import { runs } from '../../../../db/tables/runs.ts'
import type { Database, Write } from '../../../ports/database.ts'
import { markBytesOrphaned } from './files.ts'

/** The runs of a script, or of one of its configurations, of which the latest `keptMax` stay. */
export type History = {
  readonly scriptId: number
  readonly runConfigurationId?: number
  readonly keptMax: number
  readonly at: number
}

/** Removes the oldest that have ended, of a script that has more than `keptMax` of them, and marks their bytes as orphaned. */
export function trimHistory(
  database: Database,
  { scriptId, runConfigurationId, keptMax, at }: History,
): Write[] {
  const isOf =
    runConfigurationId === undefined ? sql`` : sql`and run_configuration_id = ${runConfigurationId}`
  return removeRuns(
    database,
    sql`select id from runs where script_id = ${scriptId} ${isOf} and finished_at is not null
      order by id desc limit -1 offset ${keptMax}`,
    at,
  )
}

/** Removes one run that has ended. */
export function deleteRun(database: Database, id: string, at: number): Write[] {
  return removeRuns(database, sql`select id from runs where id = ${id} and finished_at is not null`, at)
}

/** Removes all runs of a script that have ended. */
export function deleteHistory(database: Database, scriptId: number, at: number): Write[] {
  return trimHistory(database, { scriptId, keptMax: 0, at })
}

function removeRuns(database: Database, ids: ReturnType<typeof sql>, at: number): Write[] {
  return [
    markBytesOrphaned(database, sql`run_id in (${ids}) and kind <> 'tree'`, at),
    database.delete(runs).where(sql`${runs.id} in (${ids})`),
  ]
}
