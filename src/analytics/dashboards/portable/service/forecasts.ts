import { SCRIPT_READERS } from '../../../../access/rights/permissions.ts'
import { hasRole } from '../../../../context.ts'
import type { Context } from '../../../../context.ts'
import { ownValue } from '../../../../lib/json.ts'
import { pointerOf } from '../../../../lib/pointer.ts'
import { readItems } from '../../../../monitoring/tree/search/service.ts'
import { definitionOf, forecastBody } from '../../../forecasts/definition.ts'
import type { Definition, ForecastBody } from '../../../forecasts/definition.ts'
import { createForecast, listDefinitions, updateForecast } from '../../../forecasts/service.ts'
import { sorted } from '../../canonical.ts'
import type { ImportBody, ImportView, PortableForecast } from '../schema.ts'
import { mapForecastReferences } from '../slots.ts'
import * as store from '../store.ts'
import { findReferences, keyOf, nameOf } from './resolve.ts'
import type { NamedReference } from './resolve.ts'

type Json = Readonly<Record<string, unknown>>
type Problem = ImportView['errors'][number]
type Local = Awaited<ReturnType<typeof listDefinitions>>[number]

/** The objects and data queries that exported dashboards show, and forecasts that a request names. */
type Shown = {
  readonly forecastIds: readonly number[]
  readonly objects: readonly number[]
  readonly dataQueries: readonly number[]
}

/** The forecasts of what dashboards show, by name, with names in the place of ids; none for who may not read forecasts. A
 * forecast of a job that the caller may not read is left out. */
export async function exportForecasts(context: Context, shown: Shown): Promise<PortableForecast[]> {
  const { database } = context.ports
  if (!mayUse(context)) return []
  const wanted = (await listDefinitions(context.ports)).filter((one) => isWanted(one, shown))
  const references = wanted.flatMap(({ definition }) => referencesIn(definition))
  const idsOf = (kind: string) => [
    ...new Set(references.flatMap((one) => (one.kind === kind ? [Number(one.value)] : []))),
  ]
  const readable = await readItems(context, idsOf('object'))
  const objects = await store.readObjectNames(
    database,
    readable.map(({ id }) => id),
  )
  const [queries, sources] = await Promise.all([
    store.readNames(database, 'dataQuery', idsOf('dataQuery')),
    store.readNames(database, 'dataSource', idsOf('dataSource')),
  ])
  const names: Record<string, ReadonlyMap<number, unknown>> = {
    object: objects,
    dataQuery: new Map(queries.map(({ id, name }) => [id, name])),
    dataSource: new Map(sources.map(({ id, name }) => [id, name])),
  }
  return wanted.flatMap(({ name, description, definition }) => {
    const { table: _table, ...own } = definition
    const named = withoutLostBands(
      mapForecastReferences(own, (kind, value) => names[kind]?.get(Number(value)) ?? null),
    )
    return isWhole(named) ? [{ name, description, definition: named }] : []
  })
}

/** A forecast of an import, and the outcome for it. */
export type PlannedForecast = {
  readonly name: string
  readonly action: ImportView['forecasts'][number]['action']
  readonly body: ForecastBody | null
  readonly local: Local | null
}

export type ForecastPlan = {
  readonly forecasts: readonly PlannedForecast[]
  readonly warnings: readonly Problem[]
  readonly errors: readonly Problem[]
}

/** Compares the forecasts of an import with the forecasts of this service, and changes nothing.
 * @param made the names, in lower case, of data queries that the import makes before */
