import type * as z from 'zod'
import { durationMs } from '../../../lib/duration.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Fault } from '../../../lib/errors.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import { STATES } from '../../../domain/state.ts'
import { decimalOf } from '../properties.ts'
import { OBJECT_TYPES } from '../schema.ts'
import type { ObjectType } from '../schema.ts'
import { ITEMS, RELATIONS, TEXT_TESTS } from './items.ts'
import type { ItemRule, Operator, Relation, TextField, TextTest } from './items.ts'
import { filterDefinition } from './schema.ts'
import type { FilterDefinition } from './schema.ts'

/** A checked filter definition (specification: Filter definition). */
export type Filter = {
  /** Null for every type. */
  readonly type: ObjectType | null
  readonly mode: 'and' | 'or'
  readonly conditions: readonly Condition[]
}

export type Condition = { readonly test: Test; readonly negated: boolean }

/** A comparison of a text; `defined` means not empty. */
export type TextMatch = { readonly by: TextTest; readonly text: string } | { readonly by: 'defined' }

/** A test of an object. Tests of devices' and jobs' own fields are false for other types of objects, also when
 * negated. */
export type Test =
  | { readonly kind: 'id'; readonly relation: Relation; readonly number: number }
  | { readonly kind: 'interval'; readonly relation: Relation; readonly number: number }
  | { readonly kind: 'type'; readonly type: ObjectType }
  | { readonly kind: 'state'; readonly state: string }
  | { readonly kind: 'stopped'; readonly stopped: boolean }
  | { readonly kind: 'text'; readonly field: TextField; readonly match: TextMatch }
  | { readonly kind: 'propertyId'; readonly id: number }
  /** Any property, or the one with this key. */
  | { readonly kind: 'property'; readonly key: string | null; readonly match: TextMatch }
  | {
      readonly kind: 'propertyValue'
      readonly key: string
      readonly relation: Relation
      readonly value: number | string
    }
  | ValueTest
  /** The object is one of these or below one. Used by the service, not by filters. */
  | { readonly kind: 'within'; readonly tops: readonly number[] }
  /** The object is one of these. Used to apply a filter to few objects. */
  | { readonly kind: 'among'; readonly ids: readonly number[] }
  /** An item without a field yet. */
  | { readonly kind: 'nothing' }

/** A test of the current value of a job, which is not in the database. */
export type ValueTest = {
  readonly kind: 'value'
  readonly isRaw: boolean
  /** The key or the name of the value. */
  readonly value: string
  readonly match:
    | TextMatch
    | { readonly by: 'relation'; readonly relation: Relation; readonly value: number | string }
  /** The place of faults of this condition that are found after parsing. */
  readonly pointer: string
}

/** Without an index, a pattern is matched against every object. */
const WILDCARDS_MAX = 16

type ConditionInput = FilterDefinition['conditions'][number]

/** Parses a filter definition from JSON text.
 * @throws {Refusal} invalid, with pointers such as `?filterDefinition/conditions/2/operator` */
export function parseFilter(json: string): Filter {
  return filterOf(parseDefinition(json, filterDefinition), ROOT)
}

/** Parses a filter definition of any shape from the JSON text in the query.
 * @throws {Refusal} invalid */
export function parseDefinition<Shape extends z.ZodType>(json: string, shape: Shape): z.output<Shape> {
  const result = shape.safeParse(parseJson(json))
  if (!result.success) throw invalid(result.error.issues.flatMap(faultsOf))
  return result.data
}

/** Checks a filter definition.
 * @param pointer its place in the request
 * @throws {Refusal} invalid, with pointers below `pointer` */
export function filterOf({ type, mode, conditions }: FilterDefinition, pointer: string): Filter {
  const faults: Fault[] = []
  const parsed = conditions.map((given, index) => {
    const fault = (field: keyof ConditionInput, message: string) => {
      faults.push({ pointer: `${pointer}/conditions/${index}/${field}`, message })
      return NOTHING
    }
    return conditionOf(given, fault, `${pointer}/conditions/${index}`)
  })
  if (faults.length > 0) throw invalid(faults)
  return { type: type ?? null, mode, conditions: parsed }
}

/** The pointer of a filter definition in a query. */
export const ROOT = '?filterDefinition'
const NOTHING: Test = { kind: 'nothing' }

type Report = (field: keyof ConditionInput, message: string) => Test

/** The test of a condition, and whether it is negated. */
function conditionOf(given: ConditionInput, fault: Report, pointer: string): Condition {
  const rule: ItemRule = ITEMS[given.item]
  const { operator } = given
  if (!rule.operators.has(operator))
    return { test: fault('operator', 'is not an operator of this item'), negated: false }
  if (given.propertyKey && rule.kind !== 'property' && rule.kind !== 'propertyKey') {
    return { test: fault('propertyKey', 'is not allowed for this item'), negated: false }
  }
  if (given.value && rule.kind !== 'value')
    return { test: fault('value', 'is not allowed for this item'), negated: false }
  const [asserted, negated] = assertion(operator)
  if (NEEDS_NO_EXPRESSION.has(operator)) {
    if (given.expression) return { test: fault('expression', 'is not allowed for this operator'), negated }
  } else if (given.expression == null) {
    return { test: fault('expression', 'is required'), negated }
  }
  const asked = { ...given, operator: asserted, expression: given.expression ?? '' }
  return { test: testOf(rule, asked, { fault, pointer }), negated }
}

