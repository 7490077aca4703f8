import * as z from 'zod'
import { storableText, duration } from '../../http/text-schemas.ts'
import { refreshPace } from '../../content/settings/schema.ts'
import { LEVELS } from '../../monitoring/states/state.ts'
import { alarmFilterDefinition } from '../../monitoring/alarm-inbox/schema.ts'
import { STATUSES } from '../../monitoring/alarms/alarm.ts'
import { ROLLUP_MODES } from '../../timeseries/bucket-sums.ts'
import { fileName, hideWhen, id, link, parameterValues, reference, text, title, word } from './parts.ts'
import { column, forecast, key, source } from './sources.ts'

const SERIES_MAX = 20
const OBJECTS_MAX = 200
const COLUMNS_MAX = 50
const MARKDOWN_MAX = 100_000
const HOTSPOTS_MAX = 200
const ALARMS_MAX = 200
export const ROWS_MAX = 5_000
const PAGE_MAX = 500
const FILES_MAX = 20
const THRESHOLDS_MAX = 10
const DEPTH_MAX = 10

const common = {
  title,
  description: text,
  link: link.nullable().default(null),
  params: parameterValues
    .default({})
    .describe(
      'Values of parameters for this widget. `${region}` as a whole text is the value of a parameter.',
    ),
  refresh: refreshPace.nullable().default(null),
  hideWhen: hideWhen.nullable().default(null),
}

const color = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1f77b4')
const unit = storableText.max(32).nullable().default(null)
const precision = z.int().min(0).max(10).nullable().default(null)

const value = z.strictObject({
  kind: z.literal('value'),
  ...common,
  source,
  unit,
  precision,
  thresholds: z
    .array(z.strictObject({ from: z.number(), state: z.enum(LEVELS) }))
    .max(THRESHOLDS_MAX)
    .default([])
    .describe('The states of values of data queries; of jobs their own state counts.'),
  sparkline: duration.nullable().default(null).describe('The length of the history beside the value.'),
  compare: duration
    .nullable()
    .default(null)
    .describe('How long before the value that it is compared with is.'),
})

const history = z.strictObject({
  kind: z.literal('history'),
  ...common,
  series: z
    .array(
      z.strictObject({
        jobId: reference,
        key: key.default('returnValue1'),
        mode: z.enum(ROLLUP_MODES).default('avg'),
        color: color.nullable().default(null),
        axis: z.enum(['left', 'right']).default('left'),
      }),
    )
    .min(1)
    .max(SERIES_MAX),
  scale: duration
    .nullable()
    .default(null)
    .describe('The length of a bucket; null for one that fits the width.'),
  band: z.boolean().default(false).describe('Whether the smallest and largest values are drawn.'),
  forecast,
  limits: z.boolean().default(false),
  maintenance: z.boolean().default(false),
  outages: z.boolean().default(false),
})

const chart = z.strictObject({
  kind: z.literal('chart'),
  ...common,
  dataQueryId: reference,
  type: z.enum(['line', 'area', 'bar', 'stacked', 'scatter', 'pie', 'heatmap', 'histogram']),
  x: column,
  y: z.array(column).min(1).max(SERIES_MAX),
  split: column.nullable().default(null).describe('The column whose values become series.'),
  sort: z.enum(['none', 'x', 'y']).default('none'),
  limit: z.int().min(1).max(ROWS_MAX).default(1_000),
  forecast,
})

const objectsOf = z
  .strictObject({
    ids: z.array(id).max(OBJECTS_MAX).default([]),
    groupId: id.nullable().default(null).describe('The group of which the objects below are shown.'),
    type: z.enum(['group', 'device', 'job', 'slo', 'slc']).nullable().default(null),
  })
  .describe(
    'The objects of these ids, and those below the group; those that the viewer may not read are left out.',
  )

const tableColumn = z.strictObject({
  name: column,
  label: title,
  format: storableText.max(64).default(''),
  width: z.int().min(20).max(2_000).nullable().default(null),
  bar: z.boolean().default(false),
})

const table = z.strictObject({
  kind: z.literal('table'),
  ...common,
  dataQueryId: reference.default(null),
  objects: objectsOf.nullable().default(null),
  columns: z.array(tableColumn).max(COLUMNS_MAX).default([]).describe('The columns; none for all.'),
  pageSize: z.int().min(1).max(PAGE_MAX).default(50),
  edit: z.boolean().default(false).describe('Whether users with the role Data_Editor change rows here.'),
  download: z.boolean().default(false),
})

const states = z.strictObject({
  kind: z.literal('states'),
  ...common,
  objects: objectsOf,
  depth: z.int().min(1).max(DEPTH_MAX).default(1),
  sort: z.enum(['state', 'name']).default('state'),
  show: z.enum(['tiles', 'list', 'tree']).default('tiles'),
})

