import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { hasMaintenanceChanges, noteMaintenance, reviewMaintenance } from '../../states/service.ts'
import { isActiveAt, nextChange } from '../occurrences.ts'
import * as store from '../store.ts'

const DUE_AT_ONCE = 200

/** How far maintenance is: when some begins or ends next, Infinity when none does; and whether objects are still to enter or
 * leave what has. */
export type Advanced = { readonly nextAt: number; readonly isPending: boolean }

/** Lets maintenance begin and end that was to do so by an instant, one moment after the other. What others are made of follows
 * at once, everything below it in slices (`reviewSlice`), which are whole before the next moment comes. One call at a time:
 * see `ports/flow.ts`. */
export async function advanceMaintenance(
  ports: Pick<Ports, 'database' | 'clock'>,
  until: number,
): Promise<Advanced> {
  const { database } = ports
  for (;;) {
    await reviewUrgent(ports, [])
    const rows = await store.readNext(database, DUE_AT_ONCE)
    const at = rows[0]?.nextAt ?? Number.POSITIVE_INFINITY
    if (at > until) return { nextAt: at, isPending: await hasMaintenanceChanges(database) }
    while (await reviewMaintenance(ports));
    const due = rows.filter(({ nextAt }) => nextAt === at)
    await commit(database, [
      ...due.map((row) =>
        store.saveProgress(database, row, { running: isActiveAt(row, at), nextAt: nextChange(row, at) }),
      ),
      noteMaintenance(
        database,
        due.map(({ objectId }) => ({ objectId, at })),
      ),
    ])
  }
}

/** Lets objects enter or leave maintenance before something else is said of them or of what they are linked to. */
export async function reviewUrgent(
  ports: Pick<Ports, 'database' | 'clock'>,
  ids: readonly number[],
): Promise<void> {
  // What is urgent is looked for among all links: seldom is there anything to look for.
  if (!(await hasMaintenanceChanges(ports.database))) return
  while (await reviewMaintenance(ports, { ids }));
}

/** Lets some of the objects that are left enter or leave maintenance. @returns whether there may be more */
export function reviewSlice(ports: Pick<Ports, 'database' | 'clock'>): Promise<boolean> {
  return reviewMaintenance(ports)
}
