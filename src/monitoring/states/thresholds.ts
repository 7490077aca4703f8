import { matchesWildcard } from '../../lib/wildcard.ts'
import type { Value } from '../../domain/delivery.ts'
import type { Condition, LookAhead, Operator, Thresholds } from '../../domain/job-rules.ts'
import type { Prediction } from '../../domain/snapshot.ts'
import type { Level } from '../../domain/state.ts'
import { lineAfter, NO_LINE, openUntil } from './line.ts'
import type { Line } from './line.ts'

export const NUMBER_OPERATORS = ['>', '>=', '<', '<=', '=', '<>'] as const satisfies readonly Operator[]
export const TEXT_OPERATORS = [
  '=',
  '<>',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'not_matches',
] as const satisfies readonly Operator[]

/** The error code of no data: the job was silent for too long (specification: Webhook job configuration). */
export const TIMEOUT_ERROR = 5

/** The memory of one condition between deliveries; `line` of one that looks ahead. */
export type Counter = {
  readonly hits: number
  readonly held: boolean
  readonly goods: number
  readonly line?: Line
}

const ZERO: Counter = { hits: 0, held: false, goods: 0 }

/** The counters after a delivery with these values; a condition whose key is absent keeps its counter. Numbers are user
 * values (raw divided by the divisor). The result has one counter per condition, level by level; it is the given list
 * if nothing changed.
 * @param at the instant of the values; null for values that were received before, which predictions know already */
export function count(
  thresholds: Thresholds,
  counters: readonly Counter[],
  values: Readonly<Record<string, Value>>,
  at: number | null,
): readonly Counter[] {
  let after: Counter[] | null = null
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const before = counters[index]
      const value = values[condition.key]
      const counter = value === undefined ? (before ?? ZERO) : advance(condition, before ?? ZERO, value, at)
      // Most deliveries change no counter: the list is copied only when one does.
      if (counter !== before) after ??= counters.slice(0, index)
      after?.push(counter)
      index++
    }
  }
  return after ?? (index === counters.length ? counters : counters.slice(0, index))
}

/** The counters after a silence. It counts for conditions that its error code breaches, and ends none: silence improves
 * no state. */
export function countSilence(thresholds: Thresholds, counters: readonly Counter[]): readonly Counter[] {
  return thresholds
    .flatMap(({ conditions }) => conditions)
    .map((condition, index) => {
      const before = counters[index] ?? ZERO
      const { key, operator, value } = condition
      const isBreached = key === 'errorCode' && compare(operator, TIMEOUT_ERROR, value)
      return isBreached && !before.held ? advance(condition, before, TIMEOUT_ERROR, null) : before
    })
}

/** Whether `count` would change a counter for a value of one key. */
export function isCounted(
  thresholds: Thresholds,
  counters: readonly Counter[],
  { key, value, at }: { readonly key: string; readonly value: Value; readonly at: number },
): boolean {
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const before = counters[index++] ?? ZERO
      if (condition.key === key && advance(condition, before, value, at) !== before) return true
    }
  }
  return false
}

/** The numbers between two bounds, without the bounds. */
export type Span = { readonly over: number; readonly under: number }

const ALL: Span = { over: -Infinity, under: Infinity }
const NONE: Span = { over: Infinity, under: -Infinity }

/** Numbers of a key that certainly change no counter; others may change one. */
export function uncountedSpan(thresholds: Thresholds, counters: readonly Counter[], key: string): Span {
  let { over, under } = ALL
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const before = counters[index++] ?? ZERO
      if (condition.key !== key) continue
      const span = uncountedBy(condition, before)
      over = Math.max(over, span.over)
      under = Math.min(under, span.under)
    }
  }
  return { over, under }
}

function uncountedBy({ operator, value, predicted, ahead }: Condition, counter: Counter): Span {
  const { hits, held, goods } = counter
  if (ahead) return uncountedAhead(counter)
  if (hits > 0 || held || goods > 0) return NONE
  if (predicted || typeof value === 'string') return ALL
  if (operator === '>' || operator === '>=') return { ...ALL, under: value }
  return operator === '<' || operator === '<=' ? { ...ALL, over: value } : NONE
}

/** Until its prediction changes, a condition counts nothing while the prediction is unknown or within the limit. */
function uncountedAhead({ hits, held, goods, line = NO_LINE }: Counter): Span {
  return line.ends === null || (hits === 0 && !held && goods === 0) ? ALL : NONE
}

/** The counters of changed thresholds before any value: nothing counts, and predictions on the same values go on. */
export function carryLines(
  before: Thresholds,
  counters: readonly Counter[],
  after: Thresholds,
): readonly Counter[] {
  const known = before.flatMap(({ conditions }) => conditions)
  return after.flatMap(({ conditions }) =>
    conditions.map(({ key, ahead }) => {
      if (!ahead) return ZERO
      const { withinMs, windowMs } = ahead
      const index = known.findIndex(
        (one) => one.key === key && one.ahead?.withinMs === withinMs && one.ahead.windowMs === windowMs,
      )
      const line = counters[index]?.line
      return line ? { ...ZERO, line } : ZERO
    }),
  )
}

/** When predictions for a key change at the latest: before that instant, `uncountedSpan` holds. */
export function uncountedUntil(thresholds: Thresholds, counters: readonly Counter[], key: string): number {
  let untilAt = Number.POSITIVE_INFINITY
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const { line = NO_LINE } = counters[index++] ?? ZERO
      if (condition.key === key && condition.ahead)
        untilAt = Math.min(untilAt, openUntil(line, condition.ahead))
    }
  }
  return untilAt
}

