import { commit } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Transition } from '../../domain/transition.ts'
import { arePartedTallies, SlaView, isAsTallied, isContainer } from './sla-view.ts'
import type { Tallies } from './sla-view.ts'
import type { Node } from './propagation.ts'
import { stepDown, traceFrom } from './reasons.ts'
import type { Suspect } from './reasons.ts'
import * as store from './store.ts'
import * as maintenance from './store/maintenance.ts'
import { readBadChildren } from './store/reasons.ts'

export {
  dateBack,
  finishTallies,
  insertFirstState,
  insertTransitions,
  enqueueLinkedAbove,
  enqueueTallies,
  refuseCircle,
  saveNodes,
} from './store.ts'
export { hasStaleMaintenance, enqueueArrival, enqueueMaintenance } from './store/maintenance.ts'
export {
  finishMemberships,
  enqueueFilter,
  enqueueFreed,
  enqueueMemberships,
  readStaleMemberships,
} from './store/memberships.ts'
export type { StaleMembership } from './store/memberships.ts'
export { listUnknownLimits, recordUnknownLimit } from './store/unknown-limits.ts'

const PARENTS_AT_ONCE = 500
const REVIEWS_AT_ONCE = 1_000
/** Small enough not to delay other work; the edge calls at most a thousand times. */
const PARENTS_PER_SWEEP = 200
const NAMED_MAX = 20
const REASONS_MAX = 20
/** Beyond these bounds, a search for reasons follows what it found first. */
const TRACES_MAX = 100
const BAD_CHILDREN_MAX = 1_000
/** The second bound grows with the number of joint searches, up to this many. */
const SEARCHES_COUNTED_MAX = 10
const LEVELS_MAX = 100

/** Stores committed transitions, the states that follow, and the resulting changes of all objects above. A repetition
 * changes nothing. Must not run concurrently with itself: see `ports/flow.ts`.
 * @returns whether a service level object has changed */
export async function recordTransitions(
  { database }: Pick<Ports, 'database'>,
  transitions: readonly Transition[],
): Promise<{ readonly hasSlo: boolean }> {
  const ids = [...new Set(transitions.map(({ objectId }) => objectId))]
  const propagation = new SlaView(await store.readNodes(database, ids))
  for (const transition of transitions) propagation.follow(transition)
  if (propagation.touched.length === 0) return { hasSlo: false }
  await commit(database, writesOf(database, propagation))
  const slos = new Set(propagation.touched.flatMap(({ id, rules }) => (rules ? [id] : [])))
  const changed = [...propagation.changes, ...propagation.slaChanges]
  return { hasSlo: changed.some(({ objectId }) => slos.has(objectId)) }
}

/** The writes of a propagation, and the marks for containers to assess. */
function writesOf(database: Database, { changes, slaChanges, touched }: SlaView): readonly Write[] {
  return [
    store.insertTransitions(database, changes),
    ...(slaChanges.length === 0 ? [] : [store.insertSlaChanges(database, slaChanges)]),
    store.saveNodes(database, touched),
    store.enqueueContainers(database, [...changes, ...slaChanges]),
  ]
}

/** These objects and all objects above them, with their rules. */
export function nodesAbove(database: Database, ids: readonly number[]): Promise<readonly Node[]> {
  return store.readNodes(database, ids)
}

/** These objects and all objects above them. */
export async function objectsAbove(database: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await store.readNodes(database, ids)).map(({ id }) => id))
}

/** Counts the children of marked parents again and propagates the changes. Must not run concurrently with itself. */
export async function recountTallies({ database, clock }: Pick<Ports, 'database' | 'clock'>): Promise<void> {
  for (;;) {
    const stale = await store.readStaleTallies(database, PARENTS_AT_ONCE)
    if (stale.length === 0) return
    const ids = stale.map(({ objectId }) => objectId)
    const nodes = await store.readNodes(database, ids)
    const tallies = await store.countChildren(database, ids)
    const propagation = new SlaView(nodes, arePartedTallies(tallies))
    propagation.recount(tallies, clock.now())
    await commit(database, [...writesOf(database, propagation), store.finishTallies(database, stale)])
  }
}

/** Lets some queued objects enter or leave maintenance, queues the objects below them, and propagates the changes. An
 * interrupted run is continued. Must not run concurrently with itself.
 * @param urgent limits it to urgent objects and the way to them
 * @returns whether there were any */
export async function reviewMaintenance(
  { database, clock }: Pick<Ports, 'database' | 'clock'>,
  urgent?: maintenance.Urgent,
): Promise<boolean> {
  const reviews = await maintenance.readStaleMaintenance(database, REVIEWS_AT_ONCE, urgent)
  if (reviews.length === 0) return false
  const ids = reviews.flatMap(({ objectId, groupId }) =>
    groupId === null ? [objectId] : [objectId, groupId],
  )
  const isParted = reviews.some(({ own, ownSla }) => own !== ownSla)
  const propagation = new SlaView(await store.readNodes(database, ids), isParted)
  const changed = propagation.maintain(reviews, clock.now())
  await commit(database, [
    ...writesOf(database, propagation),
    ...maintenanceWrites(database, propagation, changed),
    maintenance.enqueueChildren(database, changed),
    maintenance.finishMaintenance(database, reviews),
  ])
  return true
}

