import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { hasStaleMaintenance, enqueueMaintenance, reviewMaintenance } from '../../states/service.ts'
import { isActiveAt, nextChange } from '../occurrences.ts'
import * as store from '../store.ts'

const DUE_AT_ONCE = 200

/** When maintenance begins or ends next, Infinity for never; and whether objects still have to enter or leave
 * maintenance. */
export type Advanced = { readonly nextAt: number; readonly isPending: boolean }

/** Begins and ends maintenance that is due by an instant, one instant after the other. Linked children change at once,
 * objects below in slices (`reviewSlice`), which are finished before the next instant. Must not run concurrently with
 * itself: see `ports/flow.ts`. */
export async function advanceMaintenance(
  ports: Pick<Ports, 'database' | 'clock'>,
  until: number,
): Promise<Advanced> {
  const { database } = ports
  for (;;) {
    await reviewUrgent(ports, [])
    const rows = await store.readNext(database, DUE_AT_ONCE)
    const at = rows[0]?.nextAt ?? Number.POSITIVE_INFINITY
    if (at > until) return { nextAt: at, isPending: await hasStaleMaintenance(database) }
    while (await reviewMaintenance(ports));
    const due = rows.filter(({ nextAt }) => nextAt === at)
    await commit(database, [
      ...due.map((row) =>
        store.saveProgress(database, row, { running: isActiveAt(row, at), nextAt: nextChange(row, at) }),
      ),
      enqueueMaintenance(
        database,
        due.map(({ objectId }) => ({ objectId, at })),
      ),
    ])
  }
}

/** Applies queued maintenance changes that other objects depend on, before other changes of these objects. */
export async function reviewUrgent(
  ports: Pick<Ports, 'database' | 'clock'>,
  ids: readonly number[],
): Promise<void> {
  // The search covers all links, and the queue is mostly empty.
  if (!(await hasStaleMaintenance(ports.database))) return
  while (await reviewMaintenance(ports, { ids }));
}

/** Applies some of the queued maintenance changes. @returns whether there may be more */
export function reviewSlice(ports: Pick<Ports, 'database' | 'clock'>): Promise<boolean> {
  return reviewMaintenance(ports)
}
