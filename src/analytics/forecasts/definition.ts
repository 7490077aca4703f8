import * as z from 'zod'
import { areDistinct } from '../../lib/same.ts'
import { shownOnly } from '../../http/openapi-answers.ts'
import { composedName, storableText, timeZone, duration } from '../../http/text-schemas.ts'
import { isTemporalDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'
import { filterSchema } from '../../data/filters/schema.ts'
import { model } from './model.ts'
import { stepMs, stepOf, stepsIn } from './steps.ts'

export const FORECASTS_MAX = 200
const HORIZON_MAX = 10_000
const GROUP_COLUMNS_MAX = 10
const REGRESSORS_MAX = 20
const BANDS_MAX = 100
const LEVELS_MAX = 4
const DESCRIPTION_MAX = 4_000
const TIMEOUT_MAX_S = 86_400
const HOLIDAYS_MAX = 1_000
const HOLIDAY_NAMES_MAX = 20

export const QUALITIES = ['good', 'fair', 'worse_than_naive', 'untested', 'failed'] as const

/** Columns of results, which no group column may have as its name. */
const RESULT_COLUMN = /^(?:ds|y|yhat|yhat_(?:lower|upper)_\d+|kind|anomaly|run_id)$/

const columnName = storableText.min(1).max(255)
const aggregate = z
  .enum(['avg', 'sum', 'min', 'max', 'last', 'count'])
  .default('avg')
  .describe('How several rows of one step become one value.')

const columns = {
  timeColumn: columnName.describe('The column of days or instants.').meta({ examples: ['Order Date'] }),
  valueColumn: columnName.describe('The column of numbers.').meta({ examples: ['Amount (CHF)'] }),
  groupColumns: z
    .array(columnName)
    .max(GROUP_COLUMNS_MAX)
    .default([])
    .describe('Each combination of the values of these columns is a series of its own.'),
  aggregate,
  regressors: z
    .array(
      z.strictObject({
        column: columnName,
        future: z
          .enum(['column', 'last', 'zero'])
          .default('column')
          .describe('Where the values ahead come from: rows ahead, the last value, or 0.'),
      }),
    )
    .max(REGRESSORS_MAX)
    .default([])
    .describe('Columns of numbers that explain the value.'),
}

const jobSource = z.strictObject({
  type: z.literal('job'),
  jobId: z.int().positive(),
  key: z
    .string()
    .regex(/^returnValue[1-9]\d{0,2}$/, 'must be the key of a number, such as returnValue1')
    .meta({ examples: ['returnValue1'] }),
  aggregate: z
    .enum(['avg', 'min', 'max', 'last', 'sum', 'count', 'p95'])
    .default('avg')
    .describe('The value of a bucket of the value history.'),
  exclude: z
    .array(z.literal('maintenance'))
    .max(1)
    .default(['maintenance'])
    .describe('Times whose values are not learned from.'),
})

const querySource = z.strictObject({
  type: z.literal('dataQuery'),
  dataQueryId: z.int().positive(),
  parameters: z
    .record(storableText.max(64), z.union([storableText.max(10_000), z.number(), z.boolean(), z.null()]))
    .default({}),
  ...columns,
})

const tableSource = z.strictObject({
  type: z.literal('dataTable'),
  dataSourceId: z.int().positive(),
  table: storableText.min(1).max(255),
  filter: filterSchema.nullable().default(null),
  ...columns,
})

export const sourceSchema = z.discriminatedUnion('type', [jobSource, querySource, tableSource])

const step = z
  .string()
  .max(64)
  .refine((text) => stepOf(text) !== null, 'must be P1M, P3M or P1Y, divide a day, or be whole days')
  .meta({ format: 'duration', examples: ['P1D'] })

export const scalar = z.union([storableText.max(1_000), z.number(), z.boolean(), z.null()])

const holidays = z
  .strictObject({
    country: z
      .string()
      .regex(/^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$/, 'must be a country, or a part of it, such as CH or CH-ZH')
      .nullable()
      .default(null)
      .describe('The country, or the part of it, whose holidays are known (ISO 3166).')
      .meta({ examples: ['CH-ZH'] }),
    days: z
      .array(z.strictObject({ date: z.iso.date(), name: storableText.min(1).max(100) }))
      .max(HOLIDAYS_MAX)
      .refine(
        (days) => new Set(days.map(({ name }) => name)).size <= HOLIDAY_NAMES_MAX,
        `must have at most ${HOLIDAY_NAMES_MAX} names`,
      )
      .default([])
      .describe('Own days, past and ahead. Days with one name are expected to have the same effect.'),
  })
  .nullable()
  .default(null)
  .describe('Days that explain the value, for steps of a day or less.')

const bands = z
  .array(
    z.strictObject({
      jobId: z.int().positive(),
      key: z.string().regex(/^returnValue[1-9]\d{0,2}$/, 'must be the key of a number, such as returnValue1'),
      group: z.record(columnName, scalar).default({}).describe('The values of all group columns.'),
    }),
  )
  .max(BANDS_MAX)
  .default([])
  .describe(
    'Values of jobs to which the predicted bounds are sent, for limits with `adaptiveValues`. The value of a source of the type `job` has them anyway.',
  )

export const definition = {
  source: sourceSchema,
  step,
  timeZone: timeZone
    .nullable()
    .default(null)
    .describe('The zone of days and seasons; null for the zone of the service.'),
  history: duration.default('P2Y').describe('How far back values are learned from.'),
  horizon: duration
    .describe('How far ahead values are predicted: whole steps, 10,000 at most.')
    .meta({ examples: ['P90D'] }),
  holidays,
  gaps: z
    .enum(['none', 'zero', 'previous', 'interpolate'])
    .default('interpolate')
    .describe('How steps without a value are filled; `none` refuses them.'),
  bounds: z
    .strictObject({ min: z.number().nullable().default(null), max: z.number().nullable().default(null) })
    .refine(({ min, max }) => min === null || max === null || min < max, {
      path: ['max'],
      message: 'must be above min',
    })
    .default({ min: null, max: null })
    .describe('Bounds that no predicted value passes.'),
  transform: z.enum(['none', 'log1p']).default('none'),
  keepOutliers: z
    .boolean()
    .default(false)
    .describe('Whether values far from all others are learned from as they are.'),
  model,
  levels: z
    .array(z.int().min(50).max(99))
    .min(1)
    .max(LEVELS_MAX)
    .default([80, 95])
    .refine(areDistinct, 'must be different')
    .describe('The shares of values, in percent, that the intervals are to hold.'),
  backtest: z
    .strictObject({
      folds: z.int().min(0).max(20).default(5).describe('The number of trials on the past.'),
      metric: z.enum(['mase', 'mae', 'smape']).default('mase').describe('The error by which `auto` chooses.'),
    })
    .default({ folds: 5, metric: 'mase' }),
  schedule: z
    .strictObject({
      enabled: z.boolean().default(true),
      cron: z.string().max(255),
      timeZone: timeZone.nullable().default(null),
    })
    .nullable()
    .default(null)
    .describe('When runs are ordered; null for on demand only.'),
  timeout: z
    .int()
    .min(0)
    .max(TIMEOUT_MAX_S)
    .default(1_800)
    .describe('The time limit of a run in seconds; 0 for none.'),
  runnerLabels: z.array(storableText.min(1).max(64)).max(32).default([]),
  table: z
    .strictObject({ dataSourceId: z.int().positive(), name: composedName })
    .nullable()
    .default(null)
    .describe(
      'The imported table that gets the results; data queries read it like all tables. Only administrators may choose one.',
    ),
  bands,
}

const whole = z.strictObject({
  id: shownOnly,
  owner: shownOnly,
  state: shownOnly,
  publishedRun: shownOnly,
  refreshedAt: shownOnly,
  nextRunAt: shownOnly,
  staleAt: shownOnly,
  figures: shownOnly,
  quality: shownOnly,
  failure: shownOnly,
  createdAt: shownOnly,
  updatedAt: shownOnly,
  name: composedName.describe('No other forecast has it, in any letter case.'),
  description: storableText.max(DESCRIPTION_MAX).default(''),
  ...definition,
})

/** Rules between fields. */
function checkWhole(body: z.output<typeof whole>, context: z.core.$RefinementCtx): void {
  const fault = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message })
  const width = stepOf(body.step)
  const steps = width && isTemporalDuration(body.horizon) ? stepsIn(body.horizon, width) : 1
  if (steps === null || steps > HORIZON_MAX) fault(['horizon'], `must be 1 to ${HORIZON_MAX} steps`)
  if (body.holidays && width && stepMs(width) > DAY_MS) fault(['holidays'], 'needs a step of a day or less')
  if (body.source.type !== 'job') checkColumns(body.source, fault)
}

