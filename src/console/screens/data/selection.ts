import { timeZone } from '../../kit/time.tsx'
import { filterInUrl } from './filter.ts'
import type { ColumnType, Filter } from './filter.ts'
import type { Sort } from './grid.tsx'
import { namesIn, summaryBody, summaryInUrl } from './summary.ts'
import type { Summary } from './summary.ts'

/** The rows that the page holds at once. */
export const ROWS_MAX = 10_000

/** The parts of a select that the address of the page has. */
export type Selected = {
  readonly filter: Filter | null
  readonly sort: Sort | null
  /** Null for all columns. */
  readonly columns: readonly string[] | null
  /** Null for the rows themselves. */
  readonly summary: Summary | null
}

/** The sort in the address of the page: `+` or `-`, then the column. */
export function sortInUrl(text: string): Sort | null {
  const column = text.slice(1)
  if (column === '' || (text[0] !== '+' && text[0] !== '-')) return null
  return { column, dir: text[0] === '+' ? 'asc' : 'desc' }
}

export function sortText(sort: Sort | null): string {
  return sort === null ? '' : `${sort.dir === 'asc' ? '+' : '-'}${sort.column}`
}

/** The sort after a click on a column: up, down, none. */
export function nextSort(sort: Sort | null, column: string): Sort | null {
  if (sort?.column !== column) return { column, dir: 'asc' }
  return sort.dir === 'asc' ? { column, dir: 'desc' } : null
}

/** The columns in the address of the page; null for all. Columns that are gone are left out. */
export function columnsInUrl(text: string, known: readonly string[]): readonly string[] | null {
  try {
    const names = JSON.parse(text) as unknown
    if (!Array.isArray(names)) return null
    const found = names.filter((name): name is string => known.includes(name as string))
    return found.length === 0 ? null : found
  } catch {
    return null
  }
}

/** The select in the shape of the API, without a limit. */
export function selectBody({ filter, sort, columns, summary }: Selected): object {
  return {
    ...(summary === null ? {} : summaryBody(summary, timeZone.value)),
    ...(columns === null || summary !== null ? {} : { columns }),
    ...(filter === null ? {} : { filter }),
    ...(sort === null ? {} : { orderBy: [sort] }),
  }
}

export function selectedInUrl(
  texts: {
    readonly filter: string
    readonly sort: string
    readonly columns: string
    readonly summary: string
  },
  columns: readonly { readonly name: string; readonly type: ColumnType }[],
): Selected {
  const sort = sortInUrl(texts.sort)
  const summary = summaryInUrl(texts.summary, columns)
  const known = columns.map(({ name }) => name)
  const sortable = summary === null ? known : namesIn(summary)
  return {
    filter: filterInUrl(texts.filter),
    sort: sort && sortable.includes(sort.column) ? sort : null,
    columns: texts.columns === '' ? null : columnsInUrl(texts.columns, known),
    summary,
  }
}
