import { noSuch } from '../../../lib/errors.ts'
import type { Context } from '../../../context.ts'
import { readItems } from '../../../monitoring/tree/search/service.ts'
import { readDefinition } from '../definition.ts'
import { referencesOf } from '../references.ts'
import type { ReferenceKind } from '../references.ts'
import { lineOf } from '../rights.ts'
import type { DashboardRef, ReadQuery } from '../schema.ts'
import { EMBEDDED_MAX } from '../service/changes.ts'
import { sightsOf } from '../service/rights.ts'
import type { Sights } from '../service/rights.ts'
import { valuesOf } from '../service/values.ts'
import { viewWith } from '../service/views.ts'
import { readFamily } from '../store.ts'
import type { DashboardRow } from '../store.ts'
import type { NestedView } from './schema.ts'
import { readShown } from './store.ts'

type Query = Omit<ReadQuery, 'raw'>
type Child = {
  readonly row: DashboardRow
  readonly widget: string
  readonly parentId: number
  readonly depth: number
}

/** A dashboard with the dashboards that it embeds, and the names of all that they show.
 * @throws {Refusal} not_found, also for a dashboard that is not valid */
export async function readNested(
  context: Context,
  ref: DashboardRef,
  { language }: Query,
): Promise<NestedView> {
  const { ports } = context
  const now = ports.clock.now()
  const [sights, family] = await Promise.all([
    sightsOf(context),
    readFamily(ports.database, { ref, now, depthMax: EMBEDDED_MAX }),
  ])
  const row = family.find(({ isFirst }) => isFirst)
  const definition = row && sights.ofDashboard(row).read ? readDefinition(row.definition) : null
  if (!row || !definition) throw noSuch('dashboard')
  const { children, hidden } = childrenOf(family, { row, sights })
  const shown = [row, ...children.map((child) => child.row)]
  const idsOf = (kind: ReferenceKind) => [...new Set(shown.flatMap((one) => targetsOf(one, kind)))]
  const [objects, read] = await Promise.all([
    readItems(context, idsOf('object')),
    readShown(ports.database, {
      dashboards: shown.map(({ id }) => id),
      queries: idsOf('dataQuery'),
      scripts: idsOf('script'),
      userId: sights.userId,
      now,
    }),
  ])
  const viewed = (one: DashboardRow) => {
    const gone = read.gone.filter(({ dashboardId }) => dashboardId === one.id)
    const isPublic = read.publics.includes(one.id)
    return viewWith(ports, { row: one, sights }, { gone, isPublic, language: language ?? read.language })
  }
  const linked = new Set(idsOf('dashboard'))
  const readable = family.filter((one) => linked.has(one.id) && sights.ofDashboard(one).read)
  return {
    dashboard: viewed(row),
    group: groupOf(sights, row.groupId),
    params: { ...valuesOf({ row, definition, sights }, {}) },
    children: children.map(({ row: child, widget, parentId, depth }) => ({
      dashboard: viewed(child),
      widget,
      parentId,
      depth,
    })),
    objects: byId(objects.map(({ id, type, name, deviceName = '' }) => ({ id, type, name, deviceName }))),
    dataQueries: byId(
      read.queries.map(({ id, name, published, parameters }) => ({ id, name, published, parameters })),
    ),
    scripts: byId(read.scripts),
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
function childrenOf(
  family: readonly DashboardRow[],
  { row, sights }: { readonly row: DashboardRow; readonly sights: Sights },
): { readonly children: readonly Child[]; readonly hidden: readonly number[] } {
  const children: Child[] = []
  const hidden: number[] = []
  const readable = new Map(family.filter(isReadableBy(sights)).map((one) => [one.id, one]))
  let parents: readonly DashboardRow[] = [row]
  for (let depth = 1; depth <= EMBEDDED_MAX; depth++) {
    const next = new Map<number, DashboardRow>()
    for (const { id, widget, parentId } of parents.flatMap((parent) => embeddedIn(parent))) {
      const child = readable.get(id)
      if (child) children.push({ row: child, widget, parentId, depth })
      else hidden.push(id)
      if (child) next.set(id, child)
    }
    parents = [...next.values()]
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
