import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { DependentView } from '../schema.ts'
import * as store from '../store.ts'
import type { Sights } from './rights.ts'

const SHOWN_MAX = 100

/** The writes that delete dashboards. Unless it is forced, the batch fails as `isGuarded` recognises while others refer to
 * them. */
export function deletionWrites(
  ports: Ports,
  ids: readonly number[],
  options: { readonly isForced: boolean },
): Write[] {
  return store.deleteDashboards(ports.database, ids, options)
}

/** The places in other dashboards that refer to dashboards, as far as the caller may read them, and the number of all. */
export async function dependentsOf(
  { ports: { database } }: Context,
  sights: Sights,
  ids: readonly number[],
): Promise<{ readonly shown: readonly DependentView[]; readonly total: number }> {
  const found = (await store.listReferencesTo(database, ids)).filter(
    ({ dashboardId }) => !ids.includes(dashboardId),
  )
  const owners = await store.readDashboards(database, [
    ...new Set(found.map(({ dashboardId }) => dashboardId)),
  ])
  const readable = new Set(owners.filter((row) => sights.ofDashboard(row).read).map(({ id }) => id))
  const shown = found.filter(({ dashboardId }) => readable.has(dashboardId)).slice(0, SHOWN_MAX)
  return { shown, total: found.length }
}

/** The refusal of deleting dashboards to which others refer. */
export async function hasDependents(
  context: Context,
  sights: Sights,
  ids: readonly number[],
): Promise<Refusal> {
  const { shown, total } = await dependentsOf(context, sights, ids)
  const errors = shown.map(({ dashboardId, widgetId, title }, index) => ({
    pointer: `/dependents/${index}`,
    message: `the widget ${widgetId} of dashboard ${dashboardId}, ${title}`,
  }))
  const detail = `${total} widgets of other dashboards refer to it; see errors. Change these first, or pass forceDelete=true.`
  return new Refusal('has_dependents', detail, errors)
}
