import type { State } from '../../domain/state.ts'
import { STATES } from './state.ts'

/** The states for which something is to blame, worst first. */
export const BAD_STATES: readonly State[] = STATES.slice(0, STATES.indexOf('maintenance_ok'))

export type Suspect = {
  readonly type: string
  readonly id: number
  readonly name: string
  readonly state: State
  /** Whether it may be named as a reason. Jobs always may. */
  readonly isReason: boolean
}

/** A child as a parent counts it. */
export type CountedChild = Suspect & { readonly parentId: number; readonly shown: State }

/** An object on the way down, with the deepest one so far that may be named. */
export type Trace = { readonly id: number; readonly named: Suspect | null }

/** Where the search for the reasons of an object's state begins; null when there is nothing to blame anything for. */
export function traceFrom(object: Suspect): Trace | null {
  return BAD_STATES.includes(object.state) ? { id: object.id, named: nameable(object) } : null
}

/** One level further down: to the worst of the children that each object counts. Where none of them is bad, the way ends,
 * and the deepest object on it that may be named is a reason. */
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

/** Those that are counted as worst and are bad themselves: what is only taken for bad has no reason below. */
function worstOf(children: readonly CountedChild[]): readonly CountedChild[] {
  const rank = ({ shown }: CountedChild) => STATES.indexOf(shown)
  const worst = Math.min(...children.map(rank))
  return children.filter((child) => rank(child) === worst && BAD_STATES.includes(child.state))
}

function nameable(object: Suspect): Suspect | null {
  return object.isReason || object.type === 'job' ? object : null
}
