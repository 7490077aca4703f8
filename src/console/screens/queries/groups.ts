import type { Answer } from '../../api/client.ts'

export type Group = Answer<'/dataQueries/groups'>['items'][number]

type Placed = Pick<Group, 'id' | 'name' | 'parentId'>

/** A group and the groups around it, the outermost first. Groups in a circle end it. */
export function pathOf<G extends Placed>(groups: readonly G[], id: number | null): readonly G[] {
  const path: G[] = []
  for (let at = id; at !== null;) {
    const group = groups.find((one) => one.id === at)
    if (group === undefined || path.includes(group)) break
    path.unshift(group)
    at = group.parentId
  }
  return path
}

/** The name of a group behind those around it, such as `Year / March`. */
export function pathText(groups: readonly Placed[], id: number | null): string {
  return pathOf(groups, id)
    .map(({ name }) => name)
    .join(' / ')
}

/** The ids of a group and of all groups below it. */
export function idsBelow(groups: readonly Placed[], id: number): ReadonlySet<number> {
  return new Set(
    groups.filter((group) => pathOf(groups, group.id).some((one) => one.id === id)).map((one) => one.id),
  )
}

/** The items in these groups. */
export function itemsIn<I extends { readonly groupId: number | null }>(
  ids: ReadonlySet<number>,
  items: readonly I[],
): readonly I[] {
  return items.filter(({ groupId }) => groupId !== null && ids.has(groupId))
}

/** The links to all groups, and to the groups around one. */
export function crumbsOf(title: string, path: readonly Placed[], linkOf: (id: number | null) => string) {
  if (path.length === 0) return []
  return [
    { text: title, href: linkOf(null) },
    ...path.slice(0, -1).map(({ id, name }) => ({ text: name, href: linkOf(id) })),
  ]
}

/** Groups as the options of a choice, in the order of their paths.
 * @param without a group that is left out with all below it */
export function groupOptions(
  groups: readonly Placed[],
  none: string,
  without: number | null = null,
): readonly { readonly value: string; readonly text: string }[] {
  const left = without === null ? new Set<number>() : idsBelow(groups, without)
  const options = groups
    .filter(({ id }) => !left.has(id))
    .map(({ id }) => ({ value: String(id), text: pathText(groups, id) }))
    .sort((a, b) => a.text.localeCompare(b.text))
  return [{ value: '', text: none }, ...options]
}
