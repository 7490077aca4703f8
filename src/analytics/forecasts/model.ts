import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'

const KINDS = ['auto', 'prophet', 'linear_regression', 'xgboost', 'sarimax', 'naive'] as const

const PARAMS: Readonly<Record<string, z.ZodType>> = {
  auto: z.strictObject({}),
  naive: z.strictObject({}),
  linear_regression: z.strictObject({
    trend: z.enum(['linear', 'none']).optional(),
    seasons: z
      .array(z.enum(['day', 'week', 'year']))
      .max(3)
      .optional(),
    ridge: z.number().min(0).max(1_000).optional(),
  }),
  xgboost: z.strictObject({
    rounds: z.int().min(1).max(1_000).optional(),
    maxDepth: z.int().min(1).max(10).optional(),
    eta: z.number().positive().max(1).optional(),
    lags: z.int().min(1).max(100).optional(),
  }),
  sarimax: z.strictObject({
    form: z.enum(['fourier', 'seasonal', 'searched']).optional(),
    order: z.tuple([z.int().min(0).max(5), z.int().min(0).max(2), z.int().min(0).max(5)]).optional(),
    seasonalOrder: z
      .tuple([z.int().min(0).max(2), z.int().min(0).max(1), z.int().min(0).max(2), z.int().min(0).max(24)])
      .optional(),
  }),
  prophet: z.strictObject({
    growth: z.enum(['linear', 'flat']).optional(),
    seasonalityMode: z.enum(['additive', 'multiplicative']).optional(),
    yearly: z.union([z.literal('auto'), z.boolean()]).optional(),
    weekly: z.union([z.literal('auto'), z.boolean()]).optional(),
    daily: z.union([z.literal('auto'), z.boolean()]).optional(),
    changepointPriorScale: z.number().positive().max(10).optional(),
    changepointRange: z.number().positive().max(1).optional(),
  }),
}

/** The parameters of the kinds, as JSON Schema. */
export function paramsOfKinds() {
  return Object.entries(PARAMS).map(([kind, schema]) => ({ kind, params: z.toJSONSchema(schema) }))
}

const param = z.union([z.number(), z.boolean(), storableText.max(64)])

const KIND_TEXT = `must be one of ${KINDS.join(', ')}, or custom: and a name`

export const model = z
  .strictObject({
    kind: z
      .union([z.enum(KINDS), z.string().regex(/^custom:[a-z][a-z0-9_]{0,49}$/, KIND_TEXT)])
      .default('auto')
      .describe('The kind of model; `auto` takes the one that is best in trials.')
      .meta({ examples: ['auto'] }),
    params: z
      .record(z.string().regex(/^[a-zA-Z]{1,64}$/), z.union([param, z.array(param).max(10)]))
      .default({})
      .describe('Parameters of the kind; see GET /forecasts/kinds.'),
    search: z
      .boolean()
      .default(false)
      .describe(
        'Whether the newest trials choose among 12 settings at most. Parameters that are given stay as they are.',
      ),
  })
  .superRefine(({ kind, params, search }, context) => {
    if (search && (kind === 'naive' || kind.startsWith('custom:')))
      context.addIssue({ code: 'custom', path: ['search'], message: 'is not for this kind' })
    for (const issue of PARAMS[kind]?.safeParse(params).error?.issues ?? [])
      context.addIssue({
        code: 'custom',
        path: ['params', ...issue.path, ...unknownKey(issue)],
        message: issue.message,
      })
  })
  .default({ kind: 'auto', params: {}, search: false })

function unknownKey(issue: z.core.$ZodIssue): string[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
}
