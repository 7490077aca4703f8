import type { Range } from '../../lib/range.ts'
import { spansOf } from '../state-history/timeline.ts'
import type { Span } from '../state-history/timeline.ts'
import type { Reason } from '../../domain/state.ts'
import { instantOf } from './credit.ts'
import type { Credit } from './credit.ts'
import type { Period } from './periods.ts'

/** The states of a service level container: within its credit, close to its end, and beyond it. */
export type SlcState = 'ok' | 'minor' | 'major'

/** The active time with bad children: its length before an instant, and the ranges from there to the end of the period,
 * as if all children stayed as they are. */
export type Used = { readonly fromAt: number; readonly beforeMs: number; readonly spans: readonly Range[] }

export type AssessedState = {
  readonly state: SlcState
  /** Until when it was assessed. */
  readonly judgedAt: number
  /** No change is dated before this. */
  readonly floorAt: number
}

export type SlcChange = {
  readonly at: number
  readonly from: SlcState
  readonly to: SlcState
  readonly reason: Extract<Reason, 'child' | 'period'>
}

export type Verdict = {
  /** The changes up to now, in order. */
  readonly changes: readonly SlcChange[]
  /** When the state changes next if all children stay as they are, or when the period ends. */
  readonly nextAt: number
  /** Up to when the period is assessed with this: now, or its end. */
  readonly untilAt: number
}

type Reached = { readonly minorAt: number; readonly majorAt: number }

/** The state changes of a container until now: `minor` once enough of the credit is used, `major` once the credit is
 * exceeded, until the period ends. Assessing again, or early, adds nothing. */
export function judge(
  standing: AssessedState,
  { period, credit, used }: { readonly period: Period; readonly credit: Credit; readonly used: Used },
  now: number,
): Verdict {
  const untilAt = Math.min(now, period.endAt)
  const seenAt = Math.min(now, period.endAt - 1)
  const reached = { minorAt: reachedAt(used, credit.minorMs), majorAt: reachedAt(used, credit.majorMs) }
  const changes: SlcChange[] = []
  let { state } = standing
  const become = (to: SlcState, at: number, reason: SlcChange['reason']) => {
    if (to === state) return
    changes.push({ at: Math.max(at, standing.floorAt), from: state, to, reason })
    state = to
  }
  if (standing.judgedAt <= period.fromAt) become(stateAt(reached, period.fromAt), period.fromAt, 'period')
  const wanted = stateAt(reached, seenAt)
  // Only new terms can cause this.
  if (state === 'minor' && wanted === 'ok') become('ok', standing.floorAt, 'child')
  const isMajorAtOnce = wanted === 'major' && reached.majorAt <= Math.max(reached.minorAt, standing.floorAt)
  if (state === 'ok' && wanted !== 'ok' && !isMajorAtOnce) become('minor', reached.minorAt, 'child')
  if (wanted === 'major') become('major', reached.majorAt, 'child')
  return { changes, nextAt: nextOf(state, reached, period), untilAt }
}

/** The states of a container while a period is the current one, up to an instant, as if it had always been assessed. */
export function periodSpans(
  { period, credit, used }: { readonly period: Period; readonly credit: Credit; readonly used: Used },
  untilAt: number,
): Span[] {
  const reached = { minorAt: reachedAt(used, credit.minorMs), majorAt: reachedAt(used, credit.majorMs) }
  const changes = [
    { at: reached.minorAt, to: 'minor' as const },
    { at: reached.majorAt, to: 'major' as const },
  ]
  return spansOf('ok', changes, { beginAt: period.fromAt, endAt: Math.min(period.endAt, untilAt) })
}

function stateAt({ minorAt, majorAt }: Reached, at: number): SlcState {
  if (majorAt <= at) return 'major'
  return minorAt <= at ? 'minor' : 'ok'
}

function nextOf(state: SlcState, { minorAt, majorAt }: Reached, { endAt }: Period): number {
  if (state === 'major') return endAt
  return Math.min(state === 'ok' ? minorAt : majorAt, majorAt, endAt)
}

function reachedAt({ fromAt, beforeMs, spans }: Used, wantedMs: number): number {
  if (beforeMs >= wantedMs) return fromAt
  return instantOf(spans, wantedMs - beforeMs) ?? Number.POSITIVE_INFINITY
}
