import { recorder } from '../../access/audit/service.ts'
import { refuseWhileShown, widgetsShowing } from '../../access/dashboard-use/service.ts'
import { forgetForecastRuns, runningForecasts } from '../../automation/runs/service/forecast-runs.ts'
import { comes, nextAfter } from '../../automation/scripts/cron.ts'
import type { Context, UserCaller } from '../../context.ts'
import { demandedVersion, refuseStale } from '../../http/preconditions.ts'
import { Refusal, invalidAt, nameTaken, noSuch, stale } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import { applyChanges, enqueueJobConfigs } from '../../monitoring/job-config/service.ts'
import { refuseOpening } from '../../data/scopes/service/sights.ts'
import { requireFileSource } from '../../data/sources/service.ts'
import { openTable } from '../../data/tables/service.ts'
import {
  commit,
  commitAndRead,
  fullDetail,
  isUniqueViolation,
  onlyOf,
  refuseFull,
} from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { figuresOf } from './figures.ts'
import { requireScopeColumns } from './service/scopes.ts'
import { definitionOf, FORECASTS_MAX } from './definition.ts'
import type { ForecastBody } from './definition.ts'
import type { DependentsView, ForecastSummary, ForecastView } from './schema.ts'
import * as store from './store.ts'
import type { ForecastChange, ForecastRow, OwnedForecast } from './store.ts'

const recorded = recorder('forecast')

const DEPENDENTS_MAX = 100
const NAMES: readonly (keyof ForecastSummary)[] = [
  'id',
  'name',
  'description',
  'state',
  'refreshedAt',
  'nextRunAt',
  'staleAt',
  'figures',
  'quality',
]

type Versioned = { readonly view: ForecastView; readonly version: number }

/** The forecasts, by name; there are 200 at most. */
export async function listForecasts({ ports }: Context): Promise<ForecastSummary[]> {
  const rows = await store.listForecasts(ports.database)
  const running = await runningForecasts(
    ports,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const view = viewOf(ports, row, running.has(row.id))
    return Object.fromEntries(NAMES.map((name) => [name, view[name]])) as ForecastSummary
  })
}

/** The forecasts with their definitions, by name. */
export function listDefinitions({
  database,
}: Ports): Promise<readonly Pick<ForecastRow, 'id' | 'name' | 'description' | 'definition' | 'version'>[]> {
  return store.listForecasts(database)
}

/** @throws {Refusal} not_found */
export async function readForecast({ ports }: Context, id: number): Promise<Versioned> {
  return versioned(ports, await requireForecast(ports, id))
}

/** A forecast as it is stored. @throws {Refusal} not_found */
export async function requireForecast(
  { database }: Pick<Ports, 'database'>,
  id: number,
): Promise<OwnedForecast> {
  const row = await store.findForecast(database, id)
  if (!row) throw noSuch('forecast')
  return row
}

/** Stores a forecast, whose source is read in the name of the caller from now on.
 * @throws {Refusal} invalid, name_taken, scope_columns_missing, conflict when there are 200, forbidden for a table where the
 * caller is not an administrator */
export async function createForecast(context: Context, body: ForecastBody): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  const change = await changeOf(context, body, null)
  const row = { ...change, createdAt: change.updatedAt }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) })
  const writes = [store.insertForecast(database, row, FORECASTS_MAX), entry]
  const full = fullDetail(FORECASTS_MAX, 'forecasts')
  const [made] = await refuseFull('forecasts', full, () =>
    refuseTakenName(() => commitAndRead(database, writes, [store.selectNamed(database, row.name)])),
  )
  return versioned(ports, store.toOwned(onlyOf(made)))
}

