import type { Condition, Severity } from './job.ts'

/** A limit as its row of the form holds it; `rest` keeps the parts that the form does not change. */
export type LimitRow = {
  readonly severity: Severity
  readonly key: string
  readonly operator: Condition['operator']
  readonly value: string
  readonly repetition: string
  readonly rest: Partial<Condition>
}

/** With which values a limit compares: the value that came with a number, the value predicted from it, the usual values of its
 * time, or the bounds of a forecast. */
export type LimitKind = 'number' | 'ahead' | 'usual' | 'forecast'
export type Season = 'week' | 'day' | 'none'
export type Side = 'both' | 'above' | 'below'

type Adaptive = NonNullable<Condition['adaptiveValues']>
type Learned = Extract<Adaptive, { source: 'history' }>
type Operator = Condition['operator']

export const SEASONS: readonly Season[] = ['week', 'day', 'none']
export const SIDES: readonly Side[] = ['both', 'above', 'below']
/** Distances from the usual values in deviations, as offered. */
export const FACTORS: readonly number[] = [2, 3, 4, 6]
/** How far limits look ahead, as offered. */
export const WITHINS: readonly string[] = ['PT1H', 'PT4H', 'PT12H', 'P1D', 'P7D']
const FIRST_WITHIN = 'PT4H'
/** The usual values as the service learns them unasked. */
const FIRST_USUAL: Learned = {
  source: 'history',
  window: 'P28D',
  season: 'week',
  bucket: 'PT1H',
  method: 'mad',
  factor: 3,
  minSamples: 20,
  minWidth: 0,
  exclude: ['maintenance'],
  offset: 0,
}
const OPERATORS: Readonly<Record<Side, Operator>> = { both: '<>', above: '>', below: '<' }
const AHEAD_OPERATORS: readonly Operator[] = ['>', '>=', '<', '<=']

export function kindOf({ rest }: Pick<LimitRow, 'rest'>): LimitKind {
  if (rest.adaptiveValues) return rest.adaptiveValues.source === 'forecast' ? 'forecast' : 'usual'
  return rest.inFuture ? 'ahead' : 'number'
}

/** The kinds that a limit of a value can have. A forecast makes its limits itself. */
export function kindsOf(row: LimitRow): readonly LimitKind[] {
  if (!row.key.startsWith('returnValue')) return ['number']
  return kindOf(row) === 'forecast' ? ['number', 'ahead', 'usual', 'forecast'] : ['number', 'ahead', 'usual']
}

/** The operators with which a limit compares its number. */
export function operatorsOfKind(row: LimitRow, all: readonly Operator[]): readonly Operator[] {
  return kindOf(row) === 'ahead' ? AHEAD_OPERATORS : all
}

/** The limit as one of another kind; what belongs to the former kind goes. */
export function withKind(row: LimitRow, kind: LimitKind): LimitRow {
  if (kind === kindOf(row)) return row
  const rest = { ...row.rest, inFuture: null, adaptiveValues: null }
  // The number of a limit by usual values means nothing.
  const value = ['usual', 'forecast'].includes(kindOf(row)) ? '' : row.value
  if (kind === 'usual')
    return { ...row, operator: '<>', value: '0', rest: { ...rest, adaptiveValues: FIRST_USUAL } }
  if (kind === 'ahead') {
    const operator = AHEAD_OPERATORS.includes(row.operator) ? row.operator : '>'
    return { ...row, operator, value, rest: { ...rest, inFuture: FIRST_WITHIN } }
  }
  return { ...row, operator: row.operator === '<>' && value === '' ? '>' : row.operator, value, rest }
}

/** The limit of another value, to which other kinds and operators apply. */
export function withKey(row: LimitRow, key: string, operators: readonly Operator[]): LimitRow {
  if (key.startsWith('returnValue') && row.key.startsWith('returnValue')) return { ...row, key }
  const plain = withKind(row, 'number')
  return { ...plain, key, operator: operators[0] ?? '=' }
}

/** How far a limit looks ahead, as an ISO 8601 duration. */
export function withinOf({ rest: { inFuture } }: Pick<LimitRow, 'rest'>): string {
  return typeof inFuture === 'string' ? inFuture : (inFuture?.within ?? FIRST_WITHIN)
}

export function withWithin(row: LimitRow, within: string): LimitRow {
  const { inFuture } = row.rest
  const next = typeof inFuture === 'object' && inFuture !== null ? { ...inFuture, within } : within
  return { ...row, rest: { ...row.rest, inFuture: next } }
}

/** The side of usual values on which a value is a breach. */
export function sideOf({ operator, adaptiveValues }: Pick<Condition, 'operator'> & Partial<Condition>): Side {
  if (adaptiveValues?.side !== undefined) return adaptiveValues.side
  if (operator.startsWith('>')) return 'above'
  return operator === '<' || operator === '<=' ? 'below' : 'both'
}

export function withSide(row: LimitRow, side: Side): LimitRow {
  const { adaptiveValues } = row.rest
  if (!adaptiveValues) return row
  const { side: _, ...usual } = adaptiveValues
  return { ...row, operator: OPERATORS[side], rest: { ...row.rest, adaptiveValues: usual } }
}

export function withLearned(row: LimitRow, part: Partial<Pick<Learned, 'season' | 'factor'>>): LimitRow {
  const { adaptiveValues } = row.rest
  if (adaptiveValues?.source !== 'history') return row
  return { ...row, rest: { ...row.rest, adaptiveValues: { ...adaptiveValues, ...part } } }
}
