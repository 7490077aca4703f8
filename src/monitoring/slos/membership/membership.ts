/** What a look at a few objects changes of what a filter has found before.
 * @param found those that fit
 * @param known those that belong to the service level object already, and whether its filter had found them */
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
