import { hasRole } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { READERS } from '../../../data/sources/schema.ts'
import { VERSION } from '../../../http/version.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { readItems } from '../../../monitoring/tree/search/service.ts'
import { readDefinition } from '../definition.ts'
import { referencesOf } from '../references.ts'
import type { ReferenceKind } from '../references.ts'
import { lineOf } from '../rights.ts'
import type { DashboardRef } from '../schema.ts'
import { sightsOf } from '../service/rights.ts'
import type { Sights } from '../service/rights.ts'
import { requireDashboard } from '../service/views.ts'
import { listDashboards, readDashboards } from '../store.ts'
import type { DashboardRow } from '../store.ts'
import { FORMAT, FORMAT_VERSION, PORTABLE_MAX } from './schema.ts'
import type { CodeView, ExportBody, ExportView, PortableDashboard } from './schema.ts'
import { exportForecasts } from './service/forecasts.ts'
import { mapReferences } from './slots.ts'
import * as store from './store.ts'
import { restoreUnknown } from './widgets.ts'

/** Dashboards with names in the place of ids, the data queries that they use, forecasts of what they show, and the names of
 * scripts.
 * @throws {Refusal} invalid for dashboards that the caller may not read, too_large for more than 50 */
export async function exportDashboards(
  context: Context,
  { ids, groupIds, forecastIds, stable }: ExportBody,
): Promise<ExportView> {
  const { database, clock, settings } = context.ports
  const sights = await sightsOf(context)
  const rows = await chosen(context, sights, { ids, groupIds })
  const exported = await portable(context, sights, rows)
  const queryIds = targetsOf(rows, 'dataQuery')
  const scripts = await store.readNames(database, 'script', targetsOf(rows, 'script'))
  const queries = mayRead(context) ? await store.readQueryTexts(database, queryIds) : []
  const forecasts = await exportForecasts(context, {
    forecastIds: [...forecastIds, ...targetsOf(rows, 'forecast')],
    objects: targetsOf(rows, 'object'),
    dataQueries: queryIds,
  })
  const stamp = { release: VERSION, exportedAt: timeFormat(settings.timeZone)(clock.now()) }
  return {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    ...(stable ? {} : stamp),
    dashboards: exported.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1)),
    groups: groupsOf(sights, rows),
    dataQueries: queries.map(({ name, description, dataSource, text, parameters, isAccessible }) => ({
      name,
      description,
      dataSource,
      text,
      parameters: JSON.parse(parameters) as Record<string, unknown>[],
      accessibleFromDashboards: isAccessible === 1,
    })),
    scripts: scripts.map(({ name }) => ({ name })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...(forecasts.length > 0 && { forecasts }),
  }
}

/** A dashboard with names in the place of ids. @throws {Refusal} not_found */
export async function readAsCode(context: Context, ref: DashboardRef): Promise<CodeView> {
  const { row, sights } = await requireDashboard(context, ref, 'read')
  const [dashboard] = await portable(context, sights, [row])
  if (!dashboard) throw new Error('No export was made for an existing dashboard.')
  return { ...dashboard, managedBy: row.managedBy }
}

async function chosen(
  { ports: { database } }: Context,
  sights: Sights,
  { ids, groupIds }: Pick<ExportBody, 'ids' | 'groupIds'>,
): Promise<DashboardRow[]> {
  const all = (await listDashboards(database)).filter((row) => sights.ofDashboard(row).read)
  const known = new Set(all.map(({ id }) => id))
  const faults = [
    ...ids.flatMap((id, index) => (known.has(id) ? [] : [`/ids/${index}`])),
    ...groupIds.flatMap((id, index) =>
      sights.groups.has(id) && sights.ofGroup(id).read ? [] : [`/groupIds/${index}`],
    ),
  ].map((pointer) => ({ pointer, message: 'must be an id that you can read' }))
  if (faults.length > 0) throw new Refusal('invalid', 'Some of these do not exist; see errors.', faults)
  const wanted = all.filter(
    ({ id, groupId }) =>
      ids.includes(id) || lineOf(sights.groups, groupId).some((group) => groupIds.includes(group.id)),
  )
  if (wanted.length > PORTABLE_MAX)
    throw new Refusal('too_large', `An export has at most ${PORTABLE_MAX} dashboards.`)
  return readDashboards(
    database,
    wanted.map(({ id }) => id),
  )
}

async function portable(
  context: Context,
  sights: Sights,
  rows: readonly DashboardRow[],
): Promise<PortableDashboard[]> {
  const { database } = context.ports
  const readable = await readItems(context, targetsOf(rows, 'object'))
  const [objects, queries, scripts, boards, forecasts] = await Promise.all([
    store.readObjectNames(
      database,
      readable.map(({ id }) => id),
    ),
    store.readNames(database, 'dataQuery', targetsOf(rows, 'dataQuery')),
    store.readNames(database, 'script', targetsOf(rows, 'script')),
    readDashboards(database, targetsOf(rows, 'dashboard')),
    store.readNames(database, 'forecast', targetsOf(rows, 'forecast')),
  ])
  const names: Record<string, ReadonlyMap<number, unknown>> = {
    object: objects,
    dataQuery: new Map(queries.map(({ id, name }) => [id, name])),
    script: new Map(scripts.map(({ id, name }) => [id, name])),
    dashboard: new Map(boards.map(({ id, uuid, urlName }) => [id, { uuid, urlName }])),
    forecast: new Map(forecasts.map(({ id, name }) => [id, name])),
  }
  return rows.flatMap((row) => {
    const definition = readDefinition(row.definition)
    if (!definition) return []
    const { uuid, urlName, name, description, number, groupId } = row
    const named = mapReferences(definition, (kind, value) => names[kind]?.get(Number(value)) ?? null)
    return [
      {
        uuid,
        urlName,
        name,
        description,
        version: number,
        groupPath: pathOf(sights, groupId),
        definition: restoreUnknown(named),
      },
    ]
  })
}

function pathOf({ groups }: Sights, groupId: number | null): string[] {
  return lineOf(groups, groupId)
    .toReversed()
    .map(({ name }) => name)
}

function groupsOf(sights: Sights, rows: readonly DashboardRow[]): ExportView['groups'] {
  const around = rows.flatMap(({ groupId }) => lineOf(sights.groups, groupId))
  return [...new Set(around)]
    .map((group) => ({
      path: pathOf(sights, group.id),
      defaultParams: sights.ofGroup(group.id).read ? group.defaultParams : {},
    }))
    .toSorted((a, b) => (a.path.join('\n') < b.path.join('\n') ? -1 : 1))
}

function targetsOf(rows: readonly DashboardRow[], wanted: ReferenceKind): number[] {
  const all = rows.flatMap((row) => {
    const definition = readDefinition(row.definition)
    return definition ? referencesOf(definition) : []
  })
  return [...new Set(all.flatMap(({ kind, targetId }) => (kind === wanted ? [targetId] : [])))]
}

/** Whether the caller may read the texts of data queries. */
function mayRead({ caller }: Context): boolean {
  return hasRole(caller, READERS)
}