/** The predictions of the conditions that look ahead, level by level. */
export function predictionsOf(thresholds: Thresholds, counters: readonly Counter[]): readonly Prediction[] {
  let place = 0
  return thresholds.flatMap(({ level, conditions }) =>
    conditions.flatMap((condition, index) => {
      const { line = NO_LINE } = counters[place++] ?? ZERO
      return condition.ahead
        ? [{ level, index, predicted: predictedBy(condition, condition.ahead, line) }]
        : []
    }),
  )
}

function predictedBy(
  { operator, value }: Condition,
  { withinMs }: LookAhead,
  { points, ends }: Line,
): Prediction['predicted'] {
  const newestAt = points.at(-1)?.[0]
  if (newestAt === undefined || ends === null || typeof value === 'string') return null
  const [now, later] = ends
  const shown = { at: newestAt + withinMs, value: later }
  if (compare(operator, now, value)) return { ...shown, crossesAt: newestAt }
  const isCrossed = compare(operator, later, value)
  const afterMs = Math.round((withinMs * (value - now)) / (later - now))
  return { ...shown, crossesAt: isCrossed ? newestAt + afterMs : null }
}

/** The worst level whose rule holds, else the level of the error code. A level without conditions never holds. */
export function evaluate(
  thresholds: Thresholds,
  counters: readonly Counter[],
  errorCode: number,
): Level | 'ok' {
  let index = 0
  for (const { level, mode, conditions } of thresholds) {
    let held = 0
    for (let left = conditions.length; left > 0; left--) if (counters[index++]?.held) held++
    if (held > 0 && (mode === 'or' || held === conditions.length)) return level
  }
  return levelOfCode(thresholds, errorCode)
}

/** An error code is a warning until a limit on the error code exists; 5 is one until a limit compares with exactly
 * 5. */
function levelOfCode(thresholds: Thresholds, errorCode: number): 'warning' | 'ok' {
  if (errorCode === 0) return 'ok'
  for (const { conditions } of thresholds)
    for (const condition of conditions) if (isJudgedBy(condition, errorCode)) return 'ok'
  return 'warning'
}

/** Whether a limit decides the level of an error code. Predicted limits never do. */
function isJudgedBy({ key, operator, value, predicted }: Condition, errorCode: number): boolean {
  if (key !== 'errorCode' || predicted) return false
  return errorCode !== TIMEOUT_ERROR || (value === TIMEOUT_ERROR && (operator === '=' || operator === '<>'))
}

/** Whether the value has the operator's relation to the limit. Numbers match only numbers, texts only texts. */
export function compare(operator: Operator, value: Value, limit: Value): boolean {
  if (typeof value === 'number') return typeof limit === 'number' && compareNumbers(operator, value, limit)
  return typeof limit === 'string' && compareTexts(operator, value, limit)
}

/** The counter after one more value; the same object if nothing changed. */
function advance(condition: Condition, before: Counter, value: Value, at: number | null): Counter {
  const { operator, predicted, ahead } = condition
  if (ahead) return advanceAhead(condition, ahead, before, { value, at })
  if (predicted) return counted(before, 0, false, 0)
  return judged(condition, before, (limit) => compare(operator, value, limit))
}

/** Judges the prediction. An unknown one leaves the counter as it is, unless the line begins anew with a value within the
 * limit: then the prediction that the condition held for is void. */
function advanceAhead(
  condition: Condition,
  ahead: LookAhead,
  before: Counter,
  { value, at }: { readonly value: Value; readonly at: number | null },
): Counter {
  const known = before.line ?? NO_LINE
  const line = at === null || typeof value === 'string' ? known : lineAfter(known, ahead, [at, value])
  const after = line === known ? before : { ...before, line }
  const { ends } = line
  if (ends === null) {
    const isVoid =
      line !== known && line.points.length === 1 && !compare(condition.operator, value, condition.value)
    return isVoid ? counted(after, 0, false, 0) : after
  }
  // A line is worst at one of its ends.
  return judged(condition, after, (limit) => ends.some((end) => compare(condition.operator, end, limit)))
}

function judged(
  { value, repetition, recovery }: Condition,
  before: Counter,
  breaches: (limit: Value) => boolean,
): Counter {
  const hits = breaches(value) ? before.hits + 1 : 0
  const holds = hits >= Math.max(1, repetition)
  if (!recovery || !before.held || holds) return counted(before, hits, holds, 0)
  const goods = breaches(recovery.value) ? 0 : before.goods + 1
  const recovered = goods >= Math.max(1, recovery.repetition)
  return counted(before, hits, !recovered, recovered ? 0 : goods)
}

function counted(before: Counter, hits: number, held: boolean, goods: number): Counter {
  const isSame = before.hits === hits && before.held === held && before.goods === goods
  if (isSame) return before
  return before.line ? { hits, held, goods, line: before.line } : { hits, held, goods }
}

function compareNumbers(operator: Operator, value: number, limit: number): boolean {
  switch (operator) {
    case '>':
      return value > limit
    case '>=':
      return value >= limit
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '=':
      return value === limit
    case '<>':
      return value !== limit
    default:
      return false
  }
}

function compareTexts(operator: Operator, value: string, limit: string): boolean {
  switch (operator) {
    case '=':
      return value === limit
    case '<>':
      return value !== limit
    case 'contains':
      return value.includes(limit)
    case 'not_contains':
      return !value.includes(limit)
    case 'starts_with':
      return value.startsWith(limit)
    case 'ends_with':
      return value.endsWith(limit)
    case 'matches':
      return matchesWildcard(value, limit)
    case 'not_matches':
      return !matchesWildcard(value, limit)
    default:
      return false
  }
}