/** @throws {Refusal} not_found, precondition_failed, and as `createForecast` */
export async function updateForecast(
  context: Context,
  id: number,
  { body, ifMatch }: { readonly body: ForecastBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const before = await requireForecast(ports, id)
  refuseStale(ifMatch, before.version, 'forecast')
  const change = await changeOf(context, body, before)
  const told = { objectId: id, before: auditFieldsOf(before), after: auditFieldsOf(change) }
  const writes = [store.updateForecast(ports.database, before, change), recorded(context, 'update', told)]
  try {
    await refuseTakenName(() => commit(ports.database, writes))
  } catch (error) {
    throw store.isGuarded(error) ? stale('forecast') : error
  }
  // The answer is what this commit wrote, since another user may have changed it again; or a deletion came first.
  await requireForecast(ports, id)
  const ownerName = context.caller.kind === 'user' ? context.caller.username : null
  return versioned(ports, { ...before, ...change, ownerName, version: before.version + 1 })
}

/** Deletes a forecast with its runs; its table stays, and limits that name it become unknown.
 * @throws {Refusal} not_found, precondition_failed, forbidden for a table where the caller is not an administrator, conflict
 * while a run has not ended, has_dependents while widgets show it or limits of jobs name it, unless it is forced */
export async function deleteForecast(
  context: Context,
  id: number,
  options: { readonly isForced: boolean },
): Promise<void> {
  const { ports } = context
  const row = await requireForecast(ports, id)
  refuseStale(demandedVersion(context), row.version, 'forecast')
  requireTableRight(context, row.definition)
  const { table } = row.definition
  if (table) await refuseOpening(ports, table.dataSourceId, table.name)
  if (await isRunning(ports, id))
    throw new Refusal('conflict', 'A run of the forecast has not ended. Cancel it first.')
  if (!options.isForced) await refuseWhileShown(context, { kind: 'forecast', ids: [id] })
  const jobs = await store.listJobsNaming(ports.database, id)
  try {
    await commit(ports.database, [
      ...store.deleteForecast(ports.database, id, options),
      ...forgetForecastRuns(ports, id),
      enqueueJobConfigs(
        ports.database,
        jobs.map((job) => job.id),
      ),
      recorded(context, 'delete', { objectId: id, before: auditFieldsOf(row) }),
    ])
  } catch (error) {
    if (!store.isGuarded(error)) throw error
    const named = jobs
      .slice(0, DEPENDENTS_MAX)
      .map((job) => `${job.name} (${job.id})`)
      .join(', ')
    throw new Refusal(
      'has_dependents',
      `Limits of these jobs name the forecast: ${named}. Delete it with forceDelete.`,
    )
  }
  await applyChanges(ports)
}

/** The dependents of a forecast. @throws {Refusal} not_found */
export async function listDependents({ ports }: Context, id: number): Promise<DependentsView> {
  const { definition } = await requireForecast(ports, id)
  const [jobs, widgets] = await Promise.all([
    store.listJobsNaming(ports.database, id, DEPENDENTS_MAX),
    widgetsShowing(ports, { kind: 'forecast', ids: [id] }),
  ])
  return { jobs, widgets: [...widgets], table: definition.table }
}

/** The zone of the days and seasons of a forecast. */
export function zoneOf(
  { settings }: Pick<Ports, 'settings'>,
  { definition }: Pick<ForecastRow, 'definition'>,
): string {
  return definition.timeZone ?? settings.timeZone
}

/** When a schedule orders a run after an instant; null if none does. */
export function nextRunAfter(
  { settings }: Pick<Ports, 'settings'>,
  { schedule }: Pick<ForecastBody, 'schedule'>,
  at: number,
): number | null {
  if (!schedule?.enabled) return null
  return nextAfter(schedule.cron, schedule.timeZone ?? settings.timeZone, at)
}

/** Whether a run of a forecast has not ended. */
export async function isRunning(ports: Ports, id: number): Promise<boolean> {
  return (await runningForecasts(ports, [id])).has(id)
}

async function refuseTakenName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    throw isUniqueViolation(error, 'forecasts.name') ? nameTaken('forecast') : error
  }
}

async function changeOf(
  context: Context,
  body: ForecastBody,
  before: OwnedForecast | null,
): Promise<ForecastChange> {
  const { ports, caller } = context
  const { clock, settings } = ports
  const { schedule, name, description } = body
  const now = clock.now()
  if (schedule && !comes(schedule.cron, schedule.timeZone ?? settings.timeZone, now))
    throw invalidAt('/schedule/cron', 'must be a cron expression that comes')
  requireTableRight(context, body, before?.definition ?? null)
  await requireKept(ports, before?.definition.table ?? null, body.table)
  await checkTable(context, body, before)
  if (body.table) await requireScopeColumns(context, body)
  const ownerId = caller.kind === 'user' ? caller.userId : 0
  return {
    name,
    description,
    definition: definitionOf(body),
    ownerId,
    nextAt: nextRunAfter(ports, body, now),
    updatedAt: now,
  }
}

