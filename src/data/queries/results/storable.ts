import { COLUMNS_MAX } from '../../../domain/import-plan.ts'
import type { Column, ColumnType } from '../../../domain/table.ts'
import type { Incremental, Materialization } from './schema.ts'

/** Types whose greatest value is exact and in one order everywhere. */
const ORDERED = ['integer', 'date', 'datetime'] as const
export type Ordered = (typeof ORDERED)[number]

/** Why a result with these columns cannot be stored; null where it can. */
export function storingComplaint(
  columns: readonly Column[],
  { indexes, incremental = null }: Materialization,
): string | null {
  const names = columns.map(({ name }) => name)
  const indexed = [...new Set(indexes.flatMap((index) => index.columns))]
  return complaintOf(names, indexed) ?? (incremental ? incrementalComplaint(columns, incremental) : null)
}

function complaintOf(names: readonly string[], indexed: readonly string[]): string | null {
  if (names.length > COLUMNS_MAX) return `it has more than ${COLUMNS_MAX} columns.`
  if (names.includes('')) return 'a column has no name. Name it with AS.'
  const keys = names.map((name) => name.toLowerCase())
  const double = names.find((_, at) => keys.indexOf(keys[at] ?? '') < at)
  if (double !== undefined) return `two columns have the name ${double}. Name them with AS.`
  const missing = indexed.find((name) => !names.includes(name))
  return missing === undefined ? null : `an index names the column ${missing}, which it does not have.`
}

/** Why a result cannot be added to by a column and a key; null where it can. */
function incrementalComplaint(
  columns: readonly Column[],
  { column, key, lookback = null }: Incremental,
): string | null {
  const missing = [column, ...key].find((wanted) => columns.every((one) => one.name !== wanted))
  if (missing !== undefined) return `incremental names the column ${missing}, which it does not have.`
  const type = columns.find((one) => one.name === column)?.type
  if (!isOrdered(type)) return `${column} is neither an integer nor a date nor a datetime.`
  if (lookback === null || type !== 'integer') return null
  return `${column} is an integer, from which the lookback ${lookback} cannot be taken.`
}

export function isOrdered(type: ColumnType | undefined): type is Ordered {
  return ORDERED.some((one) => one === type)
}
