import { unionOf } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import type { Reason, State } from '../../domain/state.ts'
import { shownInMaintenance } from '../states/state.ts'
import type { SlcChange, SlcState } from './verdict.ts'

/** A container enters or leaves maintenance, with or without maintenance that excuses downtime. */
export type MaintenanceStep = {
  readonly seq: number
  readonly at: number
  readonly maintained: boolean
  readonly excused: boolean
}

/** The ranges of steps; each lasts until the next one, the last has no end. */
export function maintenanceRanges(
  steps: readonly MaintenanceStep[],
  which: 'maintained' | 'excused',
): Range[] {
  return unionOf(
    steps.flatMap((step, index) => {
      const endAt = steps[index + 1]?.at ?? Number.POSITIVE_INFINITY
      return step[which] ? [{ beginAt: step.at, endAt }] : []
    }),
  )
}

/** A visible state change of a container, with maintenance. */
export type ShownChange = {
  readonly at: number
  readonly from: State
  readonly to: State
  readonly reason: Reason
}

/** The visible state of a container, and the state of its credit. */
export type SlcStateAt = { readonly state: State; readonly bare: SlcState; readonly floorAt: number }

/** The visible changes of a container that result from changes of its credit and from maintenance, in order of time:
 * states of the credit, marked as maintained within some ranges. Ranges that begin or end by `untilAt` are included. */
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
