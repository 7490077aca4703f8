import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { users } from '../../../../db/tables/access.ts'
import { runs } from '../../../../db/tables/runs.ts'
import type { Database } from '../../../ports/database.ts'
import type { RunState } from '../../../domain/run-state.ts'
import type { RunRow } from '../store.ts'

/** A run as lists show it. */
export type ListedRun = RunRow & {
  readonly username: string | null
  readonly keptLines: number
  readonly outputs: readonly {
    readonly name: string
    readonly sizeBytes: number
    readonly mimeType: string
  }[]
}

export type RunFilter = {
  readonly scriptId: number
  readonly runConfigurationId?: number | undefined
  readonly state?: RunState | undefined
  readonly beforeId?: string | undefined
}

/** Runs of a script, the latest first. */
export function listRuns(database: Database, filter: RunFilter, limit: number): Promise<ListedRun[]> {
  const { scriptId, runConfigurationId, state, beforeId } = filter
  return listed(
    database,
    and(
      eq(runs.scriptId, scriptId),
      runConfigurationId === undefined ? undefined : eq(runs.runConfigurationId, runConfigurationId),
      state === undefined ? undefined : eq(runs.state, state),
      beforeId === undefined ? undefined : lt(runs.id, beforeId),
    ),
    limit,
  )
}

/** The latest runs of each configuration of a script, by configuration, the latest first. Goes from one configuration to the
 * next in the index, however many runs there are of each. */
export function listLatest(database: Database, scriptId: number, count: number): Promise<ListedRun[]> {
  const next = sql`(select min(run_configuration_id) from runs
    where script_id = ${scriptId} and run_configuration_id > configurations.id)`
  const ids = sql`
    with recursive configurations(id) as (
      select min(run_configuration_id) from runs where script_id = ${scriptId}
      union all
      select ${next} from configurations where id is not null
    )
    select latest.id from configurations, runs as latest
    where latest.id in (
      select id from runs where script_id = ${scriptId} and run_configuration_id = configurations.id
      order by id desc limit ${count}
    )`
  return listed(database, sql`${runs.id} in (${ids})`, -1, [runs.runConfigurationId, desc(runs.id)])
}

/** One run of a script. */
export async function readRun(database: Database, scriptId: number, id: string): Promise<ListedRun | null> {
  const [row] = await selectRun(database, scriptId, id)
  return row ? runOf(row) : null
}

/** The statement that reads one run of a script, for `runOf`. */
export function selectRun(database: Database, scriptId: number, id: string) {
  return selectRuns(database, and(eq(runs.scriptId, scriptId), eq(runs.id, id)), 1, [desc(runs.id)])
}

async function listed(
  database: Database,
  where: SQL | undefined,
  limit: number,
  order: readonly (SQL | SQLiteColumn)[] = [desc(runs.id)],
): Promise<ListedRun[]> {
  return (await selectRuns(database, where, limit, order)).map(runOf)
}

function selectRuns(
  database: Database,
  where: SQL | undefined,
  limit: number,
  order: readonly (SQL | SQLiteColumn)[],
) {
  return database
    .select({
      run: runs,
      username: users.username,
      keptLines: sql<number>`(select count(*) from run_log_lines where run_id = ${runs.id})`.as('kept_lines'),
      outputs:
        sql<string>`(select json_group_array(json_object('name', name, 'sizeBytes', size_bytes, 'mimeType', mime_type))
        from (select * from run_files where run_id = ${runs.id} and kind = 'output' order by name))`.as(
          'outputs',
        ),
    })
    .from(runs)
    .leftJoin(users, eq(users.id, runs.userId))
    .where(where)
    .orderBy(...order)
    .limit(limit)
}

type SelectedRun = Awaited<ReturnType<typeof selectRuns>>[number]

/** A listed run with the row that a commit wrote; the figures of its log are of the same read. */
export function withRow(run: ListedRun, row: RunRow): ListedRun {
  return { ...run, ...row, logLines: run.logLines }
}

export function runOf({ run, username, keptLines, outputs }: SelectedRun): ListedRun {
  return {
    ...(run as RunRow),
    username,
    keptLines,
    outputs: JSON.parse(outputs) as ListedRun['outputs'],
  }
}
