import type { Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import type { Ports } from '../../ports/index.ts'
import { hasDashboard, listUses } from './store.ts'
import type { Shown, Use } from './store.ts'

const SHOWN_MAX = 100
const COUNT_MAX = 1_000

/** @throws {Refusal} has_dependents, with the widgets, while widgets of dashboards show something that is to be deleted */
export async function refuseWhileShown({ ports }: Pick<Context, 'ports'>, shown: Shown): Promise<void> {
  const uses = await listUses(ports.database, shown, COUNT_MAX)
  if (uses.length === 0) return
  const count = uses.length === COUNT_MAX ? `${COUNT_MAX} or more` : String(uses.length)
  const errors = uses.slice(0, SHOWN_MAX).map(({ dashboardId, widgetId }, index) => ({
    pointer: `/dependents/${index}`,
    message:
      widgetId === '' ? `dashboard ${dashboardId}` : `the widget ${widgetId} of dashboard ${dashboardId}`,
  }))
  const detail = `Dashboards show it in ${count} widgets; see errors. Change these first, or pass forceDelete=true.`
  throw new Refusal('has_dependents', detail, errors)
}

/** The first 100 widgets of dashboards that show something, by dashboard. */
export function widgetsShowing({ database }: Pick<Ports, 'database'>, shown: Shown): Promise<readonly Use[]> {
  return listUses(database, shown, SHOWN_MAX)
}

/** The faults of a start dashboard. A value that stays has none, so that an object can be sent back as it was read after the
 * dashboard was deleted. */
export async function startFaults(
  { database }: Pick<Ports, 'database'>,
  { before, after }: { readonly before: number | null; readonly after: number | null },
): Promise<readonly Fault[]> {
  if (after === null || after === before || (await hasDashboard(database, after))) return []
  return [{ pointer: '/startDashboardId', message: 'must be null or the id of a dashboard' }]
}

/** Whether the request demands a deletion although other objects depend on the object. */
export function isForced({ request }: Pick<Context, 'request'>): boolean {
  return request !== undefined && /[?&]forceDelete=true(?:&|$)/i.test(request.url)
}
