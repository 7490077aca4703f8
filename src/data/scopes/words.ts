import type { Filter, FilterOperator } from '../filters/filter.ts'

const RELATIONS: Readonly<Record<Exclude<FilterOperator, 'is_null' | 'in' | 'between'>, string>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
  like: 'like',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
}

/** A filter as a line of text for people. */
export function filterWords(filter: Filter): string {
  if ('and' in filter) return listed(filter.and, 'and', 'true')
  if ('or' in filter) return listed(filter.or, 'or', 'false')
  if ('not' in filter) return `not (${filterWords(filter.not)})`
  const subject = 'column' in filter ? filter.column : `(${filter.expr})`
  if ('match' in filter) return `${subject} matches ${filter.match}`
  const { op, value, values = [] } = filter
  const shown = values.map((one) => JSON.stringify(one))
  if (op === 'is_null') return `${subject} is null`
  if (op === 'in') return `${subject} in (${shown.join(', ')})`
  if (op === 'between') return `${subject} between ${shown.join(' and ')}`
  return `${subject} ${RELATIONS[op]} ${JSON.stringify(value)}`
}

function listed(filters: readonly Filter[], word: 'and' | 'or', empty: string): string {
  const [first, ...rest] = filters
  if (!first) return empty
  return rest.length === 0
    ? filterWords(first)
    : filters.map((part) => `(${filterWords(part)})`).join(` ${word} `)
}
