import type { State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { sloStateOf } from './slo-state.ts'
import type { SloRules } from './slo-state.ts'
import { STATES } from '../../domain/state.ts'
import { bareState, isLevel, isMaintained, shownInMaintenance, SILENT } from './state.ts'
import { NO_CHILDREN } from './tally.ts'
import type { Tally } from './tally.ts'

export const PUSHES = ['any', 'minor', 'major', 'none'] as const
/** Which states an object shows to its parents: any, only those at least this bad, or none. */
export type Push = (typeof PUSHES)[number]

/** How an object counts for one of its parents. */
export type Link = {
  readonly parentId: number
  readonly weight: number
  /** For a state of the child, the state that the parent uses instead. */
  readonly overrides: Readonly<Partial<Record<State, State>>>
}

/** An object with its state. An object without any transition is `undefined` since 0. */
export type Node = {
  readonly id: number
  readonly state: State
  readonly sinceAt: number
  /** Number of transitions so far. */
  readonly seq: number
  /** The latest transition of a job's actor: its number in the actor, and the state without maintenance. */
  readonly heard: { readonly seq: number; readonly state: State } | null
  /** Whether the object or an object above it is in maintenance. */
  readonly maintained: boolean
  /** Whether the job's actor says that the job flaps. */
  readonly flapping: boolean
  /** The latest message change of a bad job that alarms have not followed yet; `null` if alarms have followed all. */
  readonly news?: News | null
  /** Null for the root. */
  readonly parentId: number | null
  /** Null for types without children, and for containers, whose state is not a sum of their children. */
  readonly tally: Tally | null
  /** Null for objects with the state of their worst child. */
  readonly rules: SloRules | null
  readonly push: Push
  readonly links: readonly Link[]
  /** The latest instant at which a child changed; null before the first. */
  readonly moment: StateMoment | null
  /** The state for service level containers; null if it is the object's own. */
  readonly slaState: SlaState | null
}

/** The message or error code of a bad job whose state did not change. */
export type News = Pick<Transition, 'message' | 'silentSinceAt' | 'errorCode'> & {
  readonly at: number
  readonly isNewCode: boolean
}

/** An instant: the object's own state just before it, and whether a child could not deliver from then on. All events of
 * the instant are evaluated together, in any order of arrival. */
export type StateMoment = { readonly at: number; readonly was: State; readonly isGap: boolean }

/** The object as service level containers see it: they ignore maintenance that is `slaRelevant`. */
export type SlaState = Pick<Node, 'state' | 'sinceAt' | 'maintained' | 'tally' | 'moment'>

/** An object that may enter or leave maintenance at an instant. */
export type Review = {
  readonly objectId: number
  readonly at: number
  /** Whether the object has running maintenance of its own. */
  readonly own: boolean
}

/** A transition of any object; a transition of a parent names the child that caused it. */
export type StateChange = Transition & { readonly causeId: number | null }

/** The state of a device or group: the state of its worst child. Children that are `undefined` never count, `no_data`
 * only if all others are `undefined`. */
export function worstOf(tally: Tally): State {
  const isThere = (state: State) => (tally[STATES.indexOf(state)] ?? 0) > 0
  return (
    STATES.find((state) => isThere(state) && !SILENT.has(state)) ??
    (isThere('no_data') ? 'no_data' : 'undefined')
  )
}

/** The state of an object from the states of its children. */
export function stateOf(rules: SloRules | null, tally: Tally): State {
  return rules ? sloStateOf(rules, tally) : worstOf(tally)
}

/** The state that a parent sees of a child. */
export function shownState(state: State, push: Push, overrides: Link['overrides']): State {
  const pushed = pushedState(state, push)
  return overrides[pushed] ?? pushed
}

function pushedState(state: State, push: Push): State {
  if (push === 'any' || SILENT.has(state)) return state
  if (push === 'none') return 'undefined'
  const bare = bareState(state)
  const isBadEnough = bare === 'major' || (push === 'minor' && bare === 'minor')
  if (isBadEnough) return state
  return isMaintained(state) ? 'maintenance_ok' : 'ok'
}

/** The state of an object whose child could not deliver because of our own downtime: the object does not get worse by
 * that. */
export function stateWithoutBlame(state: State, was: State): State {
  const isWorse = isLevel(state) && (SILENT.has(was) || STATES.indexOf(state) < STATES.indexOf(was))
  return isWorse ? 'no_data' : state
}

type ChangeCause = {
  readonly at: number
  readonly detectedAt: number
  readonly objectId: number | null
  /** The kind of the child's change: an ordinary change, the start or end of maintenance, or the start or end of a time
   * in which the child could not deliver because of our own downtime. */
  readonly means: 'change' | 'maintenance' | 'gap begin' | 'gap end'
}

const REASONS = {
  change: 'child',
  maintenance: 'maintenance',
  'gap begin': 'platform',
  'gap end': 'platform',
} as const

/** Propagates transitions of children to all objects above them. Each step adds one child's change to the tallies of
 * its parents, so the cost of a change is the number of objects above it, up to those whose state stays the same. Lower
 * objects come first: an object above two changed objects is evaluated once. */
export class Propagation {
  readonly #nodes: Map<number, Node>
  readonly #heights = new Map<number, number>()
  readonly #touched = new Set<number>()
  readonly #changes: StateChange[] = []

  /** @param nodes the objects that change, and all objects above them */
  constructor(nodes: readonly Node[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
  }

  /** All new transitions, children before the parents that they changed, in order of time for each object. */
  get changes(): readonly StateChange[] {
    return this.#changes
  }

  /** The objects that changed. */
  get touched(): readonly Node[] {
    return [...this.#touched].flatMap((id) => this.#nodes.get(id) ?? [])
  }

  /** An object in its current state. */
  node(id: number): Node | undefined {
    return this.#nodes.get(id)
  }

  /** Applies a committed transition of an actor; a known transition, or one of a deleted object, changes nothing. */
  follow(transition: Transition): void {
    const node = this.#nodes.get(transition.objectId)
    if (!node || transition.seq <= (node.heard?.seq ?? 0)) return
    const { isFlapping: flapping = node.flapping } = transition
    const news = newsOf(transition, node.news)
    const heard = { ...node, flapping, news, heard: { seq: transition.seq, state: transition.to } }
    const to = node.maintained ? shownInMaintenance(transition.to) : transition.to
    this.#keep(heard)
    if (to === node.state) return
    const waiting = new Map<number, ChangeCause>()
    const at = Math.max(transition.at, node.sinceAt)
    const change = { ...transition, seq: node.seq + 1, at, from: node.state, to, causeId: null }
    this.#change(heard, { ...change, means: meaningOf(transition) }, waiting)
    this.#settle(waiting)
  }

  /** Lets objects enter or leave maintenance.
   * @returns those that did: the objects below them must be reviewed as well */
  maintain(reviews: readonly Review[], now: number): readonly Review[] {
    const waiting = new Map<number, ChangeCause>()
    const changed = reviews.filter((review) => this.#maintain(review, now, waiting))
    this.#settle(waiting)
    return changed
  }

  #maintain({ objectId, at, own }: Review, now: number, waiting: Map<number, ChangeCause>): boolean {
    const node = this.#nodes.get(objectId)
    if (!node) return false
    const above = node.parentId === null ? undefined : this.#nodes.get(node.parentId)
    const maintained = own || above?.maintained === true
    if (maintained === node.maintained) return false
    const next = { ...node, maintained }
    this.#keep(next)
    const cause: ChangeCause = { objectId: null, at, detectedAt: now, means: 'maintenance' }
    if (node.heard) this.#turn(next, node.heard.state, { cause, waiting })
    else if (node.tally) waiting.set(objectId, cause)
    return true
  }

  /** Replaces the tallies of parents by counted ones. */
  recount(tallies: ReadonlyMap<number, Tally>, now: number): void {
    // All tallies first: changes below are then added to correct ones.
    for (const [id, tally] of tallies) {
      const node = this.#nodes.get(id)
      if (node) this.#keep({ ...node, tally })
    }
    const cause: ChangeCause = { at: now, detectedAt: now, objectId: null, means: 'change' }
    this.#settle(new Map([...tallies.keys()].map((id) => [id, cause])))
  }

  /** Evaluates waiting objects from below, each once, even if links form a cycle. */
  #settle(waiting: Map<number, ChangeCause>): void {
    const judged = new Set<number>()
    for (;;) {
      const open = [...waiting.keys()].filter((id) => !judged.has(id))
      if (open.length === 0) return
      const lowest = open.reduce((most, id) => Math.max(most, this.#height(id)), 0)
      // Of two objects with equal height, neither is above the other.
      for (const id of open.filter((one) => this.#height(one) === lowest)) {
        judged.add(id)
        const node = this.#nodes.get(id)
        const cause = waiting.get(id)
        const tally = node?.tally ?? NO_CHILDREN
        if (node && cause) this.#turn(node, stateOf(node.rules, tally), { cause, waiting })
      }
    }
  }

  /** Sets the own state of an object, as maintenance shows it. */
  #turn(
    node: Node,
    state: State,
    { cause, waiting }: { cause: ChangeCause; waiting: Map<number, ChangeCause> },
  ): void {
    const { isGap, was } = momentOf(node, cause)
    const now = isGap ? stateWithoutBlame(state, was) : state
    const to = node.maintained ? shownInMaintenance(now) : now
    if (to === node.state) return
    const change = {
      objectId: node.id,
      seq: node.seq + 1,
      // The history of a parent is written forwards, in any order of its children's changes.
      at: Math.max(cause.at, node.sinceAt),
      detectedAt: cause.detectedAt,
      from: node.state,
      to,
      reason: REASONS[cause.means],
      errorCode: 0,
      message: null,
      silentSinceAt: null,
      causeId: cause.objectId,
    }
    this.#change(node, { ...change, means: cause.means }, waiting)
  }

  #change(
    node: Node,
    told: StateChange & Pick<ChangeCause, 'means'>,
    waiting: Map<number, ChangeCause>,
  ): void {
    const { means, ...change } = told
    this.#changes.push(change)
    this.#keep({ ...node, state: change.to, sinceAt: change.at, seq: change.seq })
    for (const { parentId, weight, overrides } of node.links) {
      const parent = this.#nodes.get(parentId)
      if (!parent?.tally) continue
      const shown = (state: State) => shownState(state, node.push, overrides)
      const moment = momentOf(parent, told)
      this.#keep({
        ...parent,
        moment,
        tally: moved(parent.tally, shown(node.state), shown(change.to), weight),
      })
      if (waiting.get(parentId)?.objectId == null) waiting.set(parentId, { ...change, means })
    }
  }

  #keep(node: Node): void {
    this.#nodes.set(node.id, node)
    this.#touched.add(node.id)
  }

  /** The number of objects above, along the longest way. */
  #height(id: number): number {
    const known = this.#heights.get(id)
    if (known !== undefined) return known
    // Ends the recursion if links form a cycle.
    this.#heights.set(id, 0)
    const links = this.#nodes.get(id)?.links ?? []
    const height = links.reduce(
      (most, { parentId }) => (this.#nodes.has(parentId) ? Math.max(most, this.#height(parentId) + 1) : most),
      0,
    )
    this.#heights.set(id, height)
    return height
  }
}

