import { language, t } from '../../language/t.ts'
import { isFigure } from './cells.ts'
import type { ColumnType } from './filter.ts'

/** Functions over the rows of a group. `COUNT` without a column counts the rows. */
const FUNCTIONS = [
  'COUNT',
  'SUM',
  'AVG',
  'MIN',
  'MAX',
  'MEDIAN',
  'PERCENTILE',
  'DISTINCT_COUNT',
  'STDDEV_SAMP',
] as const
type Fn = (typeof FUNCTIONS)[number]

/** Time buckets, of which the empty one stands for each value by itself. */
const BUCKETS = ['', 'PT1H', 'P1D', 'P1W', 'P1M', 'P1Y'] as const
type Bucket = (typeof BUCKETS)[number]

/** The share of the function `PERCENTILE`. */
const PERCENTILE = 0.95

export type GroupKey = { readonly column: string; readonly bucket: Bucket }
/** @property column null for the rows themselves */
export type Aggregate = { readonly fn: Fn; readonly column: string | null }
export type Summary = { readonly groupBy: readonly GroupKey[]; readonly aggregates: readonly Aggregate[] }

type Column = { readonly name: string; readonly type: ColumnType }

export const COUNT_OF_ROWS: Aggregate = { fn: 'COUNT', column: null }

/** The functions that take a column of a type. */
export function functionsOf(type: ColumnType): readonly Fn[] {
  if (isFigure(type)) return FUNCTIONS
  return type === 'json' || type === 'binary' ? ['COUNT'] : ['COUNT', 'MIN', 'MAX', 'DISTINCT_COUNT']
}

/** The buckets into which values of a type fall. */
export function bucketsOf(type: ColumnType): readonly Bucket[] {
  if (type === 'datetime') return BUCKETS
  return type === 'date' ? BUCKETS.filter((bucket) => bucket !== 'PT1H') : ['']
}

/** A summary in the address of the page; null if it does not fit the columns of the table. */
export function summaryInUrl(text: string, columns: readonly Column[]): Summary | null {
  if (text === '') return null
  try {
    const { groupBy, aggregates } = JSON.parse(text) as Partial<Summary>
    const summary = { groupBy: groupBy ?? [], aggregates: aggregates ?? [] }
    return isKnown(summary, columns) ? summary : null
  } catch {
    return null
  }
}

function isKnown({ groupBy, aggregates }: Summary, columns: readonly Column[]): boolean {
  const typeOf = (name: string | null): ColumnType | undefined =>
    columns.find((column) => column.name === name)?.type
  const fits = groupBy.every(({ column, bucket }) => {
    const type = typeOf(column)
    return type !== undefined && bucketsOf(type).includes(bucket)
  })
  const counts = aggregates.every(({ fn, column }) => {
    const type = typeOf(column)
    return column === null ? fn === 'COUNT' : type !== undefined && functionsOf(type).includes(fn)
  })
  return fits && counts && aggregates.length > 0
}

/** The name of an aggregate in the result, such as `sum_amount`. */
const nameOf = ({ fn, column }: Aggregate): string => {
  const name = fn === 'PERCENTILE' ? `p${PERCENTILE * 100}` : fn.toLowerCase()
  return column === null ? name : `${name}_${column}`
}

/** The names of the columns of the result: each once. */
export function namesIn({ groupBy, aggregates }: Summary): readonly string[] {
  const names: string[] = []
  for (const name of [...groupBy.map(({ column }) => column), ...aggregates.map(nameOf)]) {
    let free = name
    for (let number = 2; names.includes(free); number++) free = `${name}_${number}`
    names.push(free)
  }
  return names
}

/** The part of a select that summarises. */
export function summaryBody(summary: Summary, timeZone: string): object {
  const names = namesIn(summary)
  const { groupBy, aggregates } = summary
  return {
    groupBy: groupBy.map(({ column, bucket }, at) => ({
      column,
      as: names[at],
      ...(bucket === '' ? {} : { bucket, timeZone }),
    })),
    aggregates: aggregates.map(({ fn, column }, at) => ({
      fn,
      as: names[groupBy.length + at],
      ...(column === null ? { expr: '*' } : { column }),
      ...(fn === 'PERCENTILE' ? { p: PERCENTILE } : {}),
    })),
  }
}

/** A summary as a phrase, such as "sum of amount by region, at by month". */
export function summaryText({ groupBy, aggregates }: Summary): string {
  const list = (texts: readonly string[]): string =>
    new Intl.ListFormat(language.value, { type: 'conjunction' }).format(texts)
  const what = list(
    aggregates.map(({ fn, column }) => t(`data.fnOf.${fn}`, { column: column ?? t('data.summary.rows') })),
  )
  if (groupBy.length === 0) return t('data.summary.ofAll', { what })
  const by = list(
    groupBy.map(({ column, bucket }) =>
      bucket === '' ? column : `${column} (${t(`data.bucket.${bucket}`)})`,
    ),
  )
  return t('data.summary.by', { what, by })
}
