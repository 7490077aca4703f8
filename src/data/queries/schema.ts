import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { flagQuery, idParam, shownOnly } from '../../http/openapi-answers.ts'
import { composedName, storableText } from '../../http/text-schemas.ts'
import { TEMPLATE_MAX } from '../../templates/limits.ts'
import { assertions, assertionsView } from './assertion-schema.ts'
import { materialization, materializationView, resultState } from './results/schema.ts'

export const QUERIES_MAX = 1_000
export const VERSIONS_MAX = 50
const DESCRIPTION_MAX = 4_000
const PARAMETERS_MAX = 50
const CHOICES_MAX = 200
export const VALUES_MAX = 5_000
const VALUE_MAX = 10_000
export const NAME_MAX = 64

const PARAMETER_TYPES = [
  'string',
  'number',
  'boolean',
  'date',
  'datetime',
  'enum',
  'identifier',
  'query',
] as const
/** Names that templates use for other things. */
const RESERVED: ReadonlySet<string> = new Set(['params', 'user', 'ref', 'now'])

const scalar = z.union([storableText.max(VALUE_MAX), z.number(), z.boolean()])
export const value = z.union([scalar, z.array(scalar).max(VALUES_MAX)])

const parameterName = z
  .string()
  .max(NAME_MAX)
  .regex(/^[A-Za-z_]\w*$/, 'must be letters, digits and underscores, and begin with no digit')
  .refine((name) => !RESERVED.has(name), 'is reserved for templates')

const parameter = z
  .strictObject({
    name: parameterName,
    type: z.enum(PARAMETER_TYPES),
    multi: z.boolean().default(false).describe('Whether the value is a list.'),
    required: z.boolean().default(false).describe('Whether a run needs a value where there is no default.'),
    default: value
      .nullable()
      .default(null)
      .describe('The value of runs that give none; null for none.')
      .meta({ examples: ['north'] }),
    choices: z
      .array(storableText.min(1).max(VALUE_MAX))
      .max(CHOICES_MAX)
      .default([])
      .describe('The values that `enum` allows.'),
    valuesQueryId: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('The data query of which the first column has the values that `query` allows.'),
  })
  .refine(({ type, choices }) => (type === 'enum') === choices.length > 0, {
    path: ['choices'],
    message: 'must be there for enum, and for no other type',
  })
  .refine(({ type, valuesQueryId }) => (type === 'query') === (valuesQueryId !== null), {
    path: ['valuesQueryId'],
    message: 'must be there for query, and for no other type',
  })

const groupId = z.int().positive().nullable().default(null).describe('The group; null for none.')
export const dataSourceId = z.int().positive().describe('The data source. It need not exist any more.')
export const text = storableText
  .max(TEMPLATE_MAX)
  .describe('SQL in the dialect of the data source, as a template. `${region}` is a value of a parameter.')
  .meta({ examples: ['SELECT id, amount FROM orders WHERE region = ${region}'] })
export const escaping = z
  .enum(['bind', 'legacy'])
  .default('bind')
  .describe(
    '`bind`: values become binds, or are escaped for their place. `legacy`: they become SQL as they are, for templates that escape them themselves; for administrators alone.',
  )
export const parameters = z
  .array(parameter)
  .max(PARAMETERS_MAX)
  .default([])
  .superRefine((list, context) => {
    for (const [index, { name }] of list.entries())
      if (list.findIndex((other) => other.name === name) < index)
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: 'is the name of another parameter',
        })
  })
const description = storableText.max(DESCRIPTION_MAX).default('')

export const queryBody = z
  .strictObject({
    id: shownOnly,
    published: shownOnly,
    errors: shownOnly,
    hasErrors: shownOnly,
    createdAt: shownOnly,
    updatedAt: shownOnly,
    state: shownOnly,
    result: shownOnly,
    name: composedName.describe('No other data query has it, in any letter case.'),
    description,
    groupId,
    dataSourceId,
    text,
    parameters,
    accessibleFromDashboards: z
      .boolean()
      .default(false)
      .describe('Whether dashboards show its results, within scopes, to users who may not run data queries.'),
    materialization,
    escaping,
    warnings: shownOnly,
    assertions,
  })
  .meta({
    examples: [
      {
        name: 'Orders of a region',
        dataSourceId: 1,
        text: 'SELECT id, amount FROM orders WHERE region = ${region}',
        parameters: [{ name: 'region', type: 'string', default: 'north' }],
      },
    ],
  })