/** The instant at which an object learns of a change. */
function momentOf(node: Node, { at, means }: Pick<ChangeCause, 'at' | 'means'>): StateMoment {
  const known = node.moment?.at === at ? node.moment : null
  const own = node.maintained ? bareState(node.state) : node.state
  return { at, was: known?.was ?? own, isGap: means === 'gap begin' || (known?.isGap ?? false) }
}

function meaningOf({ reason, to }: Transition): ChangeCause['means'] {
  if (reason !== 'platform') return 'change'
  return to === 'no_data' ? 'gap begin' : 'gap end'
}

/** The tally after a child changed from one state to another. */
function moved(tally: Tally, from: State, to: State, weight: number): Tally {
  const after = [...tally]
  const before = STATES.indexOf(from)
  after[before] = Math.max(0, (after[before] ?? 0) - weight)
  after[STATES.indexOf(to)] = (after[STATES.indexOf(to)] ?? 0) + weight
  return after
}

/** The message change that alarms still have to follow after a transition; a state change carries its own message. */
function newsOf(transition: Transition, before: News | null | undefined): News | null {
  const { isNewCode, from, to, detectedAt: at, message, silentSinceAt, errorCode } = transition
  if (isNewCode === undefined) return from === to ? (before ?? null) : null
  return { at, message, silentSinceAt, errorCode, isNewCode: isNewCode || before?.isNewCode === true }
}
