import type { Value } from '../../domain/delivery.ts'
import type { Condition, Foresight, LookAhead, Thresholds } from '../../domain/job-rules.ts'
import type { Level } from '../../domain/state.ts'
import { compare } from './comparison.ts'
import { cellEndOf, isOutside, joinedBand, knownCellOf, SPANS_MAX } from './band.ts'
import type { Band, Spell } from './band.ts'
import { foreseenUntil, foreseenWithin } from './foreseen.ts'
import { foresightOf, sidesOf } from './limit-kinds.ts'
import type { Sides } from './limit-kinds.ts'
import { lineAfter, NO_LINE, openUntil } from './line.ts'
import type { Line } from './line.ts'

/** The error code of no data: the job was silent for too long (specification: Webhook job configuration). */
export const TIMEOUT_ERROR = 5

/** The memory of one condition between deliveries; `line` of one that looks ahead, `band` and `spells` of an adaptive
 * one. */
export type Counter = {
  readonly hits: number
  readonly held: boolean
  readonly goods: number
  readonly line?: Line
  readonly band?: Band
  /** When the condition held, the newest last. */
  readonly spells?: readonly Spell[]
}

/** The instant of values, epoch ms; null for values that no prediction needs. Of values that were received before, lines
 * know already. */
type Instant = number | { readonly receivedAt: number } | null

export const ZERO: Counter = { hits: 0, held: false, goods: 0 }

/** The counters after a delivery with these values; a condition whose key is absent keeps its counter. Numbers are user
 * values (raw divided by the divisor). The result has one counter per condition, level by level; it is the given list
 * if nothing changed. */
export function count(
  thresholds: Thresholds,
  counters: readonly Counter[],
  values: Readonly<Record<string, Value>>,
  at: Instant,
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

/** Numbers of a key that certainly change no counter from an instant until `uncountedUntil`; others may change one. */
export function uncountedSpan(
  thresholds: Thresholds,
  counters: readonly Counter[],
  key: string,
  at: number,
): Span {
  let { over, under } = ALL
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const before = counters[index++] ?? ZERO
      if (condition.key !== key) continue
      const span = uncountedBy(condition, before, at)
      over = Math.max(over, span.over)
      under = Math.min(under, span.under)
    }
  }
  return { over, under }
}

function uncountedBy(condition: Condition, counter: Counter, at: number): Span {
  const { operator, value, predicted, ahead, adaptive, forecast } = condition
  const { hits, held, goods } = counter
  if (ahead) return uncountedAhead(counter)
  if (adaptive ?? forecast) return uncountedByBand(condition, counter, at)
  if (hits > 0 || held || goods > 0) return NONE
  return predicted || typeof value === 'string' ? ALL : uncountedBeside(operator, value)
}

function uncountedBeside(operator: Condition['operator'], limit: number): Span {
  if (operator === '>' || operator === '>=') return { ...ALL, under: limit }
  return operator === '<' || operator === '<=' ? { ...ALL, over: limit } : NONE
}

function uncountedByBand(condition: Condition, counter: Counter, at: number): Span {
  const foresees = foresightOf(condition)
  if (foresees) return uncountedForeseen(condition, foresees, counter, at)
  const sides = sidesOf(condition)
  return sides ? uncountedWithin(sides, counter, at) : NONE
}

/** Until the foreseen values change, a condition counts nothing while it is unknown or within the limit. */
function uncountedForeseen(
  { operator, value }: Condition,
  foresees: Foresight,
  { band, hits, held, goods }: Counter,
  at: number,
): Span {
  const foreseen = foreseenWithin(band, at, foresees)
  if (foreseen.length === 0) return ALL
  if (hits > 0 || held || goods > 0) return NONE
  return foreseen.some((one) => compare(operator, one.value, value)) ? NONE : ALL
}

/** Until its prediction changes, a condition counts nothing while the prediction is unknown or within the limit. */
function uncountedAhead({ hits, held, goods, line = NO_LINE }: Counter): Span {
  return line.ends === null || (hits === 0 && !held && goods === 0) ? ALL : NONE
}

/** A value within the band counts nothing. While the limit is unknown, no value does. */
function uncountedWithin({ side, offset }: Sides, counter: Counter, at: number): Span {
  const cell = knownCellOf(counter.band, at)
  if (!cell) return ALL
  if (counter.hits > 0 || counter.held || counter.goods > 0) return NONE
  const [, lower, upper] = cell
  return {
    over: side === 'above' || lower === null ? ALL.over : lower - offset,
    under: side === 'below' || upper === null ? ALL.under : upper + offset,
  }
}

/** The counters of changed thresholds before any value: nothing counts; predictions and bands on the same values go
 * on. */
export function carryMemories(
  before: Thresholds,
  counters: readonly Counter[],
  after: Thresholds,
): readonly Counter[] {
  const known = before.flatMap(({ conditions }) => conditions)
  return after.flatMap(({ conditions }) =>
    conditions.map((condition) => {
      if (!condition.ahead && !condition.adaptive && !condition.forecast) return ZERO
      const { line, band, spells } = counters[known.findIndex((one) => remembersFor(one, condition))] ?? ZERO
      return { ...ZERO, ...(line && { line }), ...(band && { band }), ...(spells && { spells }) }
    }),
  )
}

