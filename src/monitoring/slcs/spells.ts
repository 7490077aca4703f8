import { unionOf } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import type { Reason, State } from '../../domain/state.ts'
import { shownInMaintenance } from '../states/state.ts'
import type { SlcChange, SlcState } from './verdict.ts'

/** From an instant on a container is in maintenance or not; and in some that excuses whatever is bad. */
export type Spell = {
  readonly seq: number
  readonly at: number
  readonly maintained: boolean
  readonly excused: boolean
}

/** When spells say so: each lasts until the next, and the last for good. */
export function spellRanges(spells: readonly Spell[], which: 'maintained' | 'excused'): Range[] {
  return unionOf(
    spells.flatMap((spell, index) => {
      const endAt = spells[index + 1]?.at ?? Number.POSITIVE_INFINITY
      return spell[which] ? [{ beginAt: spell.at, endAt }] : []
    }),
  )
}

/** A change of a container as it is shown: with maintenance. */
export type ShownChange = {
  readonly at: number
  readonly from: State
  readonly to: State
  readonly reason: Reason
}

/** How a container that is shown so was, and how it was judged. */
export type SlcStateAt = { readonly state: State; readonly bare: SlcState; readonly floorAt: number }

/** What a container shows of changes of its credit and of maintenance, in the order of time: the states are those of its
 * credit, shown as maintained within some ranges. What has begun or ended by `untilAt` is shown by then. */
export function shownChanges(
  shown: SlcStateAt,
  changes: readonly SlcChange[],
  {
    ranges,
    judgedAt,
    untilAt,
  }: { readonly ranges: readonly Range[]; readonly judgedAt: number; readonly untilAt: number },
): ShownChange[] {
  const edges = ranges
    .flatMap(({ beginAt, endAt }) => [beginAt, endAt])
    .filter((at) => at >= judgedAt && at <= untilAt)
  const moments = [...edges, untilAt].map((at) => ({ at, to: null, reason: 'maintenance' as const }))
  const found: ShownChange[] = []
  let { state, bare } = shown
  for (const { at, to, reason } of [...changes, ...moments].sort((a, b) => a.at - b.at)) {
    bare = to ?? bare
    const isMaintained = ranges.some(({ beginAt, endAt }) => beginAt <= at && at < endAt)
    const next = isMaintained ? shownInMaintenance(bare) : bare
    if (next === state) continue
    found.push({ at: Math.max(at, shown.floorAt), from: state, to: next, reason })
    state = next
  }
  return found
}
