import type { Context } from '../../../context.ts'
import { Refusal, invalidAt, noSuch } from '../../../lib/errors.ts'
import type { Columns } from '../../filters/expression.ts'
import type { Filter } from '../../filters/filter.ts'
import type { DistinctQuery, DistinctView, SelectBody, ValuesQuery, ValuesView } from '../schema.ts'
import { selectFrom } from '../service.ts'
import { readableTable } from './readable-table.ts'
import type { ReadableTable } from './readable-table.ts'
import type { Asking } from './waited.ts'

const COUNT = 'count'
const UNCOMPARED = 'is JSON, which cannot be compared'

export type ColumnAsk = { readonly id: number; readonly table: string; readonly column: string }

/** The combinations of values of columns, with the number of rows that have each. The counts of all add up to the rows.
 * @throws {Refusal} not_found, invalid, and the refusals of the ports `databases` and `tables` */
export async function distinctValues(
  context: Context,
  { id, table, query }: { readonly id: number; readonly table: string; readonly query: DistinctQuery },
  asking: Asking,
): Promise<DistinctView> {
  const readable = await readableTable(context, id, table)
  const { column: names } = query
  if (new Set(names).size < names.length) throw invalidAt('?column', 'names a column twice')
  for (const name of names) {
    const type = readable.columns.get(name)?.type
    if (type === undefined) throw invalidAt('?column', `${name} is not a column`)
    if (type === 'json') throw invalidAt('?column', `${name} ${UNCOMPARED}`)
  }
  return distinctOf(context, { readable, query }, asking)
}

/** The values of a column, with the number of rows that have each. @throws {Refusal} as `distinctValues` */
export async function columnValues(
  context: Context,
  { id, table, column, query }: ColumnAsk & { readonly query: ValuesQuery },
  asking: Asking,
): Promise<ValuesView> {
  const readable = await readableTable(context, id, table)
  const type = readable.columns.get(column)?.type
  if (type === undefined) throw noSuch('column')
  if (type === 'json')
    throw new Refusal('invalid', 'The path is invalid; see errors.', [
      { pointer: '{column}', message: UNCOMPARED },
    ])
  const { items, total, truncated } = await distinctOf(
    context,
    { readable, query: { ...query, column: [column] } },
    asking,
  )
  return { items: items.map(({ values: [value = null], count }) => ({ value, count })), total, truncated }
}

async function distinctOf(
  context: Context,
  { readable, query }: { readonly readable: ReadableTable; readonly query: DistinctQuery },
  asking: Asking,
): Promise<DistinctView> {
  const { column: names, limit } = query
  let count = COUNT
  while (names.includes(count)) count = `_${count}`
  const body: SelectBody = {
    groupBy: [...names],
    aggregates: [{ fn: 'COUNT', expr: '*', as: count }],
    ...filterOf(query, readable.columns),
    orderBy: query.orderBy.map((text) => orderOf(text, names, count)),
    limit,
    offset: 0,
    distinct: false,
    total: 'exact',
    format: 'rows',
  }
  const { rows, total, truncated } = await selectFrom(context, { readable, body }, asking)
  return {
    columns: [...names],
    items: rows.flatMap((cells) =>
      Array.isArray(cells) ? [{ values: cells.slice(0, -1), count: Number(cells.at(-1)) }] : [],
    ),
    total: total ?? 0,
    truncated,
  }
}

/** `-` before a name is the descending order; `count` is the number of rows unless a column has this name. */
function orderOf(text: string, names: readonly string[], count: string): SelectBody['orderBy'][number] {
  const isDescending = !names.includes(text) && text.startsWith('-')
  const name = isDescending ? text.slice(1) : text
  const column = name === COUNT && !names.includes(COUNT) ? count : name
  if (column !== count && !names.includes(column))
    throw invalidAt('?orderBy', `${name} is not among the columns`)
  return { column, dir: isDescending ? 'desc' : 'asc', nulls: 'last' }
}

function filterOf({ column: names, search, filter }: DistinctQuery, columns: Columns): { filter?: Filter } {
  const parts: Filter[] = filter === undefined ? [] : [filter]
  if (search !== undefined) {
    const texts = names.filter((name) => columns.get(name)?.type === 'string')
    if (texts.length === 0) throw invalidAt('?search', 'needs a column of texts')
    parts.push({ or: texts.map((column) => ({ column, op: 'contains', value: search })) })
  }
  const [first, second] = parts
  if (first === undefined) return {}
  return { filter: second === undefined ? first : { and: parts } }
}
