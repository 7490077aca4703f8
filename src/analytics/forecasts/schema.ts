import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { JOB_ID } from '../../automation/runs/schema.ts'
import { RUN_STATES } from '../../domain/run-state.ts'
import { flagQuery, idPath } from '../../http/openapi-answers.ts'
import { pageLimit } from '../../http/paging.ts'
import { definition, QUALITIES, scalar } from './definition.ts'

const LIST_MAX = 1_000

const failureView = z.object({
  runId: z.string().nullable(),
  code: z.string().meta({ examples: ['forecast.too_short'] }),
  detail: z.string(),
  at: timestamp,
})

const figuresView = z
  .object({
    text: z
      .string()
      .describe('A sentence in English.')
      .meta({
        examples: [
          'off by 4.2 % on average over 5 trials of 90 days; the same day of the week before would be off by 6.1 %; 96 % of values were inside the 95 % band',
        ],
      }),
    mase: z
      .number()
      .nullable()
      .describe(
        'The mean absolute error, divided by the error of the seasonal naive forecast in the history; below 1 is good.',
      ),
    smape: z.number().nullable().describe('The symmetric mean absolute percentage error.'),
    naiveSmape: z.number().nullable(),
    skill: z
      .number()
      .nullable()
      .describe('1 less the error divided by the error of the naive forecast in the same trials.'),
    coverage: z
      .record(z.string(), z.number().nullable())
      .describe('The share of values within each interval, by its level.'),
    folds: z.int(),
  })
  .meta({ id: 'ForecastFigures' })

export const forecastView = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    ...definition,
    owner: z
      .object({ id: z.int(), name: z.string().nullable() })
      .describe('The user in whose name the source is read: the last one to change the forecast.'),
    state: z.enum(['never', 'running', 'ready', 'stale', 'failed']),
    publishedRun: z.string().nullable(),
    refreshedAt: timestamp.nullable().describe('When the results were published.'),
    nextRunAt: timestamp.nullable(),
    staleAt: timestamp.nullable().describe('From when on the results are old.'),
    figures: figuresView.nullable(),
    quality: z.record(z.string(), z.int()).describe('How many groups have which quality.'),
    failure: failureView.nullable().describe('Why the latest run has no results; null after a success.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Forecast' })

export const forecastSummary = forecastView
  .pick({
    id: true,
    name: true,
    description: true,
    state: true,
    refreshedAt: true,
    nextRunAt: true,
    staleAt: true,
    figures: true,
    quality: true,
  })
  .meta({ id: 'ForecastSummary' })

export const kindView = z
  .object({
    kind: z.string().meta({ examples: ['prophet'] }),
    params: z
      .record(z.string(), z.json())
      .nullable()
      .describe('The JSON Schema of its parameters; null for kinds of the operator.'),
    runners: z.array(z.string()).describe('The names of the runners that execute it now.'),
  })
  .meta({ id: 'ForecastKind' })

export const jobView = z
  .object({
    id: z.string(),
    forecastId: z.int(),
    trigger: z.enum(['manual', 'schedule']),
    userId: z.int().nullable(),
    state: z.enum(RUN_STATES),
    attempt: z
      .int()
      .describe('The attempt, from 1; increased if a runner was lost and the run was repeated.'),
    progress: z.object({ value: z.number().nullable(), message: z.string().nullable() }),
    isolation: z.string().nullable(),
    cancelRequested: z.boolean(),
    queuedAt: timestamp,
    startedAt: timestamp.nullable(),
    finishedAt: timestamp.nullable(),
    runner: z.string().nullable(),
    logLines: z.int(),
    published: z.boolean().describe('Whether the forecast has its results now.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'ForecastJob' })

const numberOrNull = z.number().nullable()

export const groupView = z
  .object({
    number: z.int().describe('The number of the group in the published run, from 0.'),
    group: z.record(z.string(), scalar).describe('The values of the group columns.'),
    quality: z.enum(QUALITIES),
    kind: z.string().nullable(),
    points: z.int(),
    figures: figuresView.nullable(),
    anomalies: z
      .int()
      .nullable()
      .describe('How many of the last values were outside of the interval of the last trial.'),
    notes: z
      .record(z.string(), z.json())
      .describe('Changes of the series before the fit, such as the number of filled gaps.'),
    error: z.object({ code: z.string(), detail: z.string() }).nullable(),
  })
  .meta({ id: 'ForecastGroup' })

const bounds = z
  .record(z.string(), z.object({ lower: numberOrNull, upper: numberOrNull }))
  .describe('The interval of each level.')

export const bandView = z
  .object({
    group: z.record(z.string(), scalar),
    levels: z.array(z.int()),
    past: z
      .array(
        z.object({
          at: timestamp,
          value: numberOrNull,
          mean: numberOrNull.describe('The value that the last trial predicted; null without a trial.'),
          bounds,
          anomaly: z
            .union([z.literal(-1), z.literal(0), z.literal(1)])
            .nullable()
            .describe(
              '1 above and -1 below the interval of the highest level of the last trial, 0 within it; null if unknown.',
            ),
        }),
      )
      .describe('The last values that were learned from.'),
    buckets: z.array(
      z.object({
        begin: timestamp,
        end: timestamp,
        mean: numberOrNull,
        bounds,
      }),
    ),
  })
  .meta({ id: 'ForecastBand' })

export const previewView = groupView
  .omit({ number: true })
  .extend({
    groups: z.int().describe('The number of series in the source.'),
    ...bandView.pick({ levels: true, past: true, buckets: true }).shape,
  })
  .meta({ id: 'ForecastPreview' })

export const dependentsView = z
  .object({
    jobs: z
      .array(z.object({ id: z.int(), name: z.string() }))
      .describe('Jobs with a limit that names the forecast; the first 100.'),
    widgets: z
      .array(z.object({ dashboardId: z.int(), widgetId: z.string() }))
      .describe('Widgets of dashboards that show the forecast; the first 100.'),
    table: z
      .object({ dataSourceId: z.int(), name: z.string() })
      .nullable()
      .describe('The table of results, which stays.'),
  })
  .meta({ id: 'ForecastDependents' })

export const jobPath = idPath.extend({ jobId: z.string().regex(JOB_ID) })
export const deletionQuery = z.object({ forceDelete: flagQuery.default(false) })
export const jobsQuery = z.object({
  before: z.string().regex(JOB_ID).optional().describe('Only runs that were ordered before this one.'),
  limit: pageLimit(LIST_MAX).default(50),
})
export const groupsQuery = z.object({
  quality: z.enum(QUALITIES).optional().describe('Only groups of this quality.'),
  limit: pageLimit(LIST_MAX).default(100),
})
export const bandQuery = z.object({
  group: z.coerce
    .number()
    .int()
    .min(0)
    .max(LIST_MAX)
    .default(0)
    .describe('The number of the group, of the first 100.'),
})

export type ForecastView = z.output<typeof forecastView>
export type ForecastSummary = z.output<typeof forecastSummary>
export type FiguresView = z.output<typeof figuresView>
export type GroupView = z.output<typeof groupView>
export type BandView = z.output<typeof bandView>
export type PreviewView = z.output<typeof previewView>
export type JobView = z.output<typeof jobView>
export type KindView = z.output<typeof kindView>
export type DependentsView = z.output<typeof dependentsView>
