import type { ColumnInfo } from './sources.ts'

export type ColumnType = ColumnInfo['type']
export type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'ge'
  | 'lt'
  | 'le'
  | 'between'
  | 'in'
  | 'contains'
  | 'starts_with'
  | 'ends_with'
  | 'like'
  | 'is_null'
  | 'not_null'
  | 'match'

/** One condition of a form: its value is a text, and for some operators a list between commas. */
export type Condition = { readonly column: string; readonly op: Operator; readonly value: string }
export type Conditions = { readonly mode: 'and' | 'or'; readonly of: readonly Condition[] }

/** A filter of the API. */
export type Filter = Readonly<Record<string, unknown>>

export const NO_CONDITIONS: Conditions = { mode: 'and', of: [] }

const ORDERED: readonly Operator[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'between', 'in']
const ENDING: readonly Operator[] = ['is_null', 'not_null', 'match']
const TEXTS: readonly Operator[] = ['contains', 'starts_with', 'ends_with', 'like']

/** The operators of columns of a type. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  if (type === 'string') return ['eq', 'ne', ...TEXTS, 'gt', 'ge', 'lt', 'le', 'between', 'in', ...ENDING]
  if (type === 'boolean') return ['eq', 'ne', 'is_null', 'not_null']
  if (type === 'json' || type === 'binary') return ['is_null', 'not_null']
  return [...ORDERED, ...ENDING]
}

export const takesValue = (op: Operator): boolean => op !== 'is_null' && op !== 'not_null'

/** Whether a condition says enough to be sent. */
export const isWhole = ({ op, value }: Condition): boolean =>
  !takesValue(op) || op === 'eq' || op === 'ne' || value.trim() !== ''

/** The filter of the API; null without conditions. */
export function filterOf({ mode, of }: Conditions): Filter | null {
  const parts = of.map(partOf)
  if (parts.length === 0) return null
  return parts.length === 1 && parts[0] ? parts[0] : { [mode]: parts }
}

function partOf({ column, op, value }: Condition): Filter {
  switch (op) {
    case 'is_null':
      return { column, op }
    case 'not_null':
      return { not: { column, op: 'is_null' } }
    case 'match':
      return { column, match: value }
    case 'between':
    case 'in':
      return { column, op, values: value.split(',').map((part) => part.trim()) }
    default:
      return { column, op, value }
  }
}

/** The conditions of a filter; null for one that the form cannot show, such as one with an expression. */
export function conditionsOf(filter: Filter | null): Conditions | null {
  if (filter === null) return NO_CONDITIONS
  const mode = 'or' in filter ? 'or' : 'and'
  const parts = filter[mode] ?? [filter]
  if (!Array.isArray(parts)) return null
  const of = parts.map((part) => conditionOf(part as Filter))
  return of.every((one) => one !== null) ? { mode, of } : null
}

/** The condition of a filter; null for another filter. */
export function conditionOf(part: Filter): Condition | null {
  const { not, column, op, match, value, values } = part
  if (not !== undefined) {
    const inner = conditionOf(not as Filter)
    return inner?.op === 'is_null' ? { ...inner, op: 'not_null' } : null
  }
  if (typeof column !== 'string') return null
  if (typeof match === 'string') return { column, op: 'match', value: match }
  if (typeof op !== 'string') return null
  const text = Array.isArray(values) ? values.map(textOf).join(', ') : textOf(value)
  return { column, op: op as Operator, value: text }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}

/** A filter in the address of the page; null for none, and for a text that is not one. */
export function filterInUrl(text: string): Filter | null {
  if (text === '') return null
  try {
    const filter = JSON.parse(text) as unknown
    return typeof filter === 'object' && filter !== null && !Array.isArray(filter) ? (filter as Filter) : null
  } catch {
    return null
  }
}