const shown = {
  dataSourceId: z.int(),
  text: z.string(),
  parameters: z.array(
    z.object({
      name: z.string().meta({ examples: ['region'] }),
      type: z.enum(PARAMETER_TYPES),
      multi: z.boolean(),
      required: z.boolean(),
      default: z.unknown().describe('The value of runs that give none; null for none.'),
      choices: z.array(z.string()),
      valuesQueryId: z.int().nullable().describe('The data query with the values of `query`.'),
    }),
  ),
  materialization: materializationView,
  escaping: z.enum(['bind', 'legacy']).describe('How the template writes values: as binds, or as SQL.'),
  assertions: assertionsView,
}

const summary = {
  id: z.int(),
  name: z.string(),
  description: z.string(),
  groupId: z.int().nullable().describe('The group; null for none.'),
  dataSourceId: z.int(),
  accessibleFromDashboards: z
    .boolean()
    .describe('Whether dashboards show its results to users who may not run data queries.'),
  published: z.int().describe('The number of the latest published version; 0 for none.'),
  state: z
    .enum(['draft', 'ready', 'refreshing', 'stale', 'failed'])
    .describe(
      '`draft`: never published; `refreshing`: the result is being computed; `failed`: its latest refresh failed; `stale`: it is not there yet, or is due; `ready`: otherwise.',
    ),
  result: resultState,
  hasErrors: z
    .boolean()
    .describe(
      'Whether the draft has faults: those that it had when it was saved, and a data source or data queries that are missing now.',
    ),
  createdAt: timestamp,
  updatedAt: timestamp,
}
export const querySummary = z.object(summary).meta({ id: 'DataQuerySummary' })

export const queryError = z.object({
  phase: z
    .enum(['reference', 'template', 'statement', 'materialization', 'plan'])
    .describe(
      '`reference`: the data source, or a data query to which the template refers, is missing or cannot be used; `template`: the template fails with the defaults of its parameters; `statement`: the SQL that it writes is not allowed; `materialization`: its result cannot be stored; `plan`: the data source cannot plan the statement with the defaults, for example because of an unknown table.',
    ),
  line: z
    .int()
    .nullable()
    .describe(
      'From 1, in the template, or in the SQL for `statement` and `plan`; null for the data source and for `materialization`.',
    ),
  column: z.int().nullable(),
  code: z.enum(['not_found', 'cycle', 'invalid', 'scope_unsupported_reference', 'query_failed']),
  message: z.string(),
})

export const queryView = z
  .object({
    ...summary,
    ...shown,
    errors: z
      .array(queryError)
      .describe(
        'The faults of the draft. Its data source plans a draft without other faults whose parameters have defaults, if it answers within 3 seconds.',
      ),
    warnings: z
      .array(z.object({ code: z.enum(['legacy_escaping']), message: z.string() }))
      .describe('Risks of the draft.'),
  })
  .meta({ id: 'DataQuery' })

export const versionPath = z.object({ id: idParam, number: idParam.describe('The number of a version.') })

export const listQuery = z.object({
  search: storableText
    .min(1)
    .max(255)
    .optional()
    .describe('Only data queries with this in their name or description, in any letter case.'),
  dataSourceId: idParam.optional().describe('Only data queries of this data source.'),
  groupId: idParam.optional().describe('Only data queries in this group.'),
  recursive: flagQuery.default(false).describe('true: also data queries in the groups below `groupId`.'),
})

export const deletionQuery = z.object({ forceDelete: flagQuery.default(false) })

export const dependentView = z
  .object({
    id: z.int(),
    name: z.string(),
    draft: z.boolean().describe('Whether its draft refers to the data query.'),
    published: z.boolean().describe('Whether its published version does.'),
  })
  .meta({ id: 'DataQueryDependent' })

export const publishBody = z
  .strictObject({
    description: description.describe('The changes since the version before.'),
    force: z.boolean().default(false).describe('Whether a draft with errors is published too.'),
  })
  .meta({ examples: [{ description: 'First version' }] })

export const versionView = z
  .object({
    number: z.int(),
    ...shown,
    description: z.string(),
    publishedBy: z.int().describe('The id of the user, who may be deleted.'),
    publishedAt: timestamp,
  })
  .meta({ id: 'DataQueryVersion' })

export type Parameter = z.output<typeof parameter>
export type ParameterValue = z.output<typeof value>
export type QueryBody = z.output<typeof queryBody>
export type QueryView = z.output<typeof queryView>
export type QuerySummary = z.output<typeof querySummary>
export type DependentView = z.output<typeof dependentView>
export type ListQuery = z.output<typeof listQuery>
export type PublishBody = z.output<typeof publishBody>
export type VersionView = z.output<typeof versionView>
/** The part of a data query that a run needs. */
export type Definition = Pick<
  QueryBody,
  'dataSourceId' | 'text' | 'parameters' | 'materialization' | 'escaping' | 'assertions'
>
