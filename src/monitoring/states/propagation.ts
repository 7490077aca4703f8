import type { State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { sloStateOf } from './slo-state.ts'
import type { SloRules } from './slo-state.ts'
import { bareState, isLevel, isMaintained, shownInMaintenance, SILENT, STATES } from './state.ts'

/** How much children in each state weigh together, in the order of `STATES`. */
export type Tally = readonly number[]

export const NO_CHILDREN: Tally = STATES.map(() => 0)

export const PUSHES = ['any', 'minor', 'major', 'none'] as const
/** Which of its states an object shows its parents: `any`, or only those at least so bad, or none. */
export type Push = (typeof PUSHES)[number]

/** How an object counts with one of its parents. */
export type Link = {
  readonly parentId: number
  readonly weight: number
  /** What the parent takes a state of this child for. */
  readonly overrides: Readonly<Partial<Record<State, State>>>
}

/** An object with what is known of its state. Objects that have never had one are `undefined`, since ever, at 0. */
export type Node = {
  readonly id: number
  readonly state: State
  readonly sinceAt: number
  /** Number of transitions so far. */
  readonly seq: number
  /** What was last heard of a job's actor: the actor's own number of it, and the state, whatever is maintained. */
  readonly heard: { readonly seq: number; readonly state: State } | null
  /** Whether it, or what it is in, is in maintenance. */
  readonly maintained: boolean
  /** Whether a job's actor says that it flaps. */
  readonly flapping: boolean
  /** What a bad job has told since alarms followed it; `null` where it told nothing that is not a change of its state. */
  readonly news?: News | null
  /** Null for the root. */
  readonly parentId: number | null
  /** Null for what has no children by its kind, or is no sum of them, as a container. */
  readonly tally: Tally | null
  /** Null for what is as its worst child. */
  readonly rules: SloRules | null
  readonly push: Push
  readonly links: readonly Link[]
  /** The latest instant at which a child has changed; null before that. */
  readonly moment: StateMoment | null
  /** Null for what service level containers take for what it is. */
  readonly charged: Charged | null
}

/** What is wrong with a bad job now, although its state is as it was. */
export type News = Pick<Transition, 'message' | 'silentSinceAt' | 'errorCode'> & {
  readonly at: number
  readonly isNewCode: boolean
}

/** An instant: what an object was by itself just before, and whether a child could not be heard from then on. Whatever else
 * is told of that instant is judged together with that, in whatever order. */
export type StateMoment = { readonly at: number; readonly was: State; readonly isDeaf: boolean }

/** What service level containers take an object for: to them, maintenance that is `slaRelevant` is none. */
export type Charged = Pick<Node, 'state' | 'sinceAt' | 'maintained' | 'tally' | 'moment'>

/** An object that may have entered or left maintenance at an instant. */
export type Review = {
  readonly objectId: number
  readonly at: number
  /** Whether a maintenance of its own is running. */
  readonly own: boolean
}

/** A transition of any object; a parent's names the child that brought it about. */
export type StateChange = Transition & { readonly causeId: number | null }

/** The state of a device or group: that of its worst child. Children that are `undefined` never count, `no_data` only
 * when there is nothing else. */
export function worstOf(tally: Tally): State {
  const isThere = (state: State) => (tally[STATES.indexOf(state)] ?? 0) > 0
  return (
    STATES.find((state) => isThere(state) && !SILENT.has(state)) ??
    (isThere('no_data') ? 'no_data' : 'undefined')
  )
}

/** The state of an object that is as its children are. */
export function stateOf(rules: SloRules | null, tally: Tally): State {
  return rules ? sloStateOf(rules, tally) : worstOf(tally)
}

/** What an object in a state counts as with a parent. */
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

/** What an object is that would be in a state only because a child could not be heard: nobody gets worse by that. */
export function stateWithoutBlame(state: State, was: State): State {
  const isWorse = isLevel(state) && (SILENT.has(was) || STATES.indexOf(state) < STATES.indexOf(was))
  return isWorse ? 'no_data' : state
}

type ChangeCause = {
  readonly at: number
  readonly detectedAt: number
  readonly objectId: number | null
  /** What it is to parents: an ordinary change of a child, the begin or end of maintenance, or the begin or the end of a
   * time in which a child could not be heard, through no fault of its own. */
  readonly means: 'change' | 'maintenance' | 'deaf' | 'heard'
}

const REASONS = { change: 'child', maintenance: 'maintenance', deaf: 'platform', heard: 'platform' } as const

/**
 * What transitions of children mean to everything above them. Each step adds one child's change to the tallies of its
 * parents, so a change costs as many steps as there are objects above, and none beyond those that stay as they are. What
 * is below comes first: an object above two that change is judged once.
 */
export class Propagation {
  readonly #nodes: Map<number, Node>
  readonly #heights = new Map<number, number>()
  readonly #touched = new Set<number>()
  readonly #changes: StateChange[] = []

  /** `nodes` are the objects that change and everything above them. */
  constructor(nodes: readonly Node[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
  }

  /** Every new transition, children before the parents that they changed; in the order of time for each object. */
  get changes(): readonly StateChange[] {
    return this.#changes
  }

  /** The objects that are not as they were. */
  get touched(): readonly Node[] {
    return [...this.#touched].flatMap((id) => this.#nodes.get(id) ?? [])
  }

  /** An object as it is now. */
  node(id: number): Node | undefined {
    return this.#nodes.get(id)
  }

  /** Takes a transition that an actor has committed; one that is known, or of an object that is gone, changes nothing. */
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

  /** Lets objects enter or leave maintenance, as they themselves or what they are in say.
   * @returns those that did: what is in them is to be looked at as well */
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

  /** Sets right what was counted of parents' children, whatever it was before. */
  recount(tallies: ReadonlyMap<number, Tally>, now: number): void {
    // All of them first: what changes below is then added to a tally that is right.
    for (const [id, tally] of tallies) {
      const node = this.#nodes.get(id)
      if (node) this.#keep({ ...node, tally })
    }
    const cause: ChangeCause = { at: now, detectedAt: now, objectId: null, means: 'change' }
    this.#settle(new Map([...tallies.keys()].map((id) => [id, cause])))
  }

  /** Judges what waits, from below; each object once, also where links should ever lead in a circle. */
  #settle(waiting: Map<number, ChangeCause>): void {
    const judged = new Set<number>()
    for (;;) {
      const open = [...waiting.keys()].filter((id) => !judged.has(id))
      if (open.length === 0) return
      const lowest = open.reduce((most, id) => Math.max(most, this.#height(id)), 0)
      // Of equal height none is above another.
      for (const id of open.filter((one) => this.#height(one) === lowest)) {
        judged.add(id)
        const node = this.#nodes.get(id)
        const cause = waiting.get(id)
        const tally = node?.tally ?? NO_CHILDREN
        if (node && cause) this.#turn(node, stateOf(node.rules, tally), { cause, waiting })
      }
    }
  }

  /** Gives an object the state that it has by itself, as maintenance shows it. */
  #turn(
    node: Node,
    state: State,
    { cause, waiting }: { cause: ChangeCause; waiting: Map<number, ChangeCause> },
  ): void {
    const { isDeaf, was } = momentOf(node, cause)
    const now = isDeaf ? stateWithoutBlame(state, was) : state
    const to = node.maintained ? shownInMaintenance(now) : now
    if (to === node.state) return
    const change = {
      objectId: node.id,
      seq: node.seq + 1,
      // A parent's history is written forwards, too, in whatever order its children are heard of.
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

  /** How many objects are above, along the longest way. */
  #height(id: number): number {
    const known = this.#heights.get(id)
    if (known !== undefined) return known
    // Whoever comes back here on the way up finds this, and ends.
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

/** The instant at which an object is told of a change, with what is known of it. */
function momentOf(node: Node, { at, means }: Pick<ChangeCause, 'at' | 'means'>): StateMoment {
  const known = node.moment?.at === at ? node.moment : null
  const own = node.maintained ? bareState(node.state) : node.state
  return { at, was: known?.was ?? own, isDeaf: means === 'deaf' || (known?.isDeaf ?? false) }
}

function meaningOf({ reason, to }: Transition): ChangeCause['means'] {
  if (reason !== 'platform') return 'change'
  return to === 'no_data' ? 'deaf' : 'heard'
}

/** A tally in which a child went from one state to another. */
function moved(tally: Tally, from: State, to: State, weight: number): Tally {
  const after = [...tally]
  const before = STATES.indexOf(from)
  after[before] = Math.max(0, (after[before] ?? 0) - weight)
  after[STATES.indexOf(to)] = (after[STATES.indexOf(to)] ?? 0) + weight
  return after
}

/** What alarms are to follow after a transition; a change of the state brings its own message. */
function newsOf(transition: Transition, before: News | null | undefined): News | null {
  const { isNewCode, from, to, detectedAt: at, message, silentSinceAt, errorCode } = transition
  if (isNewCode === undefined) return from === to ? (before ?? null) : null
  return { at, message, silentSinceAt, errorCode, isNewCode: isNewCode || before?.isNewCode === true }
}