/** With its forecast a table of results loses the scopes of the source. @throws {Refusal} forbidden */
function requireTableRight(
  { caller }: Context,
  ...forecasts: readonly (Pick<ForecastBody, 'table'> | null)[]
): void {
  if ((caller as UserCaller).role === 'administrator' || !forecasts.some((one) => one?.table)) return
  throw new Refusal(
    'forbidden',
    'Only administrators may choose a table of results, and change or delete such forecasts.',
  )
}

/** @throws {Refusal} conflict for another table while the former one would be open to all */
async function requireKept(
  ports: Ports,
  former: ForecastBody['table'],
  table: ForecastBody['table'],
): Promise<void> {
  if (!former || (former.name === table?.name && former.dataSourceId === table.dataSourceId)) return
  await refuseOpening(ports, former.dataSourceId, former.name)
}

/** @throws {Refusal} invalid, conflict for a database, name_taken */
async function checkTable(
  { ports }: Pick<Context, 'ports'>,
  { table }: Pick<ForecastBody, 'table'>,
  before: OwnedForecast | null,
): Promise<void> {
  if (!table) return
  try {
    await requireFileSource(ports, table.dataSourceId)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_found') throw error
    throw invalidAt('/table/dataSourceId', 'does not exist')
  }
  const known = await openTable(ports, table.dataSourceId, table.name)
  if (known && known.id !== before?.summary?.tableId)
    throw new Refusal('name_taken', `The data source has a table ${table.name}. Choose another name.`, [
      { pointer: '/table/name', message: 'is already used' },
    ])
}

function auditFieldsOf({
  name,
  description,
  definition,
}: Pick<ForecastRow, 'name' | 'description' | 'definition'>) {
  return { name, description, ...definition }
}

async function versioned(ports: Ports, row: OwnedForecast): Promise<Versioned> {
  return { view: viewOf(ports, row, await isRunning(ports, row.id)), version: row.version }
}

function viewOf(ports: Ports, row: OwnedForecast, hasRun: boolean): ForecastView {
  const format = timeFormat(ports.settings.timeZone)
  const shown = (at: number | null) => (at === null ? null : format(at))
  const { id, name, description, definition, ownerId, ownerName, summary, failure } = row
  const staleAt = staleAtOf(ports, row)
  const { step, horizon } = definition
  return {
    id,
    name,
    description,
    ...definition,
    owner: { id: ownerId, name: ownerName },
    state: hasRun ? 'running' : stateOf(ports, row, staleAt),
    publishedRun: row.publishedRun,
    refreshedAt: shown(row.publishedAt),
    nextRunAt: shown(row.nextAt),
    staleAt: shown(staleAt),
    figures: summary?.backtest
      ? figuresOf(summary.backtest, { season: summary.season, step, horizon })
      : null,
    quality: { ...summary?.quality },
    failure: failure && { ...failure, at: format(failure.at) },
    createdAt: format(row.createdAt),
    updatedAt: format(row.updatedAt),
  }
}

/** The results are old at the second time of the schedule after the history was read, and always at their end. */
export function staleAtOf(
  ports: Pick<Ports, 'settings'>,
  { readAt, summary, definition }: Pick<ForecastRow, 'readAt' | 'summary' | 'definition'>,
): number | null {
  if (readAt === null || !summary) return null
  const next = nextRunAfter(ports, definition, readAt)
  const after = next === null ? null : nextRunAfter(ports, definition, next)
  return Math.min(summary.endAt, after ?? summary.endAt)
}

/** The state of a forecast without a run. */
function stateOf(ports: Ports, row: OwnedForecast, staleAt: number | null): ForecastView['state'] {
  if (row.failure) return 'failed'
  if (staleAt === null) return 'never'
  return staleAt <= ports.clock.now() ? 'stale' : 'ready'
}
