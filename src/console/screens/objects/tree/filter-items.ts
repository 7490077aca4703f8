const SAME = ['eq', 'ne'] as const
const SIZES = ['gt', 'ge', 'lt', 'le'] as const
const TEXTS = [
  'contains',
  'not_contains',
  'eq',
  'ne',
  'starts_with',
  'not_starts_with',
  'ends_with',
  'not_ends_with',
  'matches',
  'not_matches',
] as const
const DEFINED = ['is_defined', 'not_defined'] as const

/** An item of filter definitions that the builder offers. */
export type FilterItem = {
  readonly operators: readonly string[]
  /** The choices of its expression; absent for free text. */
  readonly choices?: 'states' | 'types'
  /** The field that names the property or the value that is tested. */
  readonly names?: 'propertyKey' | 'value'
}

/** The items that the builder offers, with their operators as the API takes them. */
export const FILTER_ITEMS: Readonly<Record<string, FilterItem>> = {
  name: { operators: TEXTS },
  type: { operators: SAME, choices: 'types' },
  state: { operators: SAME, choices: 'states' },
  execution: { operators: ['stopped', 'started'] },
  subType: { operators: TEXTS },
  id: { operators: [...SAME, ...SIZES] },
  interval: { operators: [...SAME, ...SIZES, ...DEFINED] },
  property: { operators: [...TEXTS, ...DEFINED], names: 'propertyKey' },
  device_address: { operators: [...TEXTS, ...DEFINED] },
  job_device_name: { operators: [...TEXTS, ...DEFINED] },
  job_device_address: { operators: [...TEXTS, ...DEFINED] },
  value_name_user: { operators: [...TEXTS, ...DEFINED] },
  value_user: { operators: [...SIZES, ...SAME, ...DEFINED], names: 'value' },
}

const WITHOUT_EXPRESSION = new Set(['is_defined', 'not_defined', 'started', 'stopped'])

export const takesExpression = (operator: string): boolean => !WITHOUT_EXPRESSION.has(operator)
