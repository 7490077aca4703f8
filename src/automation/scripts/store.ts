import { and, eq, gt, or, sql } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import type { runs } from '../../../db/tables/runs.ts'
import { scriptDependents, scriptGroups, scripts } from '../../../db/tables/scripts.ts'
import type { RunState } from '../../domain/run-state.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { NeededScript, ScriptDependent } from '../../ports/scripts.ts'
import type { Changer } from './changer.ts'
import type { Detection } from './detection.ts'
import { FORECASTS_ID } from './forecasts-id.ts'

export type ScriptRow = Omit<typeof scripts.$inferSelect, 'detection' | keyof Changer> & {
  readonly detection: Detection
} & Changer

export type ScriptChange = Partial<
  Pick<
    ScriptRow,
    'name' | 'description' | 'groupId' | 'timeoutS' | 'acceptedFiles' | 'detection' | keyof Changer
  >
>

/** Some scripts. */
export type ScriptSelection = {
  readonly scriptIds: readonly number[]
  readonly groupIds: readonly number[]
  readonly all: boolean
}

const BY_NAME = sql`${scripts.name} collate nocase`
/** Users have no access to the row of forecasts. */
const IS_SCRIPT = gt(scripts.id, FORECASTS_ID)

/** Scripts by name, those after `afterName`. */
export async function listScripts(
  database: Database,
  { groupId, afterName }: { readonly groupId: number | undefined; readonly afterName: string },
  limit: number,
): Promise<ScriptRow[]> {
  const rows = await database
    .select()
    .from(scripts)
    .where(
      and(
        IS_SCRIPT,
        gt(BY_NAME, afterName),
        groupId === undefined ? undefined : eq(scripts.groupId, groupId),
      ),
    )
    .orderBy(BY_NAME)
    .limit(limit)
  return rows as ScriptRow[]
}

export async function findScript(database: Database, key: number | string): Promise<ScriptRow | null> {
  const isThis = typeof key === 'number' ? eq(scripts.id, key) : eq(BY_NAME, key)
  const [row] = await database.select().from(scripts).where(and(isThis, IS_SCRIPT))
  return (row as ScriptRow | undefined) ?? null
}

type NextIds = { readonly scriptId: number; readonly groupId: number; readonly runConfigurationId: number }

/** The ids of the next script, the next group of scripts and the next run configuration, unless another request is faster. */
export async function nextIds(database: Database): Promise<NextIds> {
  const [row] = await database.all<NextIds>(sql`
    select coalesce((select seq from sqlite_sequence where name = 'scripts'), 0) + 1 as "scriptId",
      coalesce((select seq from sqlite_sequence where name = 'script_groups'), 0) + 1 as "groupId",
      coalesce((select seq from sqlite_sequence where name = 'run_configurations'), 0) + 1 as "runConfigurationId"`)
  return row ?? { scriptId: 1, groupId: 1, runConfigurationId: 1 }
}

