import type { Level, State } from '../../domain/state.ts'
import type { Range } from '../../lib/range.ts'
import type { Span } from '../state-history/timeline.ts'
import { LEVELS } from '../states/state.ts'

export type OutageRules = {
  /** The states that count as an outage. */
  readonly states: readonly Level[]
  /** The minimum duration; an outage of exactly this length is kept. */
  readonly minDurationMs: number
  /** Outages with at most this much time between them are merged. */
  readonly mergeGapMs: number
  /** One outage for each state, however close they are. */
  readonly split: boolean
}

export type Outage = Range & {
  /** The worst state of the outage. */
  readonly state: Level
  readonly segments: readonly (Range & { readonly state: Level })[]
}

/** The outages in spans without gaps, in order. Maintenance and time without data separate outages; each part must have
 * the minimum duration. */
export function outagesOf(spans: readonly Span[], rules: OutageRules): Outage[] {
  const { minDurationMs, mergeGapMs, split } = rules
  const groups: Outage['segments'][] = []
  let mayJoin = false
  for (const { state, beginAt, endAt } of spans) {
    if (isOneOf(state, rules.states)) {
      const segment = { state, beginAt, endAt }
      const last = mayJoin && !split ? groups.pop() : undefined
      groups.push([...(last ?? []), segment])
      mayJoin = true
    } else if (isNeverOutage(state) || endAt - beginAt > mergeGapMs) mayJoin = false
  }
  return groups.flatMap((segments) => {
    const beginAt = segments[0]?.beginAt ?? 0
    const endAt = segments.at(-1)?.endAt ?? 0
    const state = LEVELS.find((level) => segments.some((segment) => segment.state === level)) ?? 'major'
    return endAt - beginAt < minDurationMs ? [] : [{ beginAt, endAt, state, segments }]
  })
}

/** Whether time in this state never counts as an outage. */
function isNeverOutage(state: State): boolean {
  return state.startsWith('maintenance_') || state === 'no_data' || state === 'undefined'
}

/** Whether a state is one of these levels. */
export function isOneOf(state: State, levels: readonly Level[]): state is Level {
  return (levels as readonly State[]).includes(state)
}
