import { invalidAt } from '../../lib/errors.ts'
import type { Bind } from '../../ports/databases.ts'
import { TextFault } from '../sql/text-fault.ts'
import { ATOMS_MAX, DEPTH_MAX, WILDCARDS_MAX } from './limits.ts'
import type { Condition, Relation } from './condition.ts'
import { parseExpression } from './expression.ts'
import type { Columns, Expression } from './expression.ts'
import { parseMatch } from './match.ts'
import type { Budget } from './match.ts'
import { bindOf } from './values.ts'

/** A filter as it is sent. */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | (Subject & { readonly match: string })
  | (Subject & {
      readonly op: FilterOperator
      readonly value?: FilterValue | undefined
      readonly values?: readonly FilterValue[] | undefined
    })

export type Subject = { readonly column: string } | { readonly expr: string }
type FilterValue = string | number | boolean

export type FilterOperator =
  | Relation
  | 'between'
  | 'in'
  | 'like'
  | 'contains'
  | 'starts_with'
  | 'ends_with'
  | 'is_null'

/** Checks a filter.
 * @param pointer its place in the request
 * @throws {Refusal} invalid, with pointers below `pointer` and positions in texts */
export function conditionOf(filter: Filter, columns: Columns, pointer: string): Condition {
  return checked(filter, { columns, atoms: 0 }, { pointer, depth: 0 })
}

type Leaf = Exclude<Filter, { and: unknown } | { or: unknown } | { not: unknown }>
type State = Budget & { readonly columns: Columns }
type Place = { readonly pointer: string; readonly depth: number }

function checked(filter: Filter, state: State, { pointer, depth }: Place): Condition {
  const below = (key: string): Place => ({ pointer: `${pointer}/${key}`, depth: depth + 1 })
  const isOperator = 'and' in filter || 'or' in filter || 'not' in filter
  if (isOperator && depth >= DEPTH_MAX) throw invalidAt(pointer, `is deeper than ${DEPTH_MAX} operators`)
  if ('and' in filter)
    return { kind: 'and', of: filter.and.map((part, at) => checked(part, state, below(`and/${at}`))) }
  if ('or' in filter)
    return { kind: 'or', of: filter.or.map((part, at) => checked(part, state, below(`or/${at}`))) }
  if ('not' in filter) return { kind: 'not', of: checked(filter.not, state, below('not')) }
  const left = subjectOf(filter, state.columns, pointer)
  if (!('match' in filter)) return comparison({ left, state, pointer }, filter)
  return located(filter.match, `${pointer}/match`, () => parseMatch(filter.match, left, state))
}

/** The column or expression of a filter or a select. @throws {Refusal} invalid */
export function subjectOf(subject: Subject, columns: Columns, pointer: string): Expression {
  if ('expr' in subject)
    return located(subject.expr, `${pointer}/expr`, () => parseExpression(subject.expr, columns))
  const column = columns.get(subject.column)
  if (!column) throw invalidAt(`${pointer}/column`, 'is not a column')
  return { kind: 'column', name: column.name, type: column.type }
}

type Comparison = { readonly left: Expression; readonly state: State; readonly pointer: string }
type Operation = Extract<Leaf, { op: unknown }>

function comparison(around: Comparison, operation: Operation): Condition {
  const { left, pointer } = around
  const { op } = operation
  switch (op) {
    case 'is_null':
      return { kind: 'null', left }
    case 'between': {
      const [from, to, ...rest] = bindsOf(around, operation)
      if (!from || !to || rest.length > 0) throw invalidAt(`${pointer}/values`, 'must be two values')
      return {
        kind: 'and',
        of: [
          { kind: 'compare', left, relation: 'ge', value: from },
          { kind: 'compare', left, relation: 'le', value: to },
        ],
      }
    }
    case 'in':
      return { kind: 'in', left, values: bindsOf(around, operation) }
    case 'like': {
      const pieces = textOf(around, operation).split(/%+/)
      if (pieces.length > WILDCARDS_MAX + 1)
        throw invalidAt(`${pointer}/value`, `has more than ${WILDCARDS_MAX} wildcards`)
      return { kind: 'text', left, pieces }
    }
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return { kind: 'text', left, pieces: piecesOf(op, textOf(around, operation)) }
    default:
      return { kind: 'compare', left, relation: op, value: valueOf(around, operation.value, 'value') }
  }
}

function textOf(around: Comparison, { value }: Operation): string {
  if (around.left.type !== 'string') throw invalidAt(`${around.pointer}/op`, 'is an operator of texts')
  return String(valueOf(around, value, 'value').value)
}

function piecesOf(op: 'contains' | 'starts_with' | 'ends_with', text: string): readonly string[] {
  if (op === 'contains') return ['', text, '']
  return op === 'starts_with' ? [text, ''] : ['', text]
}

function bindsOf(around: Comparison, { values }: Operation): readonly Bind[] {
  if (!values || values.length === 0) throw invalidAt(`${around.pointer}/values`, 'is required')
  return values.map((value, index) => valueOf(around, value, `values/${index}`))
}

function valueOf({ left, state, pointer }: Comparison, value: FilterValue | undefined, key: string): Bind {
  const place = `${pointer}/${key}`
  if (value === undefined) throw invalidAt(place, 'is required')
  state.atoms += 1
  if (state.atoms > ATOMS_MAX) throw invalidAt(place, `is more than ${ATOMS_MAX} values`)
  return located(String(value), place, () => bindOf(left.type, value, 0))
}

/** Turns a fault in a text into the refusal of the request. */
function located<Result>(text: string, pointer: string, parse: () => Result): Result {
  try {
    return parse()
  } catch (error) {
    if (error instanceof TextFault) throw error.refusal(text, pointer)
    throw error
  }
}