/** Whether two conditions have the same line or band. */
function remembersFor(one: Condition, other: Condition): boolean {
  const sourceOf = ({ key, ahead, adaptive, forecast }: Condition) =>
    JSON.stringify([key, ahead, adaptive, forecast])
  return sourceOf(one) === sourceOf(other)
}

/** The counters with new bands, by the place of their conditions. */
export function withBands(
  thresholds: Thresholds,
  counters: readonly Counter[],
  bands: readonly (readonly [place: number, band: Band])[],
): readonly Counter[] {
  const byPlace = new Map(bands)
  return thresholds
    .flatMap(({ conditions }) => conditions)
    .map((_, place) => {
      const before = counters[place] ?? ZERO
      const band = byPlace.get(place)
      return band ? withBand(before, band) : before
    })
}

/** A limit that has been unknown for a long time is not breached. */
function withBand(before: Counter, band: Band): Counter {
  const joined = joinedBand(before.band, band)
  const isKnown = joined.cells.some(([, , , unknown]) => unknown === undefined)
  const counter = { ...before, band: joined }
  if (isKnown || !before.held) return counter
  return withSpell({ ...counter, hits: 0, held: false, goods: 0 }, band.madeAt)
}

/** When predictions or bands for a key change at the latest: from an instant until then, `uncountedSpan` holds. */
export function uncountedUntil(
  thresholds: Thresholds,
  counters: readonly Counter[],
  key: string,
  at: number,
): number {
  let untilAt = Number.POSITIVE_INFINITY
  let index = 0
  for (const { conditions } of thresholds) {
    for (const condition of conditions) {
      const { line = NO_LINE, band } = counters[index++] ?? ZERO
      if (condition.key !== key) continue
      if (condition.ahead) untilAt = Math.min(untilAt, openUntil(line, condition.ahead))
      if (sidesOf(condition)) untilAt = Math.min(untilAt, cellEndOf(band, at))
      const foresees = foresightOf(condition)
      if (foresees) untilAt = Math.min(untilAt, foreseenUntil(band, at, foresees))
    }
  }
  return untilAt
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

/** The counter after one more value; the same object if nothing changed. */
function advance(condition: Condition, before: Counter, value: Value, at: Instant): Counter {
  const { operator, predicted, ahead } = condition
  if (ahead) return advanceAhead(condition, ahead, before, { value, at })
  const foresees = foresightOf(condition)
  if (foresees) return advanceForeseen(condition, foresees, before, at)
  const sides = sidesOf(condition)
  if (sides) return advanceAdaptive(condition, sides, before, { value, at })
  if (predicted) return counted(before, 0, false, 0)
  return judged(condition, before, (limit) => compare(operator, value, limit))
}

/** Judges the prediction. An unknown one leaves the counter as it is, unless the line begins anew with a value within the
 * limit: then the prediction that the condition held for is void. */
function advanceAhead(
  condition: Condition,
  ahead: LookAhead,
  before: Counter,
  { value, at }: { readonly value: Value; readonly at: Instant },
): Counter {
  const known = before.line ?? NO_LINE
  const isNew = typeof at === 'number' && typeof value === 'number'
  const line = isNew ? lineAfter(known, ahead, [at, value]) : known
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

/** Judges the forecast of the time ahead. While it is unknown, the counter stays as it is. */
function advanceForeseen(condition: Condition, foresees: Foresight, before: Counter, at: Instant): Counter {
  if (at === null) return before
  const foreseen = foreseenWithin(before.band, typeof at === 'number' ? at : at.receivedAt, foresees)
  if (foreseen.length === 0) return before
  return judged(condition, before, (limit) =>
    foreseen.some((one) => compare(condition.operator, one.value, limit)),
  )
}

/** Judges a value by the band. An unknown limit leaves the counter as it is. */
function advanceAdaptive(
  condition: Condition,
  sides: Sides,
  before: Counter,
  { value, at }: { readonly value: Value; readonly at: Instant },
): Counter {
  if (at === null || typeof value === 'string') return before
  const instant = typeof at === 'number' ? at : at.receivedAt
  const cell = knownCellOf(before.band, instant)
  if (!cell) return before
  const isBad = isOutside(sides, cell, value)
  return withSpell(
    judged(condition, before, () => isBad),
    instant,
  )
}

/** The counter with the span of time in which its condition holds, so that the next band need not learn from it. */
function withSpell(counter: Counter, at: number): Counter {
  const { spells = [], held } = counter
  const last = spells.at(-1)
  const isOpen = last !== undefined && last[1] === null
  if (held === isOpen) return counter
  if (held) return { ...counter, spells: [...spells, [at, null] as const].slice(-SPANS_MAX) }
  return { ...counter, spells: [...spells.slice(0, -1), [last?.[0] ?? at, at] as const] }
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
  return isSame ? before : { ...before, hits, held, goods }
}