/** The ids of scripts by name: of those that are named, of those in groups that are named, or of all. */
export async function listScriptIds(
  database: Database,
  { scriptIds, groupIds, all }: ScriptSelection,
  limit: number,
): Promise<number[]> {
  const named = sql`${scripts.id} in ${elementsOf(scriptIds)}`
  const grouped = sql`${scripts.groupId} in ${elementsOf(groupIds)}`
  const rows = await database
    .select({ id: scripts.id })
    .from(scripts)
    .where(and(IS_SCRIPT, all ? undefined : or(named, grouped)))
    .orderBy(BY_NAME)
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Adds a script. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertScript(
  database: Database,
  row: Omit<ScriptRow, 'id'> & { readonly id?: number },
  max: number,
) {
  const rows = sql`select 1 from scripts where ${IS_SCRIPT}`
  return database
    .insert(scripts)
    .values({ ...row, createdAt: unlessFull(row.createdAt, { rows, max }) })
    .returning({ id: scripts.id })
}

/** The row to which runs of forecasts belong, with its group, unless they are there. */
export function insertForecastsRow(database: Database, at: number): Write[] {
  const times = { createdAt: at, updatedAt: at }
  const row = { id: FORECASTS_ID, name: '', description: '', ...times }
  const rules = { groupId: FORECASTS_ID, timeoutS: 0, acceptedFiles: [], detection: {}, version: 1 }
  return [
    database.insert(scriptGroups).values(row).onConflictDoNothing(),
    database
      .insert(scripts)
      .values({ ...row, ...rules })
      .onConflictDoNothing(),
  ]
}

/** Notes a change of a script that is still at this version; otherwise the whole batch fails for the empty version. */
export function updateScript(
  database: Database,
  { id, version }: ScriptRow,
  change: ScriptChange & { readonly updatedAt: number },
): Write {
  return database
    .update(scripts)
    .set({
      ...change,
      version: sql`case when ${scripts.version} = cast(${version} as integer) then ${version + 1} end`,
    })
    .where(eq(scripts.id, id))
}

/** Takes a script away with all that is its own; the blobs of its files and runs are orphaned. Unless it is forced, fails for
 * the empty version, as an update does, while something depends on it. */
export function deleteScript(
  database: Database,
  { id }: ScriptRow,
  { isForced, at }: { readonly isForced: boolean; readonly at: number },
): Write[] {
  const isFree = sql`not exists (select 1 from script_dependents where script_id = ${id})`
  const guard = database.run(
    sql`update scripts set version = case when ${isFree} then version end where id = ${id}`,
  )
  return [
    ...(isForced ? [] : [guard]),
    database.run(sql`
      insert into orphaned_blobs (key, at)
      select blob, cast(${at} as integer) from script_files where script_id = ${id} and blob is not null
      union all select f.blob, cast(${at} as integer) from run_files f join runs r on r.id = f.run_id
      where r.script_id = ${id} and f.kind <> 'tree'`),
    database.delete(scripts).where(eq(scripts.id, id)),
  ]
}

export type Dependent = Omit<typeof scriptDependents.$inferSelect, 'scriptId' | 'kind'> &
  Pick<ScriptDependent, 'kind'>

/** The dependents of scripts, by kind, owner and part. */
export async function listDependents(
  database: Database,
  scriptIds: readonly number[],
): Promise<readonly (Dependent & { readonly scriptId: number })[]> {
  return database.all(sql`
    select script_id as "scriptId", kind, owner_id as "ownerId", part, name from script_dependents
    where script_id in ${elementsOf(scriptIds)}
    order by script_id, kind, owner_id, part`)
}

/** The latest run of a script: the one that was ordered last. */
export type LatestRun = Pick<
  typeof runs.$inferSelect,
  'id' | 'scriptId' | 'queuedAt' | 'startedAt' | 'finishedAt'
> & { readonly state: RunState }

/** The latest run of each of these scripts that has any. */
export async function listLatestRuns(
  database: Database,
  scriptIds: readonly number[],
): Promise<readonly LatestRun[]> {
  return database.all(sql`
    select id, script_id as "scriptId", state, queued_at as "queuedAt", started_at as "startedAt",
      finished_at as "finishedAt" from runs
    where id in (
      select (select max(r.id) from runs r where r.script_id = needed.value)
      from ${eachOf(scriptIds)} as needed
    )`)
}

/** Replaces the declared dependencies of an owner, or of a part of it, on scripts. Unknown scripts are left out. */
export function saveDependents(
  database: Database,
  { kind, ownerId, part }: ScriptDependent,
  needed: readonly NeededScript[],
): Write[] {
  return [
    database
      .delete(scriptDependents)
      .where(
        and(
          eq(scriptDependents.kind, kind),
          eq(scriptDependents.ownerId, ownerId),
          part === undefined ? undefined : eq(scriptDependents.part, part),
        ),
      ),
    database.run(sql`
      insert into script_dependents (script_id, kind, owner_id, part, name)
      select s.id, ${kind}, cast(${ownerId} as integer), value ->> 'part', value ->> 'name'
      from ${eachOf(needed)} join scripts s on s.id = value ->> 'scriptId'`),
  ]
}
