import { isFigure } from '../data/cells.ts'
import type { Cell } from '../data/cells.ts'
import type { ColumnType } from '../data/filter.ts'

/** The values of a column in figures. */
export type ColumnFacts = {
  readonly rows: number
  readonly empty: number
  /** null for types whose values are not compared. */
  readonly distinct: number | null
  /** The least and the greatest value; null without values. */
  readonly range: readonly [Cell, Cell] | null
}

const isCompared = (type: ColumnType): boolean => type !== 'json' && type !== 'binary'

/** Whether the least and the greatest value of a type are of use. The least and the greatest text are not. */
const isRanged = (type: ColumnType): boolean =>
  isFigure(type) || type === 'date' || type === 'datetime' || type === 'time'

/** The select that counts and compares the values of a column. */
export function factsBody({ name, type }: { readonly name: string; readonly type: ColumnType }): object {
  const of = (fn: string, as: string): object => ({ fn, column: name, as })
  return {
    aggregates: [
      { fn: 'COUNT', expr: '*', as: 'rows' },
      of('COUNT', 'filled'),
      ...(isCompared(type) ? [of('DISTINCT_COUNT', 'distinct')] : []),
      ...(isRanged(type) ? [of('MIN', 'least'), of('MAX', 'greatest')] : []),
    ],
  }
}

/** The answer of the select, by the names of its columns. */
export function factsOf(
  columns: readonly { readonly name: string }[],
  row: readonly Cell[] | undefined,
): ColumnFacts {
  const at = (name: string): Cell => row?.[columns.findIndex((column) => column.name === name)] ?? null
  const rows = Number(at('rows'))
  const distinct = at('distinct')
  const least = at('least')
  return {
    rows,
    empty: rows - Number(at('filled')),
    distinct: distinct === null ? null : Number(distinct),
    range: least === null ? null : [least, at('greatest')],
  }
}
