import { matchesWildcard } from '../../lib/wildcard.ts'
import type { Value } from '../../domain/delivery.ts'
import type { Condition, Operator, Thresholds } from '../../domain/job-rules.ts'
import type { Level } from '../../domain/state.ts'

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

/** The memory of one condition between deliveries. */
export type Counter = { readonly hits: number; readonly held: boolean; readonly goods: number }

const ZERO: Counter = { hits: 0, held: false, goods: 0 }

/** The counters after a delivery with these values; a condition whose key is absent keeps its counter. Numbers are user
 * values (raw divided by the divisor). The result has one counter per condition, level by level; it is the given list
 * if nothing changed. */
export function count(
  thresholds: Thresholds,
  counters: readonly Counter[],
  values: Readonly<Record<string, Value>>,
): readonly Counter[] {
  let after: Counter[] | null = null
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const before = counters[index]
      const value = values[condition.key]
      const counter = value === undefined ? (before ?? ZERO) : advance(condition, before ?? ZERO, value)
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
      return isBreached && !before.held ? advance(condition, before, TIMEOUT_ERROR) : before
    })
}

/** Whether `count` would change a counter for a value of one key. */
export function isCounted(
  thresholds: Thresholds,
  counters: readonly Counter[],
  key: string,
  value: Value,
): boolean {
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const before = counters[index++] ?? ZERO
      if (condition.key === key && advance(condition, before, value) !== before) return true
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

function uncountedBy({ operator, value, predicted }: Condition, { hits, held, goods }: Counter): Span {
  if (hits > 0 || held || goods > 0) return NONE
  if (predicted || typeof value === 'string') return ALL
  if (operator === '>' || operator === '>=') return { ...ALL, under: value }
  return operator === '<' || operator === '<=' ? { ...ALL, over: value } : NONE
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
function advance(condition: Condition, before: Counter, value: Value): Counter {
  if (condition.predicted) return counted(before, 0, false, 0)
  const bad = compare(condition.operator, value, condition.value)
  const hits = bad ? before.hits + 1 : 0
  const holds = hits >= Math.max(1, condition.repetition)
  if (!condition.recovery || !before.held || holds) return counted(before, hits, holds, 0)
  const goods = compare(condition.operator, value, condition.recovery.value) ? 0 : before.goods + 1
  const recovered = goods >= Math.max(1, condition.recovery.repetition)
  return counted(before, hits, !recovered, recovered ? 0 : goods)
}

function counted(before: Counter, hits: number, held: boolean, goods: number): Counter {
  const isSame = before.hits === hits && before.held === held && before.goods === goods
  return isSame ? before : { hits, held, goods }
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
