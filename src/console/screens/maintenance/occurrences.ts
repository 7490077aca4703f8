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

/** The occurrences of entries, in the order of time. */
export function occurrencesOf(entries: readonly Entry[]): readonly Occurrence[] {
  return entries
    .flatMap((entry) =>
      entry.occurrences.map((one) => ({
        key: `${entry.id} ${one.begin}`,
        entry,
        begin: Date.parse(one.begin),
        end: Date.parse(one.end),
      })),
    )
    .toSorted((a, b) => a.begin - b.begin || a.entry.id - b.entry.id)
}

/** How an occurrence lies to an instant. */
export function phaseOf({ begin, end }: Pick<Occurrence, 'begin' | 'end'>, at: number): Phase {
  if (end <= at) return 'over'
  return begin <= at ? 'running' : 'planned'
}

/** The place of an object without the root group: `Harlingen / Pump 2`. */
export const placeText = ({ object }: Entry): string => object.path.split('/').slice(1).join(' / ')
