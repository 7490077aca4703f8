import { hasRole } from '../../../../context.ts'
import type { Context } from '../../../../context.ts'
import { createQuery, publishQuery } from '../../../../data/queries/service.ts'
import { queryBody } from '../../../../data/queries/schema.ts'
import { READERS } from '../../../../data/sources/schema.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { ownValue } from '../../../../lib/json.ts'
import type { Write } from '../../../../ports/database.ts'
import { createGroup } from '../../groups/service.ts'
import { changeWrites, commitDashboard, creationWrites, nameOf, recorded } from '../../service/changes.ts'
import { sightsOf } from '../../service/rights.ts'
import type { Sights } from '../../service/rights.ts'
import type { DashboardRow } from '../../store.ts'
import type { ImportBody, ImportView } from '../schema.ts'
import * as store from '../store.ts'
import { planForecasts, saveForecasts } from './forecasts.ts'
import type { ForecastPlan } from './forecasts.ts'
import { planImport } from './plan.ts'
import type { Plan, Planned } from './plan.ts'

/** The outcome that an import would have. */
export async function analyzeImport(context: Context, body: ImportBody): Promise<ImportView> {
  const queries = await queriesOf(context, body)
  const plan = await planImport(context, body)
  const made = madeBy(queries)
  const forecasts = await planForecasts(context, body, made)
  return viewOf(plan, { queries, ...forecasts }, { isDone: false, made, predicted: madeForecasts(forecasts) })
}

/** Imports all dashboards in one commit. Groups, data queries and forecasts that are missing are made before.
 * @throws {Refusal} invalid for an import with errors, and as `commitDashboard` */
export async function importDashboards(context: Context, body: ImportBody): Promise<ImportView> {
  const first = await planImport(context, body)
  const queries = await queriesOf(context, body)
  const made = madeBy(queries)
  const foreseen = await planForecasts(context, body, made)
  refuseErrors([...first.errors, ...foreseen.errors])
  await makeQueries(context, body, queries)
  // The new data queries have ids now, and then the new forecasts.
  const forecasts = made.size > 0 ? await planForecasts(context, body, NONE) : foreseen
  await saveForecasts(context, forecasts.forecasts)
  const isAnyNew = made.size > 0 || madeForecasts(forecasts).size > 0
  const plan = isAnyNew ? await planImport(context, body) : first
  const groups = await makeGroups(context, body, plan.planned)
  const writes = plan.planned.flatMap((one) => writesOf(context, plan, one, { groups }))
  try {
    await commitDashboard(context, writes)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'precondition_failed') throw error
    throw new Refusal('conflict', 'A dashboard was changed in the meantime. Import again.')
  }
  return viewOf(plan, { queries, ...forecasts }, { isDone: true, made: NONE, predicted: NONE })
}

const NONE: ReadonlySet<string> = new Set()

/** The names of the data queries that an import makes, in lower case. */
function madeBy(queries: Queries): ReadonlySet<string> {
  return new Set(queries.filter(({ action }) => action === 'create').map(({ name }) => name.toLowerCase()))
}

/** The names of the forecasts that an import makes, in lower case. */
function madeForecasts({ forecasts }: ForecastPlan): ReadonlySet<string> {
  return new Set(forecasts.flatMap(({ action, name }) => (action === 'create' ? [name.toLowerCase()] : [])))
}

function refuseErrors(errors: Plan['errors']): void {
  if (errors.length === 0) return
  throw new Refusal(
    'invalid',
    'The import has errors; see errors. Nothing was imported.',
    errors
      .slice(0, 100)
      .map(({ name, message }) => ({ pointer: '/document', message: `${name}: ${message}` })),
  )
}

type Placing = { readonly groups: ReadonlyMap<string, number>; readonly managedBy?: string }

/** The writes of one dashboard; an unchanged one is on record. */
export function writesOf(
  context: Context,
  { sights }: Pick<Plan, 'sights'>,
  { action, file, local, id, uuid, urlName, number, definition }: Planned,
  { groups, managedBy = local?.managedBy ?? '' }: Placing,
): Write[] {
  const { name, description, groupPath } = file
  const groupId = groupPath.length === 0 ? null : (groups.get(keyOf(groupPath)) ?? null)
  const fields = { name, description, definition, number }
  if (action === 'update' && local)
    return [...changeWrites(context, local, { action: 'import', after: { ...fields, managedBy } }).writes]
  if (action !== 'create' && action !== 'copy') return [recorded(context, 'import', { objectId: id })]
  const now = context.ports.clock.now()
  const row: DashboardRow = {
    id,
    uuid,
    urlName,
    groupId,
    ...fields,
    managedBy,
    version: 1,
    createdAt: now,
    updatedAt: now,
    updatedBy: nameOf(context),
  }
  return creationWrites(context, row, sights)
}

