import type { State, Transition } from '../../ports/job-actors.ts'
import { STATES } from './state.ts'

/** How many children are in each state, in the order of `STATES`. */
export type Tally = readonly number[]

export const NO_CHILDREN: Tally = STATES.map(() => 0)

/** An object with what is known of its state. Objects that have never had one are `undefined`, since ever, at 0. */
export type Node = {
  readonly id: number
  readonly parentId: number | null
  readonly state: State
  readonly sinceAt: number
  /** Number of transitions so far. */
  readonly seq: number
  /** Null for what has no children by its kind. */
  readonly tally: Tally | null
}

/** A transition of any object; a parent's names the child that brought it about. */
export type Change = Transition & { readonly causeId: number | null }

/** States that count less than being well: nothing is known, or nothing is meant to be. */
const SILENT: ReadonlySet<State> = new Set(['no_data', 'undefined'])

/** The state of a device or group: that of its worst child. Children that are `undefined` never count, `no_data` only
 * when there is nothing else (monitoring.md 2.7). */
export function worstOf(tally: Tally): State {
  const isThere = (state: State) => (tally[STATES.indexOf(state)] ?? 0) > 0
  return (
    STATES.find((state) => isThere(state) && !SILENT.has(state)) ??
    (isThere('no_data') ? 'no_data' : 'undefined')
  )
}

/**
 * What transitions of children mean to everything above them. Each step adds one child's change to the tally of its
 * parent, so a change costs as many steps as the object is deep, and none beyond the first parent that stays as it is.
 */
export class Propagation {
  readonly #nodes: Map<number, Node>
  readonly #touched = new Set<number>()
  readonly #changes: Change[] = []

  /** `nodes` are the objects that change and everything above them. */
  constructor(nodes: readonly Node[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
  }

  /** Every new transition, children before the parents that they changed; in the order of time for each object. */
  get changes(): readonly Change[] {
    return this.#changes
  }

  /** The objects that are not as they were. */
  get touched(): readonly Node[] {
    return [...this.#touched].flatMap((id) => this.#nodes.get(id) ?? [])
  }

  /** Takes a transition that an actor has committed; one that is known, or of an object that is gone, changes nothing. */
  follow(transition: Transition): void {
    const node = this.#nodes.get(transition.objectId)
    if (node && transition.seq > node.seq) this.#change(node, { ...transition, causeId: null })
  }

  /** Sets right what was counted of parents' children, whatever it was before. Parents come after what is below them. */
  recount(tallies: ReadonlyMap<number, Tally>, now: number): void {
    // All of them first: what changes below is then added to a tally that is right.
    for (const [id, tally] of tallies) {
      const node = this.#nodes.get(id)
      if (node) this.#keep({ ...node, tally })
    }
    for (const id of tallies.keys()) {
      const node = this.#nodes.get(id)
      if (node) this.#judge(node, { at: now, detectedAt: now, objectId: null })
    }
  }

  #change(node: Node, change: Change): void {
    this.#changes.push(change)
    this.#keep({ ...node, state: change.to, sinceAt: change.at, seq: change.seq })
    const parent = node.parentId === null ? undefined : this.#nodes.get(node.parentId)
    if (parent?.tally)
      this.#judge(this.#keep({ ...parent, tally: moved(parent.tally, node.state, change.to) }), change)
  }

  #judge(node: Node, cause: { at: number; detectedAt: number; objectId: number | null }): void {
    const to = worstOf(node.tally ?? NO_CHILDREN)
    if (to === node.state) return
    this.#change(node, {
      objectId: node.id,
      seq: node.seq + 1,
      // A parent's history is written forwards, too, in whatever order its children are heard of.
      at: Math.max(cause.at, node.sinceAt),
      detectedAt: cause.detectedAt,
      from: node.state,
      to,
      reason: 'child',
      errorCode: 0,
      message: null,
      silentSinceAt: null,
      causeId: cause.objectId,
    })
  }

  #keep(node: Node): Node {
    this.#nodes.set(node.id, node)
    this.#touched.add(node.id)
    return node
  }
}

/** A tally in which one child went from one state to another. */
function moved(tally: Tally, from: State, to: State): Tally {
  const after = [...tally]
  const before = STATES.indexOf(from)
  after[before] = Math.max(0, (after[before] ?? 0) - 1)
  after[STATES.indexOf(to)] = (after[STATES.indexOf(to)] ?? 0) + 1
  return after
}
