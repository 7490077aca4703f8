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
  forgetUncounted,
  insertFirstState,
  insertTransitions,
  markLinkedAbove,
  markUncounted,
  refuseCircle,
  saveNodes,
} from './store.ts'
export { hasMaintenanceChanges, noteArrival, noteMaintenance } from './store/maintenance.ts'
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
/** So few that what waits meanwhile does not notice; the edge asks for so many a thousand times at most. */
const PARENTS_PER_SWEEP = 200
const NAMED_MAX = 20
const REASONS_MAX = 20
/** Beyond these a search for reasons follows what it has found first. */
const TRACES_MAX = 100
const BAD_CHILDREN_MAX = 1_000
/** Of those who search together, for how many there is room. */
const SEARCHES_COUNTED_MAX = 10
const LEVELS_MAX = 100

/** Keeps committed transitions, the current states that follow from them, and what both mean to every object above.
 * Telling one twice changes nothing. One call at a time: see `ports/flow.ts`.
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
  const changed = [...propagation.changes, ...propagation.charges]
  return { hasSlo: changed.some(({ objectId }) => slos.has(objectId)) }
}

/** Everything that a propagation has changed, and that containers of what has changed are to be judged. */
function writesOf(database: Database, { changes, charges, touched }: SlaView): readonly Write[] {
  return [
    store.insertTransitions(database, changes),
    ...(charges.length === 0 ? [] : [store.insertCharges(database, charges)]),
    store.saveNodes(database, touched),
    store.markContainers(database, [...changes, ...charges]),
  ]
}

/** These objects and everything whose state they are part of, with what decides these states. */
export function nodesAbove(database: Database, ids: readonly number[]): Promise<readonly Node[]> {
  return store.readNodes(database, ids)
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
    const tallies = await store.countChildren(database, ids)
    const propagation = new SlaView(nodes, arePartedTallies(tallies))
    propagation.recount(tallies, clock.now())
    await commit(database, [...writesOf(database, propagation), store.forgetUncounted(database, uncounted)])
  }
}

/** Lets some objects enter or leave maintenance that were noted, notes what is in them, and carries on what that changes.
 * What was interrupted goes on where it was. One call at a time.
 * @param urgent limits it to what is urgent, or leads there
 * @returns whether there were any */
export async function reviewMaintenance(
  { database, clock }: Pick<Ports, 'database' | 'clock'>,
  urgent?: maintenance.Urgent,
): Promise<boolean> {
  const reviews = await maintenance.readMaintenanceChanges(database, REVIEWS_AT_ONCE, urgent)
  if (reviews.length === 0) return false
  const ids = reviews.flatMap(({ objectId, groupId }) =>
    groupId === null ? [objectId] : [objectId, groupId],
  )
  const isParted = reviews.some(({ own, ownCharged }) => own !== ownCharged)
  const propagation = new SlaView(await store.readNodes(database, ids), isParted)
  const changed = propagation.maintain(reviews, clock.now())
  await commit(database, [
    ...writesOf(database, propagation),
    ...spellWrites(database, propagation, changed),
    maintenance.noteChildren(database, changed),
    maintenance.forgetMaintenanceChanges(database, reviews),
  ])
  return true
}

/** Containers live through maintenance as well, which is a matter of their credit. */
function spellWrites(
  database: Database,
  { touched }: SlaView,
  changed: readonly maintenance.MaintenanceMoment[],
): readonly Write[] {
  const containers = new Map(touched.filter(isContainer).map((node) => [node.id, node]))
  const spells = changed.flatMap(({ objectId, at }): maintenance.MaintenanceInterval[] => {
    const node = containers.get(objectId)
    if (!node) return []
    const excused = (node.charged ?? node).maintained
    return [{ objectId, at, maintained: node.maintained, excused }]
  })
  if (spells.length === 0) return []
  const ids = spells.map(({ objectId }) => objectId)
  return [maintenance.insertMaintenanceIntervals(database, spells), store.markUncounted(database, ids)]
}

/** Sets right the parents among a few hundred after an id whose tally or state is not what their children make them, and
 * says so: nothing that the service does by itself should leave any. One call at a time.
 * @returns the id to go on after, or null when there are no more */
export async function setRight(
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

/** The true tallies of those that have another, or a state that it does not make. */
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
  // Where children came or went since, somebody has noted it together with that, and will count.
  const noted = new Set(
    await store.readNoted(
      database,
      wrong.map(([id]) => id),
    ),
  )
  return new Map(wrong.filter(([id]) => !noted.has(id)))
}

/** An object whose reasons are asked for. */
export type ReasonQuery = Omit<Suspect, 'isReason'> & { readonly isReason?: boolean }

/** Why an object is in its state: the deepest objects below it that may be named, along the worst children that are
 * counted; 20 at most, and none where nothing is bad. */
export async function reasonsOf(
  database: Database,
  object: ReasonQuery,
): Promise<readonly Omit<Suspect, 'isReason'>[]> {
  return (await reasonsOfAll(database, [object])).get(object.id) ?? []
}

/** Why each of some objects is in its state, found together: with as many statements as the deepest way has levels. */
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
