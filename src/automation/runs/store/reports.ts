import { and, eq, gt, sql } from 'drizzle-orm'
import { runs } from '../../../../db/tables/runs.ts'
import { commit } from '../../../ports/database.ts'
import type { Database } from '../../../ports/database.ts'
import type { ReportedState } from '../run.ts'
import type { RunRow } from '../store.ts'

/** A run that has ended, whose end is to be delivered to a job. */
export type ReportRow = Omit<RunRow, 'state'> & {
  readonly state: ReportedState
  readonly reportTo: number
  readonly finishedAt: number
}

/** A run of a forecast that has ended. */
export type EndedForecast = Pick<
  ReportRow,
  'id' | 'runConfigurationId' | 'state' | 'error' | 'queuedAt' | 'order'
>

/** Runs whose reports are due, by id, those after `afterId`. */
export async function listDue(database: Database, afterId: string, limit: number): Promise<ReportRow[]> {
  const rows = await database
    .select()
    .from(runs)
    .where(and(sql`${runs.reportState} = 'due'`, gt(runs.id, afterId)))
    .orderBy(runs.id)
    .limit(limit)
  return rows as ReportRow[]
}

/** Stores the outcome of a report that was due. */
export async function noteReport(database: Database, id: string, reportState: string): Promise<void> {
  const isDue = and(eq(runs.id, id), sql`${runs.reportState} = 'due'`)
  await commit(database, [database.update(runs).set({ reportState }).where(isDue)])
}
