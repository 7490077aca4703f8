import type { State } from '../../domain/state.ts'
import { STATES } from '../../domain/state.ts'

/** The states that have a reason, worst first. */
export const BAD_STATES: readonly State[] = STATES.slice(0, STATES.indexOf('maintenance_ok'))

export type Suspect = {
  readonly type: string
  readonly id: number
  readonly name: string
  readonly state: State
  /** Whether it can be named as a reason; jobs always can. */
  readonly isReason: boolean
}

/** A child as its parent counts it. */
export type CountedChild = Suspect & { readonly parentId: number; readonly shown: State }

/** An object on the way down, with the deepest object so far that can be named. */
export type Trace = { readonly id: number; readonly named: Suspect | null }

/** The start of the search for the reasons of an object's state; null if its state has no reason. */
export function traceFrom(object: Suspect): Trace | null {
  return BAD_STATES.includes(object.state) ? { id: object.id, named: nameable(object) } : null
}

/** One level down: to the worst children that each object counts. If none of them is bad, the way ends, and the deepest
 * object on it that can be named is a reason. */
export function stepDown(
  traces: readonly Trace[],
  children: readonly CountedChild[],
): { readonly reasons: readonly Suspect[]; readonly next: readonly Trace[] } {
  const reasons: Suspect[] = []
  const next = new Map<number, Trace>()
  for (const { id, named } of traces) {
    const worst = worstOf(children.filter(({ parentId }) => parentId === id))
    if (worst.length === 0 && named) reasons.push(named)
    for (const child of worst) {
      if (child.type === 'job') reasons.push(child)
      else if (!next.has(child.id)) next.set(child.id, { id: child.id, named: nameable(child) ?? named })
    }
  }
  return { reasons, next: [...next.values()] }
}

/** The children with the worst counted state that are bad themselves: a child that only counts as bad has no reason
 * below it. */
function worstOf(children: readonly CountedChild[]): readonly CountedChild[] {
  const rank = ({ shown }: CountedChild) => STATES.indexOf(shown)
  const worst = Math.min(...children.map(rank))
  return children.filter((child) => rank(child) === worst && BAD_STATES.includes(child.state))
}

function nameable(object: Suspect): Suspect | null {
  return object.isReason || object.type === 'job' ? object : null
}
