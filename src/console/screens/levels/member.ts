import type { Item } from '../../api/client.ts'
import { rankOf, stateWord } from '../../kit/state.tsx'
import type { ApiState } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'

/** A member of a service or a container. */
export type Member = Item<'/{parentType}/{parentId}/children'>
export type Overrides = NonNullable<Member['stateOverrides']>
/** A service level, whose members are links. */
export type LevelType = 'slo' | 'slc'

/** How many members a rule counts: each by its weight, without those that never count. */
export function membersCounted(members: readonly Pick<Member, 'state' | 'weight'>[]): number {
  return members
    .filter(({ state }) => state !== 'undefined' && state !== 'no_data')
    .reduce((sum, { weight = 1 }) => sum + weight, 0)
}

/** How a member counts; empty when it counts as it is. */
export function countsText({
  weight = 1,
  stateOverrides = {},
}: Pick<Member, 'weight' | 'stateOverrides'>): string {
  return [
    ...(weight === 1 ? [] : [t('levels.weightText', { weight })]),
    ...Object.entries(stateOverrides).map(([from, to]) =>
      t('levels.overrideText', { from: stateWord(from as ApiState), to: stateWord(to) }),
    ),
  ].join(', ')
}

/** The order in which a service lists its members. */
export type Order = 'link' | 'name' | 'state'

/** Members in the order of the service: as they were added or by name, which their positions are, or worst first. */
export function inOrder(members: readonly Member[], order: Order): readonly Member[] {
  return order === 'state' ? worstFirst(members) : members.toSorted((a, b) => a.position - b.position)
}

/** A list in which one item is moved by places, not beyond its ends. */
export function moved<T>(list: readonly T[], from: number, by: number): readonly T[] {
  const item = list[from]
  if (item === undefined) return list
  const others = list.filter((_, index) => index !== from)
  return others.toSpliced(Math.max(0, Math.min(others.length, from + by)), 0, item)
}

/** A member as a change of the members takes it. */
export function linkOf({ id, weight, stateOverrides }: Member) {
  return { id, ...(weight && { weight }), ...(stateOverrides && { stateOverrides }) }
}

export function worstFirst(members: readonly Member[]): readonly Member[] {
  return members.toSorted((a, b) => rankOf(b.state) - rankOf(a.state) || a.position - b.position)
}
