import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { conditionOf } from '../../filters/filter.ts'
import { binsStatement, bordersOf, rangeStatement } from '../histogram.ts'
import type { HistogramQuery, HistogramView } from '../schema.ts'
import type { ColumnAsk } from './distinct.ts'
import { readRows } from './read-rows.ts'
import { readableTable } from './readable-table.ts'
import type { Asking } from './waited.ts'

/** The number of rows in each of some ranges of a column, all of the same width.
 * @throws {Refusal} not_found, invalid, and the refusals of the ports `databases` and `tables` */
export async function histogramOf(
  context: Context,
  { id, table, column, query: { bins, filter } }: ColumnAsk & { readonly query: HistogramQuery },
  asking: Asking,
): Promise<HistogramView> {
  const readable = await readableTable(context, id, table)
  const { columns, from, writer } = readable
  const type = columns.get(column)?.type
  if (type === undefined) throw noSuch('column')
  if (type !== 'integer' && type !== 'number') {
    const fault = { pointer: '{column}', message: `has the type ${type}; a histogram is of numbers` }
    throw new Refusal('invalid', 'The path is invalid; see errors.', [fault])
  }
  const numbers = { column, filter: filter ? conditionOf(filter, columns, '?filter') : null, from }
  const { ports } = context
  const range = await readRows(readable, rangeStatement(numbers, writer), { ports, rowsMax: 1, asking })
  const [min = null, max = null] = (range.value.rows[0] ?? []).map((cell) =>
    cell === null ? null : Number(cell),
  )
  const borders = min === null || max === null ? [] : bordersOf(min, max, bins)
  const statement = binsStatement(numbers, borders.slice(1, -1), writer)
  const { value } = await readRows(readable, statement, { ports, rowsMax: bins + 1, asking })
  const counts = new Map(value.rows.map(([bin, count]) => [bin == null ? null : Number(bin), Number(count)]))
  const nullCount = counts.get(null) ?? 0
  return {
    min,
    max,
    count: [...counts.values()].reduce((sum, count) => sum + count, 0) - nullCount,
    nullCount,
    bins: borders.slice(1).map((to, at) => ({ from: borders[at] ?? to, to, count: counts.get(at) ?? 0 })),
  }
}