/** The ids of the groups of new dashboards by their paths; missing groups are made. */
export async function makeGroups(
  context: Context,
  { document }: Pick<ImportBody, 'document'>,
  planned: readonly Planned[],
): Promise<ReadonlyMap<string, number>> {
  const groups = new Map<string, number>()
  let sights = await sightsOf(context)
  for (const { file, action } of planned) {
    if (action !== 'create' && action !== 'copy') continue
    let parentId: number | null = null
    for (const [index, name] of file.groupPath.entries()) {
      const path = file.groupPath.slice(0, index + 1)
      const found = findGroup(sights, { name, parentId })
      if (found === null) {
        const { defaultParams = {} } = document.groups.find((one) => keyOf(one.path) === keyOf(path)) ?? {}
        const made = await createGroup(context, { name, parentId, position: 0, defaultParams })
        sights = await sightsOf(context)
        parentId = made.view.id
      } else parentId = found
      groups.set(keyOf(path), parentId)
    }
    if (parentId !== null && !sights.ofGroup(parentId).write)
      throw new Refusal('forbidden', `You have no right to write the group ${file.groupPath.join('/')}.`)
  }
  return groups
}

function findGroup(
  { groups }: Sights,
  { name, parentId }: { name: string; parentId: number | null },
): number | null {
  for (const group of groups.values())
    if (group.parentId === parentId && group.name.toLowerCase() === name.toLowerCase()) return group.id
  return null
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path.map((name) => name.toLowerCase()))
}

type Queries = ImportView['dataQueries']

/** Data queries of an export are made where they are missing, if the caller may. */
async function queriesOf(context: Context, { document, map }: ImportBody): Promise<Queries> {
  const { database } = context.ports
  const mayMake = hasRole(context.caller, READERS)
  const names = document.dataQueries.map(({ name }) => ownValue(map.dataQueries, name) ?? name)
  const known = new Set(
    (await store.findNames(database, 'dataQuery', names)).map(({ name }) => name.toLowerCase()),
  )
  const sources = await store.findNames(
    database,
    'dataSource',
    document.dataQueries.map(({ dataSource }) => dataSource),
  )
  const sourceNames = new Set(sources.map(({ name }) => name.toLowerCase()))
  return document.dataQueries.map(({ dataSource }, index) => {
    const name = names[index] ?? ''
    if (known.has(name.toLowerCase())) return { name, action: 'unchanged' }
    return { name, action: mayMake && sourceNames.has(dataSource.toLowerCase()) ? 'create' : 'skip' }
  })
}

async function makeQueries(context: Context, { document }: ImportBody, queries: Queries): Promise<void> {
  for (const [index, { name, action }] of queries.entries()) {
    const given = document.dataQueries[index]
    if (action !== 'create' || !given) continue
    const { dataSource, ...fields } = given
    const [source] = await store.findNames(context.ports.database, 'dataSource', [dataSource])
    const body = queryBody.safeParse({ ...fields, name, dataSourceId: source?.id })
    if (!body.success)
      throw new Refusal('invalid', 'A data query of the import is not valid.', [
        { pointer: `/document/dataQueries/${index}`, message: 'must be a data query' },
      ])
    const { view } = await createQuery(context, body.data)
    await publishQuery(context, view.id, { description: '', force: true })
  }
}

/** The names of data queries and of forecasts that an import is about to make. */
type Outcome = {
  readonly isDone: boolean
  readonly made: ReadonlySet<string>
  readonly predicted: ReadonlySet<string>
}

type Beside = ForecastPlan & { readonly queries: Queries }

function viewOf(plan: Plan, beside: Beside, { isDone, made, predicted }: Outcome): ImportView {
  const comes: Readonly<Record<string, ReadonlySet<string>>> = { dataQuery: made, forecast: predicted }
  return {
    dashboards: plan.planned.map(({ file, action, local, id, uuid, urlName, number, localChanges }) => ({
      uuid,
      name: file.name,
      urlName,
      action,
      id: isDone || (local !== null && action !== 'copy') ? id : null,
      fromVersion: local?.number ?? null,
      toVersion: number,
      localChanges,
    })),
    dataQueries: beside.queries,
    forecasts: beside.forecasts.map(({ name, action }) => ({ name, action })),
    unmatched: plan.unmatched.filter(({ kind, name }) => !comes[kind]?.has(name.toLowerCase())),
    warnings: [...plan.warnings, ...beside.warnings],
    errors: [...plan.errors, ...beside.errors],
  }
}
