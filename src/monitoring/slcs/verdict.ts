import type { Range } from '../../lib/range.ts'
import { spansOf } from '../state-history/timeline.ts'
import type { Span } from '../state-history/timeline.ts'
import type { Reason } from '../../domain/state.ts'
import { instantOf } from './credit.ts'
import type { Credit } from './credit.ts'
import type { Period } from './periods.ts'

/** The states that a service level container can be in: within its credit, close to its end, and beyond it. */
export type SlcState = 'ok' | 'minor' | 'major'

/** The active time in which children are bad: how much before an instant, and when from there to the end of the period,
 * as if all children stayed as they are. */
export type Used = { readonly fromAt: number; readonly beforeMs: number; readonly spans: readonly Range[] }

export type Standing = {
  readonly state: SlcState
  /** Until when it has been judged. */
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
  /** What has changed up to now, in order. */
  readonly changes: readonly SlcChange[]
  /** When the state changes next if all children stay as they are, or the period ends. */
  readonly nextAt: number
  /** How far the period is judged with this: to now, or to its end. */
  readonly untilAt: number
}

type Reached = { readonly minorAt: number; readonly majorAt: number }

/** What the use of a period's credit makes of a container until now: minor once enough of it is used, major once more than
 * the credit is, and major until the period ends. Judging again, or early, adds nothing. */
export function judge(
  standing: Standing,
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
  // Only what was agreed can have changed.
  if (state === 'minor' && wanted === 'ok') become('ok', standing.floorAt, 'child')
  const isMajorAtOnce = wanted === 'major' && reached.majorAt <= Math.max(reached.minorAt, standing.floorAt)
  if (state === 'ok' && wanted !== 'ok' && !isMajorAtOnce) become('minor', reached.minorAt, 'child')
  if (wanted === 'major') become('major', reached.majorAt, 'child')
  return { changes, nextAt: nextOf(state, reached, period), untilAt }
}

/** The states of a container while a period is the current one, up to an instant, as if it had been judged all along. */
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
