/** The operators of filter definitions. */
export const OPERATORS = [
  'eq',
  'ne',
  'ge',
  'gt',
  'le',
  'lt',
  'matches',
  'starts_with',
  'contains',
  'ends_with',
  'not_matches',
  'not_starts_with',
  'not_contains',
  'not_ends_with',
  'is_defined',
  'not_defined',
  'started',
  'stopped',
  'propval_eq',
  'propval_ne',
  'propval_ge',
  'propval_gt',
  'propval_le',
  'propval_lt',
] as const

export type Operator = (typeof OPERATORS)[number]

export const RELATIONS = ['eq', 'ne', 'ge', 'gt', 'le', 'lt'] as const
export type Relation = (typeof RELATIONS)[number]

export const TEXT_TESTS = ['eq', 'starts_with', 'ends_with', 'contains', 'matches'] as const
export type TextTest = (typeof TEXT_TESTS)[number]

/** A text of an object, or several texts of which one must match. */
export type TextField =
  | 'name'
  | 'subType'
  | 'address'
  | 'netmask'
  | 'deviceName'
  | 'deviceAddress'
  | 'deviceNetmask'
  | 'propertyKey'
  | 'valueKey'
  | 'valueName'

/** The kind of an item, and its operators. */
export type ItemRule = { readonly operators: ReadonlySet<Operator> } & (
  | { readonly kind: 'id' | 'type' | 'state' | 'interval' | 'execution' | 'propertyId' | 'nothing' }
  | { readonly kind: 'property' | 'propertyKey' }
  | { readonly kind: 'text'; readonly field: TextField }
  | { readonly kind: 'value'; readonly isRaw: boolean }
)

const SAME: readonly Operator[] = ['eq', 'ne']
const SIZES: readonly Operator[] = ['ge', 'gt', 'le', 'lt']
const DEFINED: readonly Operator[] = ['is_defined', 'not_defined']
const PATTERNS: readonly Operator[] = [
  'matches',
  'starts_with',
  'contains',
  'ends_with',
  'not_matches',
  'not_starts_with',
  'not_contains',
  'not_ends_with',
]
const PROPERTY_VALUES = OPERATORS.filter((operator) => operator.startsWith('propval_'))

const sameness = new Set(SAME)
const numbers = new Set([...SAME, ...SIZES])
const texts = new Set([...SAME, ...PATTERNS])
const optionalTexts = new Set([...texts, ...DEFINED])
const propertyTexts = new Set([...optionalTexts, ...PROPERTY_VALUES])
const values = new Set([...numbers, ...PATTERNS, ...DEFINED])

const textItem = (field: TextField): ItemRule => ({ kind: 'text', field, operators: texts })
const optionalTextItem = (field: TextField): ItemRule => ({ kind: 'text', field, operators: optionalTexts })

/** The items of filter definitions. `slo_…` match nothing yet. */
export const ITEMS = {
  id: { kind: 'id', operators: numbers },
  name: textItem('name'),
  type: { kind: 'type', operators: sameness },
  subtype: textItem('subType'),
  subType: textItem('subType'),
  state: { kind: 'state', operators: sameness },
  interval: { kind: 'interval', operators: new Set([...numbers, ...DEFINED]) },
  execution: { kind: 'execution', operators: new Set<Operator>(['started', 'stopped']) },
  property: { kind: 'property', operators: propertyTexts },
  property_key: { kind: 'propertyKey', operators: propertyTexts },
  property_id: { kind: 'propertyId', operators: sameness },
  device_address: optionalTextItem('address'),
  device_netmask: optionalTextItem('netmask'),
  job_device_name: optionalTextItem('deviceName'),
  job_device_address: optionalTextItem('deviceAddress'),
  job_device_netmask: optionalTextItem('deviceNetmask'),
  slo_method: { kind: 'nothing', operators: optionalTexts },
  slo_service: { kind: 'nothing', operators: optionalTexts },
  value_name_raw: optionalTextItem('valueKey'),
  value_name_user: optionalTextItem('valueName'),
  value_raw: { kind: 'value', isRaw: true, operators: values },
  value_user: { kind: 'value', isRaw: false, operators: values },
} satisfies Record<string, ItemRule>

export type Item = keyof typeof ITEMS