function checkColumns(
  { groupColumns, timeColumn, valueColumn, regressors }: RowSource,
  fault: (path: (string | number)[], message: string) => void,
): void {
  const taken = new Set([timeColumn, valueColumn])
  for (const [at, name] of groupColumns.entries()) {
    if (RESULT_COLUMN.test(name)) fault(['source', 'groupColumns', at], 'is the name of a column of results')
    if (taken.has(name)) fault(['source', 'groupColumns', at], 'is already used')
    taken.add(name)
  }
  for (const [at, { column }] of regressors.entries()) {
    if (taken.has(column)) fault(['source', 'regressors', at, 'column'], 'is already used')
    taken.add(column)
  }
}

export const forecastBody = whole.superRefine(checkWhole).meta({
  examples: [
    {
      name: 'Free space, two days',
      source: { type: 'job', jobId: 7, key: 'returnValue1' },
      step: 'PT1H',
      horizon: 'P2D',
      schedule: { cron: '0 4 * * *' },
    },
  ],
})

export const previewBody = whole
  .extend({
    name: composedName.default('Preview'),
    group: z
      .record(columnName, scalar)
      .nullable()
      .default(null)
      .describe('The values of all group columns of the predicted series; null for the first series.'),
  })
  .superRefine(checkWhole)
  .meta({
    examples: [{ source: { type: 'job', jobId: 7, key: 'returnValue1' }, step: 'PT1H', horizon: 'P2D' }],
  })

export type PreviewBody = z.output<typeof previewBody>
export type ForecastBody = z.output<typeof forecastBody>
export type Source = z.output<typeof sourceSchema>
export type RowSource = Exclude<Source, { type: 'job' }>
export type JobSource = Extract<Source, { type: 'job' }>
export type Quality = (typeof QUALITIES)[number]
/** The fields of a forecast that are stored as JSON. */
export type Definition = Pick<ForecastBody, keyof typeof definition>

export function definitionOf(body: Definition): Definition {
  const names = Object.keys(definition) as (keyof Definition)[]
  return Object.fromEntries(names.map((name) => [name, body[name]])) as Definition
}
