import type { ColumnType } from '../../domain/table.ts'
import type { Writer } from '../sql/dialects/writer.ts'
import { bind, raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'

export const FUNCTIONS = [
  'SUM',
  'AVG',
  'MIN',
  'MAX',
  'COUNT',
  'DISTINCT_COUNT',
  'MEDIAN',
  'PERCENTILE',
  'STDDEV_SAMP',
  'VAR_SAMP',
  'STDDEV_POP',
  'VAR_POP',
] as const
export type FunctionName = (typeof FUNCTIONS)[number]

const ORDERED: ReadonlySet<ColumnType> = new Set(['string', 'integer', 'number', 'date', 'datetime', 'time'])

/** The type of an aggregate of values of a type; null for a type that the function does not take.
 * @param type null for `COUNT(*)` */
export function resultOf(fn: FunctionName, type: ColumnType | null): ColumnType | null {
  if (fn === 'COUNT') return 'integer'
  if (type === null) return null
  if (fn === 'DISTINCT_COUNT') return type === 'json' ? null : 'integer'
  if (fn === 'MIN' || fn === 'MAX') return ORDERED.has(type) ? type : null
  if (type !== 'integer' && type !== 'number') return null
  return fn === 'SUM' ? type : 'number'
}

/** Whether a function is computed from the ranks of the values in their group. */
export function needsRanks(fn: FunctionName, writer: Writer): boolean {
  return (fn === 'MEDIAN' || fn === 'PERCENTILE') && !writer.hasPercentiles
}

/** Whether a function is computed from the mean of the group. Functions of databases take one pass, and lose digits of values
 * that are large and close to each other. */
export function needsMean(fn: FunctionName): boolean {
  return fn.startsWith('STDDEV') || fn.startsWith('VAR')
}

/** Columns of the rows that a function reads. */
export type Operands = {
  readonly value: Fragment
  /** The rank of the value among the values of its group that are not null, from 1, and their number. */
  readonly rank: Fragment
  readonly size: Fragment
  readonly mean: Fragment
  /** The share of a percentile. */
  readonly p: number
}

/** The SQL of a function. Each ignores null. */
export function aggregateSql(fn: FunctionName, operands: Operands, writer: Writer): Fragment {
  const { value, p } = operands
  switch (fn) {
    case 'SUM':
      return writer.sum(value)
    case 'COUNT':
      return sql`count(${value})`
    case 'DISTINCT_COUNT':
      return sql`count(DISTINCT ${value})`
    case 'MIN':
    case 'MAX':
      return sql`${raw(fn)}(${value})`
    case 'AVG':
      return sql`avg(${writer.double(value)})`
    case 'MEDIAN':
      return percentileSql({ ...operands, p: 0.5 }, writer)
    case 'PERCENTILE':
      return percentileSql({ ...operands, p }, writer)
    default:
      return varianceSql(fn, operands, writer)
  }
}

/** The value at a share of the ordered values, between two of them by their distance. */
function percentileSql({ value, rank, size, p }: Operands, writer: Writer): Fragment {
  const share = bind({ type: 'number', value: p })
  if (writer.hasPercentiles)
    return sql`percentile_cont(${share}) WITHIN GROUP (ORDER BY ${writer.double(value)})`
  const distance = sql`abs(${rank} - 1 - ${share} * (${size} - 1))`
  return sql`sum(CASE WHEN ${value} IS NOT NULL AND ${distance} < 1 THEN ${writer.double(value)} * (1 - ${distance}) END)`
}

function varianceSql(fn: FunctionName, { value, mean }: Operands, writer: Writer): Fragment {
  const difference = sql`(${writer.double(value)} - ${mean})`
  const count = fn.endsWith('_SAMP') ? sql`(count(${value}) - 1)` : sql`count(${value})`
  const variance = sql`(sum(${difference} * ${difference}) / NULLIF(${count}, 0))`
  return fn.startsWith('STDDEV') ? sql`sqrt(${variance})` : variance
}
