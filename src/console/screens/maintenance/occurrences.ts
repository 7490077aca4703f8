import type { Item } from '../../api/client.ts'

/** A revaluation with the object that it is about. */
export type Entry = Item<'/{parentType}/{parentId}/revaluation-calendar'>
export type Occurrence = { readonly entry: Entry; readonly begin: number; readonly end: number }

/** The occurrences of entries, in the order of time. */
export function occurrencesOf(entries: readonly Entry[]): readonly Occurrence[] {
  return entries
    .flatMap((entry) =>
      entry.occurrences.map(({ begin, end }) => ({ entry, begin: Date.parse(begin), end: Date.parse(end) })),
    )
    .toSorted((a, b) => a.begin - b.begin)
}
