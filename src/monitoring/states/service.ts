import { commit } from '../../ports/database.ts'
import type { Database } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Transition } from '../../ports/job-actors.ts'
import { Propagation } from './propagation.ts'
import * as store from './store.ts'

export {
  insertFirstState,
  markLinkedAbove,
  markUncounted,
  noteArrival,
  noteMaintenance,
  refuseCircle,
} from './store.ts'
export {
  forgetUnfiltered,
  markFilter,
  markFreed,
  markUnfiltered,
  readUnfiltered,
} from './store/unfiltered.ts'
export type { Unfiltered } from './store/unfiltered.ts'

const PARENTS_AT_ONCE = 500
const REVIEWS_AT_ONCE = 1_000

/** Keeps committed transitions, the current states that follow from them, and what both mean to every object above.
 * Telling one twice changes nothing. One call at a time: see `ports/flow.ts`. */
export async function recordTransitions(
  { database }: Pick<Ports, 'database'>,
  transitions: readonly Transition[],
): Promise<void> {
  const ids = [...new Set(transitions.map(({ objectId }) => objectId))]
  const propagation = new Propagation(await store.readNodes(database, ids))
  for (const transition of transitions) propagation.follow(transition)
  if (propagation.touched.length === 0) return
  await commit(database, [
    store.insertTransitions(database, propagation.changes),
    store.saveNodes(database, propagation.touched),
  ])
}

/** These objects and everything whose state they are part of. */
export async function objectsAbove(database: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await store.readNodes(database, ids)).map(({ id }) => id))
}

/** Counts the children of parents where some came, went or moved, and carries on what that changes. One call at a time. */
export async function countAnew({ database, clock }: Pick<Ports, 'database' | 'clock'>): Promise<void> {
  for (;;) {
    const uncounted = await store.readUncounted(database, PARENTS_AT_ONCE)
    if (uncounted.length === 0) return
    const ids = uncounted.map(({ id }) => id)
    const nodes = await store.readNodes(database, ids)
    const propagation = new Propagation(nodes)
    propagation.recount(await store.countChildren(database, ids), clock.now())
    await commit(database, [
      store.insertTransitions(database, propagation.changes),
      store.saveNodes(database, propagation.touched),
      store.forgetUncounted(database, uncounted),
    ])
  }
}

/** Lets objects enter or leave maintenance that were noted, and what is in them, and carries on what that changes. What
 * was interrupted goes on where it was. One call at a time. */
export async function reviewMaintenance({
  database,
  clock,
}: Pick<Ports, 'database' | 'clock'>): Promise<void> {
  for (;;) {
    const reviews = await store.readMaintenanceChanges(database, REVIEWS_AT_ONCE)
    if (reviews.length === 0) return
    const ids = reviews.map(({ objectId }) => objectId)
    const propagation = new Propagation(await store.readNodes(database, ids))
    const changed = propagation.maintain(reviews, clock.now())
    await commit(database, [
      store.insertTransitions(database, propagation.changes),
      store.saveNodes(database, propagation.touched),
      store.noteChildren(database, changed),
      store.forgetMaintenanceChanges(database, reviews),
    ])
  }
}
