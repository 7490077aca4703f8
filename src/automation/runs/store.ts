import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { runs } from '../../../db/tables/runs.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { RunState } from '../../domain/run-state.ts'
import type { ForecastOrder } from './forecast-run.ts'

/** The order of a run, and the name of its configuration at that time. */
export type Order = {
  readonly configurationName: string
  /** Replaces the arguments of the configuration; null keeps them. */
  readonly arguments: readonly string[] | null
  readonly parameters: Readonly<Record<string, unknown>>
  /** The arguments of the caller, else of the configuration, without secrets; absent in runs of older releases. */
  readonly shownArguments?: readonly string[]
  /** Users besides the one who ordered it whose rights bound the run. */
  readonly boundBy?: readonly number[]
  /** The users whose rights its script has or had, once it was assigned. */
  readonly rightsOf?: readonly number[]
  /** The needs of a forecast; absent for a script. */
  readonly forecast?: ForecastOrder
}

export type RunRow = Omit<typeof runs.$inferSelect, 'state' | 'order'> & {
  readonly state: RunState
  readonly order: Order
}

/** Inserts a run. Fails, as `isRefused` recognises, where `queueMax` runs of its configuration wait. */
export function insertRun(database: Database, row: RunRow, queueMax: number): Write {
  const rows = sql`select 1 from runs
    where ${isOf(row.scriptId, row.runConfigurationId)} and ${runs.state} = 'queued'`
  return database.insert(runs).values({ ...row, state: unlessFull(row.state, { rows, max: queueMax }) })
}

export async function findRun(database: Database, id: string): Promise<RunRow | null> {
  const [row] = await database.select().from(runs).where(eq(runs.id, id))
  return row ? (row as RunRow) : null
}

/** Changes a run that is still as it was; otherwise the whole batch fails for the empty state. */
export function updateRun(database: Database, before: RunRow, change: Partial<RunRow>): Write {
  const { state, attempt, isCancelled, attemptHash } = before
  const isSame = sql`${runs.state} = ${state} and ${runs.attempt} = ${attempt} and ${runs.isCancelled} = ${
    isCancelled ? 1 : 0
  } and ${runs.attemptHash} is ${attemptHash}`
  return database
    .update(runs)
    .set({ ...change, state: sql`case when ${isSame} then ${change.state ?? state} end` })
    .where(eq(runs.id, before.id))
}

/** Puts off the end of a lease that is still held.
 * @returns whether its run is to end; null if no runner holds it by this token */
export async function extendLease(
  database: Database,
  held: { readonly id: string; readonly runnerId: number; readonly attemptHash: string },
  leaseUntil: number,
): Promise<boolean | null> {
  const [row] = await database
    .update(runs)
    .set({ leaseUntil })
    .where(
      and(
        eq(runs.id, held.id),
        eq(runs.runnerId, held.runnerId),
        eq(runs.attemptHash, held.attemptHash),
        isNotNull(runs.leaseUntil),
      ),
    )
    .returning({ isCancelled: runs.isCancelled })
  return row ? row.isCancelled : null
}

/** Lets a batch fail, for the empty number of lines, unless a run is still held by this token. */
export function requireHeld(
  database: Database,
  { id, attemptHash }: { readonly id: string; readonly attemptHash: string },
): Write {
  return database
    .update(runs)
    .set({
      logLines: sql`case when ${runs.attemptHash} = ${attemptHash} and ${runs.leaseUntil} is not null
        then ${runs.logLines} end`,
    })
    .where(eq(runs.id, id))
}

/** Progress of a run that is still held by this token; else nothing. */
export function setProgress(
  database: Database,
  { id, attemptHash }: { readonly id: string; readonly attemptHash: string },
  change: Pick<Partial<RunRow>, 'progress' | 'progressMessage'>,
): Write {
  return database
    .update(runs)
    .set(change)
    .where(and(eq(runs.id, id), eq(runs.attemptHash, attemptHash), isNotNull(runs.leaseUntil)))
}

/** The oldest queued run of each configuration without a held run, by id. Goes from one configuration to the next
 * in the index, however many wait of each. */
export async function listNext(database: Database, limit: number): Promise<RunRow[]> {
  const first = sql`select id, script_id, run_configuration_id from runs
    where state = 'queued' order by script_id, run_configuration_id, id limit 1`
  const next = sql`select id from runs
    where state = 'queued' and (script_id, run_configuration_id) > (oldest.script_id, oldest.run_configuration_id)
    order by script_id, run_configuration_id, id limit 1`
  const ids = sql`
    with recursive oldest(id, script_id, run_configuration_id) as (
      select * from (${first})
      union all
      select runs.id, runs.script_id, runs.run_configuration_id from oldest, runs where runs.id = (${next})
    )
    select id from oldest where not exists (
      select 1 from runs as held where held.lease_until is not null
        and held.script_id = oldest.script_id and held.run_configuration_id = oldest.run_configuration_id
    ) order by id limit ${limit}`
  const rows = await database
    .select()
    .from(runs)
    .where(sql`${runs.id} in (${ids})`)
    .orderBy(asc(runs.id))
  return rows as RunRow[]
}

