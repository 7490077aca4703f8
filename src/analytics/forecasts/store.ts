import { and, asc, eq, lte, sql } from 'drizzle-orm'
import { eachOf, partsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { users } from '../../../db/tables/access.ts'
import { forecastBands, forecastGroups, forecasts } from '../../../db/tables/forecasts.ts'
import { dataTables } from '../../../db/tables/sources.ts'
import type { ForecastBand } from '../../domain/forecast-band.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { GroupOutcome, Points, PublishedSummary, Summary } from './results.ts'
import type { Definition, Quality } from './definition.ts'

export type Failure = {
  readonly runId: string | null
  readonly code: string
  readonly detail: string
  readonly at: number
}

export type ForecastRow = Omit<typeof forecasts.$inferSelect, 'definition' | 'summary' | 'failure'> & {
  readonly definition: Definition
  readonly summary: Summary | null
  readonly failure: Failure | null
}

export type ForecastChange = Pick<
  ForecastRow,
  'name' | 'description' | 'definition' | 'ownerId' | 'nextAt' | 'updatedAt'
>

export type GroupRow = {
  readonly number: number
  readonly key: readonly (string | number | boolean | null)[]
  readonly quality: Quality
  readonly outcome: GroupOutcome
  readonly points: Points | null
}

/** A forecast with the name of its owner. */
export type OwnedForecast = ForecastRow & { readonly ownerName: string | null }

export async function listForecasts(database: Database): Promise<OwnedForecast[]> {
  const rows = await owned(database).orderBy(sql`${forecasts.name} collate nocase`)
  return rows.map(toOwned)
}

export async function findForecast(database: Database, id: number): Promise<OwnedForecast | null> {
  const [row] = await owned(database).where(eq(forecasts.id, id))
  return row ? toOwned(row) : null
}

/** The statement of a commit that reads a forecast by its name; `toOwned` makes a forecast of its row. */
export function selectNamed(database: Database, name: string) {
  return owned(database).where(sql`${forecasts.name} = ${name} collate nocase`)
}

function owned(database: Database) {
  return database
    .select({ forecast: forecasts, ownerName: users.username })
    .from(forecasts)
    .leftJoin(users, eq(users.id, forecasts.ownerId))
}

export type OwnedRow = {
  readonly forecast: typeof forecasts.$inferSelect
  readonly ownerName: string | null
}

export function toOwned({ forecast, ownerName }: OwnedRow): OwnedForecast {
  return { ...(forecast as ForecastRow), ownerName }
}

/** Adds a forecast. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertForecast(
  database: Database,
  row: ForecastChange & { readonly createdAt: number },
  max: number,
): Write {
  const createdAt = unlessFull(row.createdAt, { rows: sql`select 1 from forecasts`, max })
  return database.insert(forecasts).values({ ...row, version: 1, createdAt })
}

/** Changes a forecast that is still at this version; otherwise the batch fails for the empty version. */
export function updateForecast(
  database: Database,
  { id, version }: Pick<ForecastRow, 'id' | 'version'>,
  change: ForecastChange,
): Write {
  return database
    .update(forecasts)
    .set({ ...change, version: sql`case when ${forecasts.version} = ${version} then ${version + 1} end` })
    .where(eq(forecasts.id, id))
}

/** Deletes a forecast. Unless it is forced, the batch fails for the empty version while limits of jobs name it. */
export function deleteForecast(
  database: Database,
  id: number,
  { isForced }: { readonly isForced: boolean },
): Write[] {
  const guard = database
    .update(forecasts)
    .set({ version: sql`case when not exists (${jobsNaming(id)}) then ${forecasts.version} end` })
    .where(eq(forecasts.id, id))
  return [...(isForced ? [] : [guard]), database.delete(forecasts).where(eq(forecasts.id, id))]
}

export function isGuarded(error: unknown): boolean {
  return isNotNullViolation(error, 'forecasts.version')
}

/** Jobs with a limit that names a forecast. */
function jobsNaming(id: number) {
  return sql`select o.id, o.name from jobs j join objects o on o.id = j.id where exists (
    select 1 from json_each(j.thresholds) as level, json_each(level.value, '$.conditions') as condition
    where (json_extract(condition.value, '$.adaptiveValues.source') = 'forecast'
      and json_extract(condition.value, '$.adaptiveValues.forecastId') = ${id})
      or json_extract(condition.value, '$.inFuture.forecastId') = ${id})`
}

/** Jobs with a limit that names a forecast, by id; at most `limit` of them, all without one. */
export function listJobsNaming(
  database: Database,
  id: number,
  limit = -1,
): Promise<{ readonly id: number; readonly name: string }[]> {
  return database.all(sql`${jobsNaming(id)} order by o.id limit ${limit}`)
}

/** Notes the failure of a run, unless the forecast has published a later one. */
export function noteFailure(database: Database, id: number, failure: Failure): Write {
  const isOlder =
    failure.runId === null ? undefined : sql`coalesce(${forecasts.publishedRun}, '') < ${failure.runId}`
  return database
    .update(forecasts)
    .set({ failure })
    .where(and(eq(forecasts.id, id), isOlder))
}

/** Publishes the results of a run in place of earlier ones. The table of results, if any, gets its id earlier in the same batch. */
export function publishResults(
  database: Database,
  {
    id,
    runId,
    readAt,
    at,
    summary,
    table,
  }: {
    readonly id: number
    readonly runId: string
    readonly readAt: number
    readonly at: number
    readonly summary: PublishedSummary
    readonly table: Definition['table']
  },
): Write {
  const tableId = table
    ? sql`(select ${dataTables.id} from ${dataTables} where ${dataTables.dataSourceId} = ${table.dataSourceId}
        and ${dataTables.name} = ${table.name} collate nocase)`
    : sql`null`
  const whole = sql`json_set(${JSON.stringify(summary)}, '$.tableId', ${tableId})`
  return database
    .update(forecasts)
    .set({ publishedRun: runId, readAt, publishedAt: at, summary: whole, failure: null })
    .where(eq(forecasts.id, id))
}

/** Replaces the groups of a forecast. */
export function replaceGroups(database: Database, id: number, groups: readonly GroupRow[]): Write[] {
  return [
    database.delete(forecastGroups).where(eq(forecastGroups.forecastId, id)),
    ...partsOf(groups).map((part) =>
      database.run(sql`
        insert into forecast_groups (forecast_id, number, key, quality, outcome, points)
        select f.id, value ->> 'number', value -> 'key', value ->> 'quality', value -> 'outcome', value -> 'points'
        from ${eachOf(part)} join forecasts f on f.id = ${id}`),
    ),
  ]
}

export async function listGroups(
  database: Database,
  id: number,
  { quality, limit }: { readonly quality?: Quality | undefined; readonly limit: number },
): Promise<GroupRow[]> {
  const rows = await database
    .select()
    .from(forecastGroups)
    .where(
      and(
        eq(forecastGroups.forecastId, id),
        quality === undefined ? undefined : eq(forecastGroups.quality, quality),
      ),
    )
    .orderBy(forecastGroups.number)
    .limit(limit)
  return rows as unknown as GroupRow[]
}

export async function findGroup(database: Database, id: number, number: number): Promise<GroupRow | null> {
  const [row] = await database
    .select()
    .from(forecastGroups)
    .where(and(eq(forecastGroups.forecastId, id), eq(forecastGroups.number, number)))
  return row ? (row as unknown as GroupRow) : null
}

/** A group by the values of its group columns. */
export async function findGroupOf(
  database: Database,
  id: number,
  key: readonly (string | number | boolean | null)[],
): Promise<GroupRow | null> {
  const [row] = await database
    .select()
    .from(forecastGroups)
    .where(sql`${forecastGroups.forecastId} = ${id} and ${forecastGroups.key} = ${JSON.stringify(key)}`)
  return row ? (row as unknown as GroupRow) : null
}

/** The jobs that have bands of a forecast. */
export async function listBandJobs(database: Database, id: number): Promise<number[]> {
  const rows = await database
    .selectDistinct({ jobId: forecastBands.jobId })
    .from(forecastBands)
    .where(eq(forecastBands.forecastId, id))
  return rows.map(({ jobId }) => jobId)
}

/** Replaces the bands of a forecast; jobs that are gone get none. */
export function replaceBands(
  database: Database,
  id: number,
  bands: readonly { readonly jobId: number; readonly band: ForecastBand }[],
): Write[] {
  return [
    database.delete(forecastBands).where(eq(forecastBands.forecastId, id)),
    ...bands.map(({ jobId, band }) =>
      database.run(sql`
        insert into forecast_bands (job_id, key, forecast_id, made_at, band)
        select j.id, ${band.key}, f.id, ${band.madeAt}, ${JSON.stringify(band)}
        from jobs j join forecasts f on f.id = ${id} where j.id = ${jobId}`),
    ),
  ]
}

export type DueForecast = ForecastRow & { readonly nextAt: number }

/** Forecasts whose schedules are due, the longest first. */
export async function listDue(database: Database, now: number, limit: number): Promise<DueForecast[]> {
  const rows = await database
    .select()
    .from(forecasts)
    .where(lte(forecasts.nextAt, now))
    .orderBy(asc(forecasts.nextAt), asc(forecasts.id))
    .limit(limit)
  return rows as DueForecast[]
}

/** Moves the schedule of a forecast on; false where another process has done it. */
export async function moveSchedule(
  database: Database,
  due: Pick<DueForecast, 'id' | 'nextAt'>,
  nextAt: number | null,
): Promise<boolean> {
  const moved = await settleSchedule(database, due, nextAt).returning({ id: forecasts.id })
  return moved.length > 0
}

/** Moves the schedule of a forecast on, unless it was moved in the meantime. */
export function settleSchedule(
  database: Database,
  { id, nextAt: dueAt }: Pick<DueForecast, 'id' | 'nextAt'>,
  nextAt: number | null,
) {
  return database
    .update(forecasts)
    .set({ nextAt })
    .where(and(eq(forecasts.id, id), eq(forecasts.nextAt, dueAt)))
}
