import type { Context } from '../../../context.ts'
import { readItems } from '../../../monitoring/tree/search/service.ts'
import { readDefinition } from '../definition.ts'
import { resolveParameters } from '../parameters.ts'
import { referencesOf } from '../references.ts'
import type { ReferenceKind } from '../references.ts'
import { lineOf } from '../rights.ts'
import type { DashboardRef, ReadQuery } from '../schema.ts'
import { EMBEDDED_MAX } from '../service/changes.ts'
import type { Sights } from '../service/rights.ts'
import { requireDashboard, viewOf } from '../service/views.ts'
import { readDashboards } from '../store.ts'
import type { DashboardRow } from '../store.ts'
import type { NestedView } from './schema.ts'
import { readQueries, readScripts } from './store.ts'

type Query = Omit<ReadQuery, 'raw'>
type Child = {
  readonly row: DashboardRow
  readonly widget: string
  readonly parentId: number
  readonly depth: number
}

/** A dashboard with the dashboards that it embeds, and the names of all that they show.
 * @throws {Refusal} not_found, also for a dashboard that is not valid */
export async function readNested(context: Context, ref: DashboardRef, query: Query): Promise<NestedView> {
  const { database } = context.ports
  const { row, definition, sights } = await requireDashboard(context, ref, 'read')
  const { children, hidden } = await childrenOf(context, { row, sights })
  const shown = [row, ...children.map((child) => child.row)]
  const idsOf = (kind: ReferenceKind) => [...new Set(shown.flatMap((one) => targetsOf(one, kind)))]
  const [dashboard, views, objects, dataQueries, scripts, named] = await Promise.all([
    viewOf(context, { row, sights }, { ...query, raw: false }),
    Promise.all(
      children.map((child) => viewOf(context, { row: child.row, sights }, { ...query, raw: false })),
    ),
    readItems(context, idsOf('object')),
    readQueries(database, idsOf('dataQuery')),
    readScripts(database, idsOf('script')),
    readDashboards(database, idsOf('dashboard')),
  ])
  const readable = named.filter((one) => sights.ofDashboard(one).read)
  const line = lineOf(sights.groups, row.groupId)
  const defaults = line.map(({ defaultParams }) => defaultParams)
  return {
    dashboard,
    group: groupOf(sights, row.groupId),
    params: { ...resolveParameters(definition, {}, defaults).values },
    children: children.flatMap(({ widget, parentId, depth }, index) => {
      const view = views[index]
      return view ? [{ dashboard: view, widget, parentId, depth }] : []
    }),
    objects: byId(objects.map(({ id, type, name, deviceName = '' }) => ({ id, type, name, deviceName }))),
    dataQueries: byId(
      dataQueries.map(({ id, name, published, parameters }) => ({ id, name, published, parameters })),
    ),
    scripts: byId(scripts),
    dashboards: byId(readable.map(({ id, name }) => ({ id, name }))),
    hidden: {
      objects: without(idsOf('object'), objects),
      dashboards: [...new Set([...hidden, ...without(idsOf('dashboard'), readable)])],
    },
  }
}

function groupOf(sights: Sights, groupId: number | null): NestedView['group'] {
  if (groupId === null) return null
  const readable = lineOf(sights.groups, groupId).filter(({ id }) => sights.ofGroup(id).read)
  return { id: groupId, path: readable.toReversed().map(({ name }) => name) }
}

/** The dashboards that are embedded, level by level, as far as the caller may read them. */
async function childrenOf(
  { ports: { database } }: Context,
  { row, sights }: { readonly row: DashboardRow; readonly sights: Sights },
): Promise<{ readonly children: readonly Child[]; readonly hidden: readonly number[] }> {
  const children: Child[] = []
  const hidden: number[] = []
  let parents: readonly DashboardRow[] = [row]
  for (let depth = 1; depth <= EMBEDDED_MAX && parents.length > 0; depth++) {
    const embedded = parents.flatMap((parent) => embeddedIn(parent))
    if (embedded.length === 0) break
    const found = await readDashboards(database, [...new Set(embedded.map(({ id }) => id))])
    const readable = new Map(found.filter(isReadableBy(sights)).map((one) => [one.id, one]))
    for (const { id, widget, parentId } of embedded) {
      const child = readable.get(id)
      if (child) children.push({ row: child, widget, parentId, depth })
      else hidden.push(id)
    }
    parents = [...readable.values()]
  }
  return { children, hidden }
}

const isReadableBy = (sights: Sights) => (row: DashboardRow) =>
  sights.ofDashboard(row).read && readDefinition(row.definition) !== null

function embeddedIn(row: DashboardRow) {
  const widgets = Object.entries(readDefinition(row.definition)?.widgets ?? {})
  return widgets.flatMap(([widget, one]) =>
    one.kind === 'dashboard' && one.dashboardId !== null
      ? [{ id: one.dashboardId, widget, parentId: row.id }]
      : [],
  )
}

function targetsOf(row: DashboardRow, kind: ReferenceKind): number[] {
  const definition = readDefinition(row.definition)
  const references = definition ? referencesOf(definition) : []
  return references.flatMap((one) => (one.kind === kind ? [one.targetId] : []))
}

function byId<Item extends { readonly id: number }>(items: readonly Item[]): Record<string, Item> {
  return Object.fromEntries(items.map((item) => [item.id, item]))
}

function without(ids: readonly number[], items: readonly { readonly id: number }[]): number[] {
  const known = new Set(items.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}