/** Runs whose leases have ended. */
export async function listExpired(database: Database, now: number, limit: number): Promise<RunRow[]> {
  const rows = await database
    .select()
    .from(runs)
    .where(and(isNotNull(runs.leaseUntil), lte(runs.leaseUntil, now)))
    .orderBy(runs.leaseUntil)
    .limit(limit)
  return rows as RunRow[]
}

/** The end of the next lease; null without leases. */
export async function nextLease(database: Database): Promise<number | null> {
  const [row] = await database
    .select({ at: runs.leaseUntil })
    .from(runs)
    .where(isNotNull(runs.leaseUntil))
    .orderBy(runs.leaseUntil)
    .limit(1)
  return row?.at ?? null
}

/** The runs that a runner holds. */
export async function listHeldBy(database: Database, runnerId: number): Promise<RunRow[]> {
  const rows = await database
    .select()
    .from(runs)
    .where(and(isNotNull(runs.leaseUntil), eq(runs.runnerId, runnerId)))
  return rows as RunRow[]
}

/** A run of a configuration that has not ended, or null. */
export async function findBusy(
  database: Database,
  scriptId: number,
  configurationId: number,
): Promise<RunRow | null> {
  const isOpen = sql`(${runs.state} = 'queued' or ${runs.leaseUntil} is not null)`
  const [row] = await database
    .select()
    .from(runs)
    .where(and(isOf(scriptId, configurationId), isOpen))
    .limit(1)
  return row ? (row as RunRow) : null
}

/** How many runs of a script have ended. */
export async function countEnded(database: Database, scriptId: number): Promise<number> {
  const [row] = await database
    .select({ ended: sql<number>`count(*)` })
    .from(runs)
    .where(and(eq(runs.scriptId, scriptId), isNotNull(runs.finishedAt)))
  return row?.ended ?? 0
}

/** Of these configurations of a script, the ones with a run that has not ended. */
export async function listBusy(
  database: Database,
  scriptId: number,
  configurationIds: readonly number[],
): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(sql`
    select value as id from ${eachOf(configurationIds)} where ${isBusy(scriptId, sql`value`)}`)
  return rows.map(({ id }) => id)
}

/** Whether a run of a configuration has not ended. Each half has an index of its own, so that the history is not read. */
function isBusy(scriptId: number, configurationId: number | SQL) {
  const isThere = (condition: SQL) =>
    sql`exists (select 1 from runs where ${isOf(scriptId, configurationId)} and ${condition})`
  return sql`(${isThere(sql`state = 'queued'`)} or ${isThere(sql`lease_until is not null`)})`
}

/** Inserts a run. Fails, as `isRefused` recognises, where another one of its configuration has not ended. */
export function insertAlone(database: Database, row: RunRow): Write {
  return database.insert(runs).values({
    ...row,
    state: sql`case when not ${isBusy(row.scriptId, row.runConfigurationId)} then ${row.state} end`,
  })
}

/** Whether a commit failed because of other runs of the configuration: `insertRun`, `insertAlone`. */
export function isRefused(error: unknown): boolean {
  return isNotNullViolation(error, 'runs.state')
}

/** Inserts a run, which is cancelled for that reason where another one of its configuration has not ended. */
export function insertUnlessBusy(database: Database, row: RunRow, error: string): Write {
  const isSkipped = isBusy(row.scriptId, row.runConfigurationId)
  return database.insert(runs).values({
    ...row,
    state: sql`case when ${isSkipped} then 'cancelled' else ${row.state} end`,
    error: sql`case when ${isSkipped} then ${error} end`,
    finishedAt: sql`case when ${isSkipped} then cast(${row.queuedAt} as integer) end`,
  })
}

/** Cancels the queued runs of a configuration, and asks its running ones to end. */
export function cancelPrevious(
  database: Database,
  scriptId: number,
  configurationId: number,
  at: number,
): Write[] {
  return [
    database
      .update(runs)
      .set({ state: 'cancelled', isCancelled: true, finishedAt: at })
      .where(and(isOf(scriptId, configurationId), sql`${runs.state} = 'queued'`)),
    database
      .update(runs)
      .set({ isCancelled: true })
      .where(and(isOf(scriptId, configurationId), isNotNull(runs.leaseUntil))),
  ]
}

function isOf(scriptId: number, configurationId: number | SQL) {
  return and(eq(runs.scriptId, scriptId), eq(runs.runConfigurationId, configurationId))
}

/** The number of waiting runs, and the time at which the oldest waiting run was ordered. */
export async function readQueue(
  database: Database,
): Promise<{ readonly waiting: number; readonly oldestAt: number | null }> {
  const [row] = await database
    .select({ waiting: sql<number>`count(*)`, oldestAt: sql<number | null>`min(${runs.queuedAt})` })
    .from(runs)
    .where(sql`${runs.state} = 'queued'`)
  return { waiting: row?.waiting ?? 0, oldestAt: row?.oldestAt ?? null }
}