export async function planForecasts(
  context: Context,
  { mode, map, document: { forecasts = [] } }: ImportBody,
  made: ReadonlySet<string>,
): Promise<ForecastPlan> {
  if (forecasts.length === 0) return { forecasts: [], warnings: [], errors: [] }
  const find = await finder(context, forecasts, { map, made })
  const locals = new Map((await listDefinitions(context.ports)).map((row) => [row.name.toLowerCase(), row]))
  const [warnings, errors]: [Problem[], Problem[]] = [[], []]
  const planned = forecasts.map(({ name, description, definition }): PlannedForecast => {
    const local = locals.get(name.toLowerCase()) ?? null
    const problem = (code: string, message: string): Problem => ({ code, name, message })
    const missing: string[] = []
    const found = mapForecastReferences(definition, (kind, value) => {
      const id = find(kind, value)
      if (id === null) missing.push(typeof value === 'string' ? value : nameOf(value))
      return id
    })
    const own = withoutLostBands(found)
    for (const lost of missing)
      warnings.push(problem('import.forecast_source', `${lost} was not found, which the forecast names.`))
    if (!mayUse(context) || !isWhole(own)) return { name, action: 'skip', body: null, local }
    const { data, error } = forecastBody.safeParse({
      ...own,
      name,
      description,
      table: local?.definition.table ?? null,
    })
    if (error)
      errors.push(
        ...error.issues.map(({ path, message }) =>
          problem('import.invalid', `${pointerOf(path)} ${message}`.trim()),
        ),
      )
    return { name, action: data ? actionOf(mode, data, local) : 'skip', body: data ?? null, local }
  })
  return { forecasts: planned, warnings, errors }
}

/** Makes and replaces the forecasts of an import. @throws {Refusal} as `createForecast` and `updateForecast` */
export async function saveForecasts(context: Context, planned: readonly PlannedForecast[]): Promise<void> {
  for (const { action, body, local } of planned) {
    if (action === 'create' && body) await createForecast(context, body)
    if (action === 'update' && body && local)
      await updateForecast(context, local.id, { body, ifMatch: local.version })
  }
}

function mayUse({ caller }: Context): boolean {
  return hasRole(caller, SCRIPT_READERS)
}

function isWanted({ id, definition }: Local, { forecastIds, objects, dataQueries }: Shown): boolean {
  const { source, bands } = definition
  return (
    forecastIds.includes(id) ||
    (source.type === 'job' && objects.includes(source.jobId)) ||
    (source.type === 'dataQuery' && dataQueries.includes(source.dataQueryId)) ||
    bands.some(({ jobId }) => objects.includes(jobId))
  )
}

function referencesIn(definition: Json): NamedReference[] {
  const references: NamedReference[] = []
  mapForecastReferences(definition, (kind, value) => {
    references.push({ kind, value, key: keyOf(kind, value) })
    return value
  })
  return references
}

type Finding = { readonly map: ImportBody['map']; readonly made: ReadonlySet<string> }

/** The function that finds the id of what a forecast names. The id of a data query that the import is about to make is 1. */
async function finder(
  context: Context,
  forecasts: readonly PortableForecast[],
  { map, made }: Finding,
): Promise<(kind: string, value: unknown) => number | null> {
  const references = forecasts.flatMap(({ definition }) => referencesIn(definition))
  const found = await findReferences(context, references, map)
  const sources = await store.findNames(
    context.ports.database,
    'dataSource',
    references.flatMap(({ kind, value }) => (kind === 'dataSource' ? [String(value)] : [])),
  )
  const bySource = new Map(sources.map(({ id, name }) => [name.toLowerCase(), id]))
  return (kind, value) => {
    if (kind === 'dataSource') return bySource.get(String(value).toLowerCase()) ?? null
    const isMade =
      kind === 'dataQuery' &&
      made.has((ownValue(map.dataQueries, String(value)) ?? String(value)).toLowerCase())
    return found.get(keyOf(kind, value)) ?? (isMade ? 1 : null)
  }
}

/** Bands are sent to jobs that are here. */
function withoutLostBands(definition: Json): Json {
  const { bands } = definition
  if (!Array.isArray(bands)) return definition
  return { ...definition, bands: bands.filter((band: Json) => band['jobId'] !== null) }
}

/** Whether the source of a forecast was found. */
function isWhole({ source }: Json): boolean {
  if (typeof source !== 'object' || source === null) return true
  const { jobId, dataQueryId, dataSourceId } = source as Json
  return [jobId, dataQueryId, dataSourceId].every((id) => id !== null)
}

function actionOf(
  mode: ImportBody['mode'],
  body: ForecastBody,
  local: Local | null,
): PlannedForecast['action'] {
  if (!local) return 'create'
  const isSame = local.description === body.description && textOf(body) === textOf(local.definition)
  if (isSame) return 'unchanged'
  return mode === 'overwrite' ? 'update' : 'skip'
}

/** Equal definitions have equal texts. */
function textOf(definition: Definition): string {
  return JSON.stringify(sorted(definitionOf(definition)))
}
