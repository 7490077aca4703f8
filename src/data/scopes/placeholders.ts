import type { Column, ColumnType } from '../../domain/table.ts'
import { invalidAt } from '../../lib/errors.ts'
import { ownValue } from '../../lib/json.ts'
import { TextFault } from '../sql/text-fault.ts'
import { parseExpression } from '../filters/expression.ts'
import type { Columns } from '../filters/expression.ts'
import type { Filter } from '../filters/filter.ts'

/** The fields of a user that a filter may refer to. */
export type Attributes = {
  readonly id: number
  readonly username: string
  readonly properties: Readonly<Record<string, string>>
}

type Value = string | number | boolean
type Comparison = Exclude<Filter, { and: unknown } | { or: unknown } | { not: unknown }>
type Operation = Extract<Comparison, { op: unknown }>

const PLACEHOLDER = /^\$\{user\.(?:(id|username)|properties\.(.+))\}$/s

/** A filter with the values of a user in place of `${user.id}`, `${user.username}` and `${user.properties.<key>}`. They
 * become values of comparisons and never a part of a text.
 * @returns the name of the property where the user has none such */
export function filledIn(filter: Filter, user: Attributes): Filter | { readonly missing: string } {
  let missing: string | null = null
  const filled = withValues(filter, (value) => {
    const [whole, field, property = ''] = PLACEHOLDER.exec(String(value)) ?? []
    if (whole === undefined) return value
    if (field !== undefined) return field === 'id' ? String(user.id) : user.username
    const own = ownValue(user.properties, property)
    missing ??= own === undefined ? property : null
    return own ?? ''
  })
  return missing === null ? filled : { missing }
}

/** A filter with a value of the right type in place of each placeholder, to be checked against the columns.
 * @throws {Refusal} invalid at an unknown placeholder, and at one within a text */
export function withSamples(filter: Filter, columns: Columns, pointer: string): Filter {
  refuseBroken(filter, pointer)
  return withValues(filter, (value, { of }) =>
    PLACEHOLDER.test(String(value)) ? SAMPLES[typeOf(of, columns)] : value,
  )
}

const SAMPLES: Readonly<Record<ColumnType, string>> = {
  string: 'text',
  integer: '1',
  number: '1',
  boolean: 'true',
  date: '2026-01-31',
  datetime: '2026-01-31T00:00:00Z',
  time: '00:00',
  json: '{}',
  binary: '',
}

function typeOf(comparison: Comparison, columns: Columns): Column['type'] {
  if ('column' in comparison) return columns.get(comparison.column)?.type ?? 'string'
  try {
    return parseExpression(comparison.expr, columns).type
  } catch (error) {
    // The check of the filter reports it, with its place.
    if (error instanceof TextFault) return 'string'
    throw error
  }
}

type Place = { readonly of: Operation; readonly key: string }

/** A copy with other values of comparisons. */
function withValues(filter: Filter, change: (value: Value, place: Place) => Value): Filter {
  if ('and' in filter) return { and: filter.and.map((part) => withValues(part, change)) }
  if ('or' in filter) return { or: filter.or.map((part) => withValues(part, change)) }
  if ('not' in filter) return { not: withValues(filter.not, change) }
  if ('match' in filter) return filter
  const { value, values } = filter
  return {
    ...filter,
    ...(value !== undefined && { value: change(value, { of: filter, key: 'value' }) }),
    ...(values && {
      values: values.map((one, index) => change(one, { of: filter, key: `values/${index}` })),
    }),
  }
}

const BROKEN = 'has a placeholder: only a whole value of op may be one, such as ${user.properties.region}'

function refuseBroken(filter: Filter, pointer: string): void {
  if ('and' in filter || 'or' in filter) {
    const [key, list] = 'and' in filter ? (['and', filter.and] as const) : (['or', filter.or] as const)
    for (const [index, part] of list.entries()) refuseBroken(part, `${pointer}/${key}/${index}`)
    return
  }
  if ('not' in filter) return refuseBroken(filter.not, `${pointer}/not`)
  const refuse = (key: string, text: string) => {
    if (text.includes('${')) throw invalidAt(`${pointer}/${key}`, BROKEN)
  }
  if ('expr' in filter) refuse('expr', filter.expr)
  if ('match' in filter) return refuse('match', filter.match)
  withValues(filter, (value, { of, key }) => {
    // A property with a wildcard would change the condition.
    if (of.op === 'like' || !PLACEHOLDER.test(String(value))) refuse(key, String(value))
    return value
  })
}
