import type { Item } from '../../api/client.ts'

/** A revaluation with the object that it is about. */
export type Entry = Item<'/{parentType}/{parentId}/revaluation-calendar'>
/** A time at which an entry applies. */
export type Occurrence = {
  /** Distinguishes the occurrence from all others of the calendar. */
  readonly key: string
  readonly entry: Entry
  readonly begin: number
  readonly end: number
}
/** How an occurrence lies to the present. */
export type Phase = 'over' | 'running' | 'planned'

/** How an occurrence lies to an instant. */
export function phaseOf({ begin, end }: Pick<Occurrence, 'begin' | 'end'>, at: number): Phase {
  if (end <= at) return 'over'
  return begin <= at ? 'running' : 'planned'
}

/** The place of an object without the root group: `Harlingen / Pump 2`. */
export const placeText = ({ object }: Entry): string => object.path.split('/').slice(1).join(' / ')
