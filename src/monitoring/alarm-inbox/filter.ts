import { parseInstant } from '../../lib/time.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import type { Level } from '../../domain/state.ts'
import { LEVELS } from '../states/state.ts'
import type { ObjectType } from '../tree/schema.ts'
import { filterOf, parseDefinition } from '../tree/search/filter.ts'
import type { Condition } from '../tree/search/filter.ts'
import { RELATIONS } from '../tree/search/items.ts'
import type { Relation } from '../tree/search/items.ts'
import { alarmFilterDefinition } from './schema.ts'
import type { AlarmFilterDefinition } from './schema.ts'

/** A condition on the alarm itself. */
export type AlarmTest =
  | { readonly kind: 'id' | 'assignee' | 'opened'; readonly relation: Relation; readonly number: number }
  | { readonly kind: 'severity'; readonly levels: readonly Level[] }
  | { readonly kind: 'assigned'; readonly isAssigned: boolean }

/** A condition on an alarm, or on its object. */
export type AlarmCondition =
  | { readonly of: 'alarm'; readonly test: AlarmTest }
  | { readonly of: 'object'; readonly condition: Condition }

export type AlarmFilter = {
  /** The type of the object; null for every type. */
  readonly type: ObjectType | null
  readonly mode: 'and' | 'or'
  readonly conditions: readonly AlarmCondition[]
}

/** Items of the alarm. `objectId` and `objectName` are the object's `id` and `name`; all other items are the items of a
 * search. */
const ALARM_ITEMS = ['id', 'severity', 'assignee', 'opened'] as const
type AlarmItem = (typeof ALARM_ITEMS)[number]
const OBJECT_NAMES = { objectId: 'id', objectName: 'name' } as const
/** Current values are kept by the actors of the jobs, so SQL cannot compare them. */
const NOT_KEPT: ReadonlySet<string> = new Set(['value_raw', 'value_user'])

type ConditionInput = AlarmFilterDefinition['conditions'][number]

/** Checks a filter definition and turns it into conditions.
 * @param pointer the place of the definition in the request
 * @throws {Refusal} invalid, with pointers below `pointer` */
export function alarmFilterOf(
  { type, mode, conditions }: AlarmFilterDefinition,
  pointer: string,
): AlarmFilter {
  const faults: Fault[] = []
  // A placeholder takes the place of each alarm condition, so that pointers to the other conditions stay right.
  const ofObjects = conditions.map((given) => (isOfAlarm(given) ? NEUTRAL : objectCondition(given)))
  const parsed = filterOf({ type, mode, conditions: ofObjects }, pointer).conditions
  const all = conditions.map((given, index): AlarmCondition[] => {
    const fault: Report = (field, message) => {
      faults.push({ pointer: `${pointer}/conditions/${index}/${field}`, message })
      return []
    }
    if (NOT_KEPT.has(given.item)) return fault('item', 'is not an item of alarm filters')
    if (isOfAlarm(given)) return alarmCondition(given, fault)
    const condition = parsed[index]
    return condition ? [{ of: 'object', condition }] : []
  })
  if (faults.length > 0) throw new Refusal('invalid', 'The filter definition is invalid; see errors.', faults)
  return { type: type ?? null, mode, conditions: all.flat() }
}

const NEUTRAL = { item: 'type', operator: 'eq', expression: 'job' } as const

function isOfAlarm({ item }: ConditionInput): boolean {
  return (ALARM_ITEMS as readonly string[]).includes(item)
}

function objectCondition(given: ConditionInput) {
  const item = OBJECT_NAMES[given.item as keyof typeof OBJECT_NAMES] ?? given.item
  return { ...given, item } as Parameters<typeof filterOf>[0]['conditions'][number]
}

type Report = (field: keyof ConditionInput, message: string) => []

function alarmCondition(given: ConditionInput, fault: Report): AlarmCondition[] {
  const { item, operator, expression } = given
  if (given.propertyKey) return fault('propertyKey', 'is not allowed for this item')
  if (given.value) return fault('value', 'is not allowed for this item')
  const isDefined = operator === 'is_defined'
  if (item === 'assignee' && (isDefined || operator === 'not_defined')) {
    if (expression) return fault('expression', 'is not allowed for this operator')
    return [{ of: 'alarm', test: { kind: 'assigned', isAssigned: isDefined } }]
  }
  const relation = RELATIONS_OF[item as AlarmItem].find((known) => known === operator)
  if (!relation) return fault('operator', 'is not an operator of this item')
  if (expression == null) return fault('expression', 'is required')
  const test = testOf(item as AlarmItem, relation, expression)
  return typeof test === 'string' ? fault('expression', test) : [{ of: 'alarm', test }]
}

const RELATIONS_OF: Readonly<Record<AlarmItem, readonly Relation[]>> = {
  id: RELATIONS,
  severity: RELATIONS,
  opened: RELATIONS,
  assignee: ['eq', 'ne'],
}

/** @returns a test, or the fault of the expression */
function testOf(item: AlarmItem, relation: Relation, expression: string): AlarmTest | string {
  if (item === 'severity') {
    const place = LEVELS.findIndex((level) => level === expression)
    if (place < 0) return `must be one of ${LEVELS.join(', ')}`
    return { kind: item, levels: LEVELS.filter((_, other) => holds(place - other, relation)) }
  }
  const number = item === 'opened' ? instantOf(expression) : idOf(expression)
  if (number === null) return item === 'opened' ? 'must be an ISO 8601 date-time' : 'must be an id'
  return { kind: item, relation, number }
}

/** Whether a difference satisfies a relation. Of two severities the worse one counts as greater. */
function holds(difference: number, relation: Relation): boolean {
  const sign = Math.sign(difference)
  switch (relation) {
    case 'eq':
      return sign === 0
    case 'ne':
      return sign !== 0
    case 'ge':
      return sign >= 0
    case 'gt':
      return sign > 0
    case 'le':
      return sign <= 0
    case 'lt':
      return sign < 0
  }
}

function idOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

function instantOf(text: string): number | null {
  try {
    return parseInstant(text)
  } catch {
    return null
  }
}

/** Reads a filter definition of alarms from its JSON text.
 * @throws {Refusal} invalid, with pointers such as `?filterDefinition/conditions/2/operator` */
export function parseAlarmFilter(json: string): AlarmFilterDefinition {
  return parseDefinition(json, alarmFilterDefinition)
}
