import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { DependentView, UsesQuery } from '../schema.ts'
import * as store from '../store.ts'
import { sightsOf } from './rights.ts'
import type { Sights } from './rights.ts'

const SHOWN_MAX = 100

type Uses = { readonly items: readonly DependentView[]; readonly total: number }

/** The places in other dashboards that refer to dashboards, as far as the caller may read them, and the number of all. */
export function dependentsOf(context: Context, sights: Sights, ids: readonly number[]): Promise<Uses> {
  return usesOf(context, sights, { kind: 'dashboard', ids })
}

/** The places in dashboards that show or use something, as far as the caller may read them, and the number of all. */
export async function listUses(context: Context, { kind, id, name }: UsesQuery): Promise<Uses> {
  const target = kind === 'file' ? { kind, ids: [0], name: name ?? '' } : { kind, ids: [id ?? 0] }
  return usesOf(context, await sightsOf(context), target)
}

async function usesOf(
  { ports: { database } }: Context,
  sights: Sights,
  target: Parameters<typeof store.listReferencesTo>[1],
): Promise<Uses> {
  const isAmong = target.kind === 'dashboard' ? target.ids : []
  const found = (await store.listReferencesTo(database, target)).filter(
    ({ dashboardId }) => !isAmong.includes(dashboardId),
  )
  const owners = new Map((await store.listDashboards(database)).map((row) => [row.id, row]))
  const items = found.filter(({ dashboardId }) => {
    const row = owners.get(dashboardId)
    return row !== undefined && sights.ofDashboard(row).read
  })
  return { items: items.slice(0, SHOWN_MAX), total: found.length }
}

/** The refusal of deleting dashboards to which others refer. */
export async function hasDependents(
  context: Context,
  sights: Sights,
  ids: readonly number[],
): Promise<Refusal> {
  const { items, total } = await dependentsOf(context, sights, ids)
  const errors = items.map(({ dashboardId, widgetId, title }, index) => ({
    pointer: `/dependents/${index}`,
    message: `the widget ${widgetId} of dashboard ${dashboardId}, ${title}`,
  }))
  const detail = `${total} widgets of other dashboards refer to it; see errors. Change these first, or pass forceDelete=true.`
  return new Refusal('has_dependents', detail, errors)
}