/** Records the maintenance of containers, because it affects their credit. */
function maintenanceWrites(
  database: Database,
  { touched }: SlaView,
  changed: readonly maintenance.MaintenanceMoment[],
): readonly Write[] {
  const containers = new Map(touched.filter(isContainer).map((node) => [node.id, node]))
  const intervals = changed.flatMap(({ objectId, at }): maintenance.MaintenanceInterval[] => {
    const node = containers.get(objectId)
    if (!node) return []
    const excused = (node.slaState ?? node).maintained
    return [{ objectId, at, maintained: node.maintained, excused }]
  })
  if (intervals.length === 0) return []
  const ids = intervals.map(({ objectId }) => objectId)
  return [maintenance.insertMaintenanceIntervals(database, intervals), store.enqueueTallies(database, ids)]
}

/** Checks a few hundred parents after an id, corrects tallies and states that do not match their children, and logs
 * them: the service itself should never cause any. Must not run concurrently with itself.
 * @returns the id to continue after; null at the end */
export async function correctTallies(
  { database, clock, log }: Pick<Ports, 'database' | 'clock' | 'log'>,
  afterId: number,
): Promise<number | null> {
  const ids = await store.readParents(database, afterId, PARENTS_PER_SWEEP)
  const last = ids.at(-1)
  if (last === undefined) return null
  const [nodes, tallies] = await Promise.all([
    store.readNodes(database, ids),
    store.countChildren(database, ids),
  ])
  const drifted = await driftOf(database, nodes, tallies)
  if (drifted.size > 0) {
    const propagation = new SlaView(nodes, arePartedTallies(drifted))
    propagation.recount(drifted, clock.now())
    await commit(database, writesOf(database, propagation))
    const named = [...drifted.keys()].slice(0, NAMED_MAX)
    log.warn('states: object states did not match their children and were corrected', {
      objects: drifted.size,
      ids: named.join(' '),
    })
  }
  return ids.length < PARENTS_PER_SWEEP ? null : last
}

/** The true tallies of objects with a wrong tally or state. */
async function driftOf(
  database: Database,
  nodes: readonly Node[],
  tallies: ReadonlyMap<number, Tallies>,
): Promise<ReadonlyMap<number, Tallies>> {
  const wrong = nodes.flatMap((node): [number, Tallies][] => {
    const tally = tallies.get(node.id)
    return tally && !isAsTallied(node, tally) ? [[node.id, tally]] : []
  })
  if (wrong.length === 0) return new Map()
  // Where children came or went since, the same commit has enqueued the parent.
  const noted = new Set(
    await store.readStaleAmong(
      database,
      wrong.map(([id]) => id),
    ),
  )
  return new Map(wrong.filter(([id]) => !noted.has(id)))
}

/** An object whose reasons are searched. */
export type ReasonQuery = Omit<Suspect, 'isReason'> & { readonly isReason?: boolean }

/** The reasons of an object's state: the deepest objects below it that can be named, along the worst counted children;
 * at most 20, none for a good state. */
export async function reasonsOf(
  database: Database,
  object: ReasonQuery,
): Promise<readonly Omit<Suspect, 'isReason'>[]> {
  return (await reasonsOfAll(database, [object])).get(object.id) ?? []
}

/** The reasons of several objects, searched together: the number of statements is the depth of the longest way. */
export async function reasonsOfAll(
  database: Database,
  objects: readonly ReasonQuery[],
): Promise<ReadonlyMap<number, readonly Omit<Suspect, 'isReason'>[]>> {
  const searches = objects.map((object) => {
    const first = traceFrom({ ...object, isReason: object.isReason ?? false })
    return { id: object.id, found: new Map<number, Suspect>(), traces: first ? [first] : [] }
  })
  for (let level = 0; level < LEVELS_MAX; level++) {
    const open = searches.filter(({ traces, found }) => traces.length > 0 && found.size < REASONS_MAX)
    if (open.length === 0) break
    const parents = [...new Set(open.flatMap(({ traces }) => traces.map(({ id }) => id)))]
    const limit = BAD_CHILDREN_MAX * Math.min(open.length, SEARCHES_COUNTED_MAX)
    const byParent = Map.groupBy(await readBadChildren(database, parents, limit), ({ parentId }) => parentId)
    for (const search of open) {
      const children = search.traces.flatMap(({ id }) => byParent.get(id) ?? [])
      const { reasons, next } = stepDown(search.traces, children)
      for (const reason of reasons) search.found.set(reason.id, reason)
      search.traces = next.slice(0, TRACES_MAX)
    }
  }
  return new Map(searches.map(({ id, found }) => [id, namedOf(found)]))
}

function namedOf(found: ReadonlyMap<number, Suspect>): Omit<Suspect, 'isReason'>[] {
  return [...found.values()]
    .slice(0, REASONS_MAX)
    .map(({ type, id, name, state }) => ({ type, id, name, state }))
}
