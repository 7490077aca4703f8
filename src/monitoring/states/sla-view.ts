import type { State } from '../../domain/state.ts'
import type { Transition } from '../../domain/transition.ts'
import { Propagation, stateOf } from './propagation.ts'
import { shownInMaintenance } from './state.ts'
import type { StateChange, SlaState, Node, Review } from './propagation.ts'
import type { Tally } from './tally.ts'

/** From an instant on, service level containers use a state for an object; null for its own. */
export type SlaTransition = { readonly objectId: number; readonly at: number; readonly to: State | null }

/** A review for both views: `ownSla` leaves out maintenance that is `slaRelevant`. */
export type SlaReview = Review & { readonly ownSla: boolean }

/** The tallies of an object's children: with their own states, and with those that service level containers use. */
export type Tallies = { readonly shown: Tally; readonly slaState: Tally }

/** Propagates the states of objects and, beside them, the states that service level containers use. Both follow the
 * same rules and differ only in which maintenance applies. Without such a difference, only the first propagation
 * runs. */
export class SlaView {
  readonly #before: readonly Node[]
  readonly #shown: Propagation
  readonly #sla: Propagation | null

  /** @param isParted whether the next changes will make a difference between the two */
  constructor(nodes: readonly Node[], isParted = false) {
    this.#before = nodes
    this.#shown = new Propagation(nodes)
    const isNeeded = isParted || nodes.some(({ slaState }) => slaState !== null)
    this.#sla = isNeeded ? new Propagation(nodes.map(seenBySla)) : null
  }

  /** As `Propagation.changes`: the objects' own states. */
  get changes(): readonly StateChange[] {
    return this.#shown.changes
  }

  /** The objects that changed in either view. */
  get touched(): readonly Node[] {
    const sla = this.#sla
    if (!sla) return this.#shown.touched
    const ids = new Set([...this.#shown.touched, ...sla.touched].map(({ id }) => id))
    return [...ids].flatMap((id) => {
      const node = this.#shown.node(id)
      return node ? [{ ...node, slaState: this.#apart(id) }] : []
    })
  }

  /** Changes of the states that containers use, where they differ from the objects' own, or did before; in order of
   * time for each object. */
  get slaChanges(): readonly SlaTransition[] {
    const sla = this.#sla
    if (!sla) return []
    const [shownOf, slaOf] = [byObject(this.#shown.changes), byObject(sla.changes)]
    return this.#before.flatMap((before): SlaTransition[] => {
      if (isContainer(before)) return []
      const { id, slaState: was, sinceAt, state } = before
      const changes = (slaOf.get(id) ?? []).map(({ at, to }) => ({ objectId: id, at, to }))
      const isApart = this.#apart(id) !== null
      if (was === null && !isApart && isSame(changes, shownOf.get(id) ?? [])) return []
      const begin = was === null ? [{ objectId: id, at: sinceAt, to: state }] : []
      const end = isApart ? [] : [{ objectId: id, at: this.#shown.node(id)?.sinceAt ?? sinceAt, to: null }]
      return [...begin, ...changes, ...end]
    })
  }

  /** As `Propagation.follow`. */
  follow(transition: Transition): void {
    this.#shown.follow(transition)
    this.#sla?.follow(transition)
  }

  /** As `Propagation.maintain`. */
  maintain(reviews: readonly SlaReview[], now: number): readonly Review[] {
    const changed = new Set<Review>(this.#shown.maintain(reviews, now))
    const slaReviews = reviews.map((review) => ({ ...review, own: review.ownSla }))
    const also = new Set(this.#sla?.maintain(slaReviews, now).map(({ objectId }) => objectId))
    return reviews.filter((review) => changed.has(review) || also.has(review.objectId))
  }

  /** As `Propagation.recount`. */
  recount(tallies: ReadonlyMap<number, Tallies>, now: number): void {
    const counted = (which: keyof Tallies) => new Map([...tallies].map(([id, one]) => [id, one[which]]))
    this.#shown.recount(counted('shown'), now)
    this.#sla?.recount(counted('slaState'), now)
  }

  /** The object as containers see it; null if it is the same. */
  #apart(id: number): SlaState | null {
    const [shown, sla] = [this.#shown.node(id), this.#sla?.node(id)]
    if (!shown || !sla) return null
    const { state, sinceAt, maintained, tally, moment } = sla
    // It stays separate while its last change is later, because histories are written forwards.
    const isTogether =
      shown.state === state &&
      shown.maintained === maintained &&
      shown.sinceAt >= sinceAt &&
      isSame(shown.tally, tally)
    return isTogether ? null : { state, sinceAt, maintained, tally, moment }
  }
}

/** An object as service level containers see it. */
function seenBySla(node: Node): Node {
  return node.slaState ? { ...node, ...node.slaState } : node
}

/** Whether an object has these tallies, and the states that follow from them. */
export function isAsTallied(node: Node, { shown, slaState }: Tallies): boolean {
  return isAsCounted(node, shown) && isAsCounted(seenBySla(node), slaState)
}

/** Whether it is a service level container: its state follows from histories, not from a tally. */
export function isContainer({ heard, tally }: Node): boolean {
  return heard === null && tally === null
}

/** Whether an object has this tally, and the state that follows from it. */
function isAsCounted(node: Node, tally: Tally): boolean {
  const hasIt = node.tally?.every((weight, place) => weight === tally[place]) ?? false
  const state = stateOf(node.rules, tally)
  return hasIt && (node.maintained ? shownInMaintenance(state) : state) === node.state
}

/** Whether the two tallies of any object differ. */
export function arePartedTallies(tallies: ReadonlyMap<number, Tallies>): boolean {
  return tallies.values().some(({ shown, slaState }) => !isSame(shown, slaState))
}

function byObject(changes: readonly StateChange[]) {
  return Map.groupBy(
    changes.map(({ objectId, at, to }) => ({ objectId, at, to })),
    ({ objectId }) => objectId,
  )
}

function isSame(one: object | null, other: object | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
