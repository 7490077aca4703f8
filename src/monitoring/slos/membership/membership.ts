/** The changes of a filter's members after some objects were checked.
 * @param found the objects that match
 * @param known the objects that are children already, and whether the filter found them */
export function changesOf(
  found: readonly number[],
  known: ReadonlyMap<number, boolean>,
): { readonly come: readonly number[]; readonly gone: readonly number[] } {
  const fits = new Set(found)
  return {
    come: found.filter((id) => !known.has(id)),
    gone: [...known].flatMap(([id, byFilter]) => (byFilter && !fits.has(id) ? [id] : [])),
  }
}