const NEEDS_NO_EXPRESSION: ReadonlySet<Operator> = new Set([
  'is_defined',
  'not_defined',
  'started',
  'stopped',
])

/** The positive form of an operator, and whether it is negated. `propval_ne` needs a value that differs. */
function assertion(operator: Operator): [Operator, boolean] {
  switch (operator) {
    case 'ne':
      return ['eq', true]
    case 'not_defined':
      return ['is_defined', true]
    case 'not_matches':
      return ['matches', true]
    case 'not_starts_with':
      return ['starts_with', true]
    case 'not_contains':
      return ['contains', true]
    case 'not_ends_with':
      return ['ends_with', true]
    default:
      return [operator, false]
  }
}

type ExpressionInput = Omit<ConditionInput, 'expression'> & { readonly expression: string }
type Around = { readonly fault: Report; readonly pointer: string }

function testOf(rule: ItemRule, asked: ExpressionInput, around: Around): Test {
  const { operator, expression } = asked
  const { fault } = around
  switch (rule.kind) {
    case 'id':
    case 'propertyId':
      return idTest(rule.kind, asked, fault)
    case 'type':
      return memberTest(OBJECT_TYPES, asked, { fault, make: (type) => ({ kind: 'type', type }) })
    case 'state':
      return memberTest(STATES, asked, { fault, make: (state) => ({ kind: 'state', state }) })
    case 'interval':
      return intervalTest(operator, expression, fault)
    case 'execution':
      return { kind: 'stopped', stopped: operator === 'stopped' }
    case 'text':
      return textTest(asked, fault, (match) => ({ kind: 'text', field: rule.field, match }))
    case 'property':
    case 'propertyKey':
      return propertyTest(rule.kind, asked, fault)
    case 'value':
      return valueTest(rule.isRaw, asked, around)
    case 'nothing':
      return NOTHING
  }
}

function idTest(kind: 'id' | 'propertyId', { operator, expression }: ExpressionInput, fault: Report): Test {
  if (!/^\d{1,15}$/.test(expression)) return fault('expression', 'must be an id')
  const number = Number(expression)
  return kind === 'id' ? { kind, relation: relationOf(operator), number } : { kind, id: number }
}

function memberTest<Member extends string>(
  members: readonly Member[],
  { expression }: ExpressionInput,
  { fault, make }: { fault: Report; make: (member: Member) => Test },
): Test {
  const member = members.find((known) => known === expression)
  return member === undefined ? fault('expression', `must be one of ${members.join(', ')}`) : make(member)
}

function intervalTest(operator: Operator, expression: string, fault: Report): Test {
  // An interval of zero counts as undefined.
  if (operator === 'is_defined') return { kind: 'interval', relation: 'gt', number: 0 }
  try {
    return { kind: 'interval', relation: relationOf(operator), number: durationMs(expression) }
  } catch {
    return fault('expression', 'must be an ISO 8601 duration such as PT15M')
  }
}

/** With a `propertyKey` both items test that property's value; without it `property_key` tests the key itself. */
function propertyTest(kind: 'property' | 'propertyKey', asked: ExpressionInput, fault: Report): Test {
  const { operator, expression } = asked
  const key = asked.propertyKey ? asked.propertyKey : null
  if (operator.startsWith('propval_')) {
    if (key === null) return fault('propertyKey', 'is required')
    const relation = relationOf(operator.slice('propval_'.length))
    return { kind: 'propertyValue', key, relation, value: decimalOf(expression) ?? expression }
  }
  return textTest(asked, fault, (match) => {
    if (key === null && kind === 'propertyKey' && match.by !== 'defined') {
      return { kind: 'text', field: 'propertyKey', match }
    }
    return { kind: 'property', key, match }
  })
}

function valueTest(isRaw: boolean, asked: ExpressionInput, { fault, pointer }: Around): Test {
  const { operator, expression } = asked
  if (!asked.value) return fault('value', 'must be the key or the name of a value')
  const { value } = asked
  const relation = RELATIONS.find((known) => known === operator)
  if (relation) {
    const match = { by: 'relation', relation, value: decimalOf(expression) ?? expression } as const
    return { kind: 'value', isRaw, value, match, pointer }
  }
  return textTest(asked, fault, (match) => ({ kind: 'value', isRaw, value, match, pointer }))
}

function textTest(asked: ExpressionInput, fault: Report, make: (match: TextMatch) => Test): Test {
  const { operator, expression } = asked
  if (operator === 'is_defined') return make({ by: 'defined' })
  const by = TEXT_TESTS.find((known) => known === operator)
  if (!by) return fault('operator', 'is not an operator of this item')
  if (by !== 'eq' && expression === '') return fault('expression', 'must not be empty')
  if (by === 'matches' && expression.split('*').length > WILDCARDS_MAX + 1) {
    return fault('expression', `must have at most ${WILDCARDS_MAX} wildcards`)
  }
  return make({ by, text: expression })
}

function relationOf(operator: string): Relation {
  return RELATIONS.find((known) => known === operator) ?? 'eq'
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw invalid([{ pointer: ROOT, message: 'must be JSON' }])
  }
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const path = `${ROOT}${issue.path.map((segment) => `/${String(segment)}`).join('')}`
  if (issue.code !== 'unrecognized_keys') return [{ pointer: path, message: issue.message }]
  return issue.keys.map((key) => ({
    pointer: `${path}${pointerOf([key])}`,
    message: 'is not a known field',
  }))
}

function invalid(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'The filter definition is invalid; see errors.', faults)
}
