import * as z from 'zod'
import { withoutRepeats } from '../../http/lists.ts'
import { idParam, shownOnly } from '../../http/openapi-answers.ts'
import { PUSHES } from '../states/propagation.ts'
import { SLO_OPERATIONS } from '../states/slo-state.ts'
import { STATES } from '../../domain/state.ts'
import { OBJECT_TYPES, objectBodyShape, objectViewShape, reasonsView } from '../tree/schema.ts'
import { filterDefinition } from '../tree/search/schema.ts'

export const CHILDREN_MAX = 1_000
/** Matches of a filter that count: the first of the tree. */
export const FOUND_MAX = 10_000
/** Filters of an installation: each of them checks every change. */
export const FILTERS_MAX = 500
const COUNTER_MAX = 1_000_000
const WEIGHT_MAX = 1_000
const COST_MAX = 1e12
export const SORT_MODES = ['link', 'name', 'state'] as const

const counter = z.int().min(0).max(COUNTER_MAX).default(0)

const COUNTERS = {
  major: counter.describe(
    'The number of `major` children that makes the object `major`; 0 leaves it to `stateOperation`.',
  ),
  minor: counter.describe(
    'The number of `major` children that makes the object `minor`; 0 leaves it to `stateOperation`.',
  ),
  warning: counter.describe(
    'The number of `major` children that makes the object `warning`; 0 leaves it to `stateOperation`.',
  ),
  minorMinor: counter.describe('The number of children in `minor` or worse that makes the object `minor`.'),
  minorWarning: counter.describe(
    'The number of children in `minor` or worse that makes the object `warning`.',
  ),
  warningWarning: counter.describe(
    'The number of children in `warning` or worse that makes the object `warning`.',
  ),
}

/** Current currencies; hosts may know more, historical ones. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
const money = z.number().min(0).max(COST_MAX)

const childrenFilter = z.strictObject({
  groupId: z
    .int()
    .positive()
    .default(1)
    .describe('The group whose objects the filter searches; if absent, the root group.'),
  filterDefinition: filterDefinition.describe(
    'A filter definition as in a search, without the items `state`, `value_raw` and `value_user`.',
  ),
})

export type ChildrenFilter = z.infer<typeof childrenFilter>

/** Specification: SLO. */
export const sloBody = z.strictObject({
  ...objectBodyShape,
  deviceId: z.int().min(0).default(0).describe('The device that the object belongs to; 0 for none.'),
  stateOperation: z
    .enum(SLO_OPERATIONS)
    .default('and')
    .describe(
      'How a counter of 0 is read: as 1 for `and`, as the number of all children for `or`, as never for `count`.',
    ),
  pushState: z.enum(PUSHES).default('any').describe('The states of the object that its parents see.'),
  sortMode: z.enum(SORT_MODES).default('link').describe('The order of the children.'),
  ...COUNTERS,
  ignoreMaintenance: z.boolean().default(false).describe('True: the maintenance of children is ignored.'),
  isReason: z
    .boolean()
    .default(false)
    .describe('Whether the object can be named in `reasons`; jobs always can.'),
  childrenFilter: childrenFilter
    .extend({ isFull: shownOnly })
    .nullable()
    .default(null)
    .describe('In addition to its links, the object counts all objects that currently match this filter.'),
  parameters: z
    .strictObject({
      children: shownOnly,
      costsPerMin: money.default(0).describe('The cost of a minute of outage.'),
      currency: z
        .string()
        .max(3)
        .refine((code) => code === '' || CURRENCIES.has(code), 'must be an ISO 4217 currency code')
        .default(''),
      riskFactor: money.default(1).describe('The risk of an outage is its cost multiplied by this.'),
    })
    .prefault({}),
  // Read-only fields of the view: they are ignored, so that a read can be sent back unchanged.
  deviceName: shownOnly,
  currentState: shownOnly,
  reasons: shownOnly,
  hasChildren: shownOnly,
})

export const sloView = z
  .object({
    ...objectViewShape,
    deviceId: z.int(),
    deviceName: z.string(),
    stateOperation: z.enum(SLO_OPERATIONS),
    pushState: z.enum(PUSHES),
    sortMode: z.enum(SORT_MODES),
    major: z.int().describe(COUNTERS.major.description ?? ''),
    minor: z.int().describe(COUNTERS.minor.description ?? ''),
    warning: z.int().describe(COUNTERS.warning.description ?? ''),
    minorMinor: z.int().describe(COUNTERS.minorMinor.description ?? ''),
    minorWarning: z.int().describe(COUNTERS.minorWarning.description ?? ''),
    warningWarning: z.int().describe(COUNTERS.warningWarning.description ?? ''),
    ignoreMaintenance: z.boolean(),
    isReason: z.boolean(),
    childrenFilter: childrenFilter
      .extend({
        isFull: z
          .boolean()
          .describe(`Whether more than ${FOUND_MAX} objects match; only the first ${FOUND_MAX} are counted.`),
      })
      .nullable(),
    parameters: z.object({
      children: z.int().describe('The number of children.'),
      costsPerMin: z.number().describe('The cost of a minute of an outage, in `currency`; 0 for none.'),
      currency: z.string().describe('The currency code (ISO 4217).'),
      riskFactor: z.number().describe('The factor between the cost of an outage and its risk.'),
    }),
    currentState: z.enum(STATES),
    reasons: reasonsView,
    hasChildren: z.boolean(),
  })
  .meta({ id: 'Slo' })

/** A type of object whose children are links. */
export type LinkingType = 'slo' | 'slc'

/** A parent whose children are links, in a path. */
export const linkingPath = z.object({
  parentType: z
    .enum(
      ['slo', 'slos', 'slc', 'slcs'],
      'must be slo or slc: a child of another object changes its parent with parentId',
    )
    .transform((text): LinkingType => (text.startsWith('slc') ? 'slc' : 'slo'))
    .meta({ type: 'string' }),
  parentId: idParam,
})

export const childrenBody = z.strictObject({
  items: z
    .array(
      z.object({
        type: z
          .enum(OBJECT_TYPES)
          .optional()
          .describe('The type of the child. If given, it must be the type of the object with this id.'),
        id: z.int().positive(),
        weight: z
          .int()
          .min(1)
          .max(WEIGHT_MAX)
          .default(1)
          .describe('How many children this child counts as. A service level container ignores the weight.'),
        stateOverrides: z
          .partialRecord(z.enum(STATES), z.enum(STATES))
          .default({})
          .describe('For a state of the child, the state to use instead.'),
      }),
    )
    .max(CHILDREN_MAX)
    .superRefine(withoutRepeats('id')),
})

export const childrenMode = z.object({
  mode: z
    .enum(['replace', 'merge', 'remove', 'order'])
    .default('replace')
    .describe(
      '`replace`: the items are all children. `merge`: the items are added or changed. `remove`: the items are removed. `order`: the items, which are linked children, are the first ones in this order.',
    ),
})

export type SloBody = z.infer<typeof sloBody>
export type SloView = z.infer<typeof sloView>
export type ChildBody = z.infer<typeof childrenBody>['items'][number]
export type ChildrenMode = z.infer<typeof childrenMode>['mode']
