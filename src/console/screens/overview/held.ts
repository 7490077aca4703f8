type Known = { readonly id: number }

/** The rows of a list that keeps its order while a person is in it.
 * @param held the ids that the list had when the person came; null when no person is in it
 * @returns the rows that are shown, and how many new ones wait */
export function heldRows<T extends Known>(
  rows: readonly T[],
  held: readonly number[] | null,
): { readonly shown: readonly T[]; readonly waiting: number } {
  if (held === null) return { shown: rows, waiting: 0 }
  const byId = new Map(rows.map((row) => [row.id, row]))
  const shown = held.flatMap((id) => byId.get(id) ?? [])
  return { shown, waiting: rows.length - shown.length }
}
