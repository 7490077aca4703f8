import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { storableText } from '../../../http/text-schemas.ts'
import { alarmView } from '../../../monitoring/alarm-inbox/schema.ts'
import { STATES } from '../../../domain/state.ts'
import { OBJECT_TYPES, permissionsView } from '../../../monitoring/tree/schema.ts'
import { bandView } from '../../forecasts/schema.ts'
import { seriesView } from '../../../monitoring/value-history/schema.ts'
import type { SeriesView } from '../../../monitoring/value-history/schema.ts'
import { resultView } from '../../../data/queries/run-schema.ts'
import { parameterValues, timeRange, word } from '../parts.ts'

const WIDGETS_MAX = 200
const WIDTH_MAX = 10_000
const TAG_MAX = 64

const widgetIds = z.array(word).max(WIDGETS_MAX)

export const dataBody = z
  .strictObject({
    params: parameterValues
      .default({})
      .describe('Values of parameters. Null stands for none, also in place of a default.'),
    timeRange: timeRange.optional().describe('The range of histories; default: the range of the dashboard.'),
    widgets: widgetIds.optional().describe('The widgets; default: all of the page.'),
    page: word.optional().describe('The page; default: all pages and widgets without a page.'),
    etags: z
      .record(word, storableText.max(TAG_MAX))
      .default({})
      .describe(
        'The ETags of data that the client has, by widget. Unchanged data is answered with the status 304.',
      )
      .meta({ examples: [{ w1: '"5f2c9a"' }] }),
    width: z
      .record(word, z.int().min(1).max(WIDTH_MAX))
      .default({})
      .describe('The widths of widgets in pixels: a history has at most so many buckets.')
      .meta({ examples: [{ w2: 480 }] }),
  })
  .meta({ examples: [{ params: { region: 'north' }, widgets: ['w1', 'w2'], etags: { w1: '"5f2c9a"' } }] })

export const dataQuery = z.object({
  widget: z
    .union([word, widgetIds])
    .optional()
    .describe(
      'A widget; can be repeated. Default: all of the page. Parameters are given as `p.region=north`.',
    ),
  page: word.optional().describe('The page; default: all pages.'),
  from: storableText
    .max(64)
    .optional()
    .describe('The begin of the range, as in `timeRange` of the dashboard.'),
  to: storableText.max(64).optional().describe('The end of the range, as in `timeRange` of the dashboard.'),
})

const shownObject = z.object({
  id: z.int(),
  type: z.enum(OBJECT_TYPES),
  name: z.string(),
  deviceName: z.string().optional(),
  state: z.enum(STATES),
  permissions: permissionsView,
})

const columns = resultView.shape.columns
const rows = resultView.shape.rows

const forecast = bandView
  .pick({ levels: true, buckets: true })
  .nullable()
  .optional()
  .describe(
    'The predicted buckets, at most 2,000; absent without a forecast, null without results and for users who may not see all of its source.',
  )
  .meta({ examples: [null] })

/** Data of widgets by their kinds. */
const widgetData = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('value'),
    value: z.union([z.number(), z.string(), z.boolean()]).nullable().describe('Null for no value.'),
    name: z.string(),
    unit: z.string(),
    precision: z.int().nullable(),
    at: timestamp.nullable().describe('When the value was delivered; null for a data query.'),
    state: z.enum(STATES).nullable().describe('The state of the job, or of the thresholds of the widget.'),
    object: shownObject.nullable(),
    sparkline: seriesView.nullable(),
    before: z.number().nullable().describe('The value before, with `compare`.'),
  }),
  z.object({
    kind: z.literal('history'),
    series: z
      .array(seriesView.nullable())
      .describe(
        'In the order of the widget; null for a job that the caller may not read or that does not define the value.',
      ),
    forecast,
  }),
  z.object({
    kind: z.literal('rows'),
    columns,
    rows,
    truncated: z.boolean().describe('Whether there are more rows.'),
    forecast,
  }),
  z.object({ kind: z.literal('objects'), objects: z.array(shownObject), truncated: z.boolean() }),
  z.object({
    kind: z.literal('alarms'),
    alarms: z.array(alarmView).meta({ examples: [[]] }),
    total: z.int().describe('The number of alarms that match, up to 10,000.'),
  }),
  z.object({
    kind: z.literal('slo'),
    object: shownObject,
    begin: timestamp,
    end: timestamp,
    availability: z
      .number()
      .nullable()
      .describe('The availability in percent; null if nothing was measured.'),
    downSeconds: z.number(),
    samples: z.array(z.object({ begin: timestamp, end: timestamp, state: z.enum(STATES) })),
    creditSeconds: z
      .number()
      .nullable()
      .describe('The credit (error budget) of the period; null for a service level object.'),
    usedSeconds: z.number().nullable().describe('The credit that is used.'),
  }),
  z.object({
    kind: z.literal('values'),
    values: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .describe('The values that the parameter may have.'),
  }),
  z.object({
    kind: z.literal('script'),
    run: z
      .object({ id: z.string(), state: z.string(), queuedAt: timestamp, finishedAt: timestamp.nullable() })
      .nullable()
      .describe('The latest run; null for no run.'),
  }),
])

const widgetAnswer = z.object({
  status: z
    .int()
    .describe(
      '200 with data, 304 for unchanged data, otherwise the status that a request for this data alone would have.',
    ),
  etag: z
    .string()
    .optional()
    .meta({ examples: ['"5f2c9a"'] }),
  durationMs: z.int().optional().describe('How long the data took to read.'),
  data: widgetData.optional().meta({ examples: [{ kind: 'rows', columns: [], rows: [], truncated: false }] }),
  code: z
    .string()
    .optional()
    .describe('The code of the problem.')
    .meta({ examples: ['overloaded'] }),
  detail: z.string().optional(),
  retryAfter: z.int().optional().describe('Seconds after which another request may succeed.'),
})

export const dataView = z
  .object({
    at: timestamp,
    params: parameterValues
      .describe('The values that the parameters have.')
      .meta({ examples: [{ region: 'north' }] }),
    widgets: z
      .record(z.string(), widgetAnswer)
      .describe('The data of each widget that has some, by its id.')
      .meta({
        examples: [
          { w1: { status: 304, etag: '"5f2c9a"' }, w2: { status: 503, code: 'overloaded', retryAfter: 5 } },
        ],
      }),
    next: z.string().describe('The time until the next refresh.').meta({ format: 'duration' }),
  })
  .meta({ id: 'DashboardData' })

export type DataBody = z.output<typeof dataBody>
export type ShownObject = z.output<typeof shownObject>

type Parsed = z.output<typeof widgetData>
type ParsedOf<Kind extends Parsed['kind']> = Extract<Parsed, { kind: Kind }>

/** Series are shared by answers and never changed. */
export type WidgetData =
  | Exclude<Parsed, { kind: 'value' | 'history' }>
  | (Omit<ParsedOf<'value'>, 'sparkline'> & { readonly sparkline: SeriesView | null })
  | (Omit<ParsedOf<'history'>, 'series'> & { readonly series: readonly (SeriesView | null)[] })
export type WidgetAnswer = Omit<z.output<typeof widgetAnswer>, 'data'> & { readonly data?: WidgetData }
export type DataView = Omit<z.output<typeof dataView>, 'widgets'> & {
  readonly widgets: Readonly<Record<string, WidgetAnswer>>
}