const alarms = z.strictObject({
  kind: z.literal('alarms'),
  ...common,
  filter: alarmFilterDefinition.nullable().default(null),
  statuses: z.array(z.enum(STATUSES)).min(1).max(STATUSES.length).default(['open', 'assigned']),
  limit: z.int().min(1).max(ALARMS_MAX).default(50),
  acknowledge: z.boolean().default(false),
})

const slo = z.strictObject({
  kind: z.literal('slo'),
  ...common,
  objectId: reference.describe('A service level object or a service level container.'),
  period: duration
    .nullable()
    .default(null)
    .describe('The length of the history; null for the range of the dashboard.'),
  show: z
    .array(z.enum(['availability', 'budget', 'timeline', 'cost']))
    .min(1)
    .max(4)
    .default(['availability']),
})

const points = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('dataQuery'),
    dataQueryId: reference,
    lat: column,
    lon: column,
    state: column.nullable().default(null),
    label: column.nullable().default(null),
  }),
  z.strictObject({ type: z.literal('objects'), objects: objectsOf }),
])

const map = z.strictObject({
  kind: z.literal('map'),
  ...common,
  points,
  cluster: z
    .strictObject({ radius: z.int().min(0).max(200), minPoints: z.int().min(2).max(100) })
    .nullable()
    .default(null),
  tiles: storableText.max(64).nullable().default(null).describe('The name of a source of map tiles.'),
})

const hotspot = z.strictObject({
  x: z.number().min(0).max(1),
  y: z.number().min(0).max(1),
  objectId: reference,
})

const image = z.strictObject({
  kind: z.literal('image'),
  ...common,
  file: fileName,
  alt: storableText.min(1).max(1_000),
  fit: z.enum(['contain', 'cover', 'none']).default('contain'),
  hotspots: z
    .array(hotspot)
    .max(HOTSPOTS_MAX)
    .default([])
    .describe('Objects on the image; 0 to 1 from its top left.'),
})

const CONTROLS = ['select', 'multi', 'text', 'date', 'range', 'slider', 'switch', 'search'] as const

const input = z.strictObject({
  kind: z.literal('input'),
  ...common,
  parameter: word,
  control: z.enum(CONTROLS),
})

const script = z.strictObject({
  kind: z.literal('script'),
  ...common,
  scriptId: reference,
  runConfigurationId: id.nullable().default(null).describe('Null for the default configuration.'),
  label: title,
  confirm: text.describe('The question before a run; empty for none.'),
  upload: z
    .strictObject({
      accept: z.array(storableText.min(1).max(255)).min(1).max(50),
      maxFiles: z.int().min(1).max(FILES_MAX).default(1),
    })
    .nullable()
    .default(null)
    .describe('The media types of files that come with a run; null for none.'),
  parameters: parameterValues
    .default({})
    .describe('The parameters of a run. `${day}` is the value of a parameter.'),
  showLog: z.boolean().default(false),
  afterRun: z.array(word).max(SERIES_MAX).default([]).describe('The widgets that are refreshed after a run.'),
})

/** A widget of a newer release. It is kept as it came. */
const unknown = z.strictObject({
  kind: z.literal('unknown'),
  title,
  original: z.record(storableText.max(200), z.unknown()),
})

export const widget = z.discriminatedUnion('kind', [
  value,
  history,
  chart,
  table,
  states,
  alarms,
  slo,
  map,
  z.strictObject({
    kind: z.literal('text'),
    ...common,
    markdown: storableText.max(MARKDOWN_MAX).describe('Markdown. HTML in it is shown as text.'),
  }),
  image,
  input,
  script,
  z.strictObject({
    kind: z.literal('dashboard'),
    ...common,
    dashboardId: reference,
    page: word.nullable().default(null).describe('The page that is embedded; null for the first.'),
  }),
  z.strictObject({
    kind: z.literal('clock'),
    ...common,
    timeZone: storableText.max(64).nullable().default(null),
  }),
  z.strictObject({ kind: z.literal('line'), ...common }),
  unknown,
])

export type Widget = z.output<typeof widget>
export type WidgetKind = Widget['kind']
export type WidgetOf<Kind extends WidgetKind> = Extract<Widget, { kind: Kind }>
/** The objects that a widget shows. */
export type ObjectsOf = z.output<typeof objectsOf>

/** The kinds that this release knows. */
export const KINDS: ReadonlySet<string> = new Set(
  widget.options.map(({ shape }) => shape.kind.value).filter((kind) => kind !== 'unknown'),
)
