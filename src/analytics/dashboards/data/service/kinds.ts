import { noSuch } from '../../../../lib/errors.ts'
import { listJobs } from '../../../../automation/runs/service.ts'
import type { ResultView } from '../../../../data/queries/run-schema.ts'
import { listAlarms } from '../../../../monitoring/alarm-inbox/service.ts'
import { readSlc, readSlcHistory } from '../../../../monitoring/slcs/service.ts'
import { readStateHistory } from '../../../../monitoring/state-history/service.ts'
import { readItems } from '../../../../monitoring/tree/search/service.ts'
import { readableBy, rightsOf } from '../../../../access/rights/service.ts'
import { readShownBand } from '../../../forecasts/service/shown.ts'
import { ROWS_MAX } from '../../widgets.ts'
import type { ObjectsOf, Widget, WidgetKind, WidgetOf } from '../../widgets.ts'
import { lastOf } from '../range.ts'
import type { ShownObject, WidgetData } from '../schema.ts'
import { listBelow } from '../store.ts'
import { shownObject } from './reading.ts'
import type { Reading } from './reading.ts'
import { readValue } from './values.ts'

const OBJECTS_MAX = 200
const VALUES_MAX = 200
const STATES_RANK: readonly string[] = ['major', 'minor', 'warning', 'no_data']

type Read<Kind extends WidgetKind> = (
  reading: Reading,
  widget: WidgetOf<Kind>,
  id: string,
) => Promise<WidgetData | null>

/** The data of a widget; null for a widget without data. @throws {Refusal} */
export function dataOf(reading: Reading, id: string, widget: Widget): Promise<WidgetData | null> {
  const read = READ[widget.kind] as Read<WidgetKind> | undefined
  return read ? read(reading, widget, id) : Promise.resolve(null)
}

/** Whether widgets of a kind have data. */
export function hasData({ kind }: Widget): boolean {
  return READ[kind] !== undefined
}

const READ: { readonly [Kind in WidgetKind]?: Read<Kind> } = {
  value: readValue,
  history: async (reading, widget, id) => {
    const series = [...(await reading.series(id, widget))]
    if (series.every((one) => one === null)) throw noSuch('object')
    return { kind: 'history', series, ...(await forecastOf(reading, widget)) }
  },
  chart: async (reading, widget) => {
    const { dataQueryId, params, limit } = widget
    const rows = rowsOf(await reading.queries.run(dataQueryId, params, limit))
    return { ...rows, ...(await forecastOf(reading, widget)) }
  },
  table: async (reading, { dataQueryId, objects, params }) =>
    objects === null
      ? rowsOf(await reading.queries.run(dataQueryId, params, ROWS_MAX))
      : objectsOf(reading, objects, 1),
  states: async (reading, { objects, depth, sort }) => {
    const data = await objectsOf(reading, objects, depth)
    return sort === 'name' ? data : { ...data, objects: byState(data.objects) }
  },
  alarms: async ({ context }, { filter, statuses, limit }) => {
    const body = { filterDefinition: filter, state: statuses, limit, cursor: null }
    const { items, total } = await listAlarms(context, body, '/filter')
    return { kind: 'alarms', alarms: items, total }
  },
  slo: (reading, widget) => sloOf(reading, widget),
  map: async (reading, { points, params }) =>
    points.type === 'objects'
      ? objectsOf(reading, points.objects, 10)
      : rowsOf(await reading.queries.run(points.dataQueryId, params, ROWS_MAX)),
  image: async (reading, { hotspots }) => {
    const found = await Promise.all(hotspots.map(({ objectId }) => reading.object(objectId)))
    return { kind: 'objects', objects: found.flatMap((one) => one ?? []), truncated: false }
  },
  input: async (reading, widget) => {
    const parameter = reading.asked.definition.parameters.find(({ name }) => name === widget.parameter)
    if (parameter?.valuesQueryId == null) return null
    const { rows } = await reading.queries.run(parameter.valuesQueryId, widget.params, VALUES_MAX)
    const values = rows.flatMap(([first]) => (first === null || first === undefined ? [] : [first]))
    return { kind: 'values', values: [...new Set(values)] }
  },
  script: async ({ context }, { scriptId, runConfigurationId }) => {
    const configuration = runConfigurationId === null ? {} : { runConfigurationId }
    const { items } = await listJobs(context, scriptId ?? 0, { limit: 1, ...configuration })
    const run = items[0]
    return {
      kind: 'script',
      run: run ? { id: run.id, state: run.state, queuedAt: run.queuedAt, finishedAt: run.finishedAt } : null,
    }
  },
}

function rowsOf({ columns, rows, truncated }: ResultView): Rows {
  return { kind: 'rows', columns, rows, truncated }
}

/** The forecast of a widget; nothing for a widget without one. */
async function forecastOf(
  { context }: Reading,
  { forecast }: Pick<WidgetOf<'chart'>, 'forecast'>,
): Promise<Pick<Rows, 'forecast'>> {
  return forecast ? { forecast: await readShownBand(context, forecast) } : {}
}

type Objects = Extract<WidgetData, { kind: 'objects' }>
type Rows = Extract<WidgetData, { kind: 'rows' }>

async function objectsOf(
  reading: Reading,
  { ids, groupId, type }: ObjectsOf,
  depth: number,
): Promise<Objects> {
  const { context } = reading
  const named = await Promise.all(ids.map((id) => reading.object(id)))
  const readable = readableBy(await rightsOf(context), 'o')
  const wanted = { type, depth, limit: OBJECTS_MAX + 1, readable }
  const below = groupId === null ? [] : await listBelow(context.ports.database, { groupId, ...wanted })
  const items = await readItems(context, below.slice(0, OBJECTS_MAX))
  const all = [...named.flatMap((one) => one ?? []), ...items.map(shownObject)]
  return { kind: 'objects', objects: all, truncated: below.length > OBJECTS_MAX }
}

function byState(objects: readonly ShownObject[]): ShownObject[] {
  const rankOf = ({ state }: ShownObject) => {
    const rank = STATES_RANK.indexOf(state)
    return rank < 0 ? STATES_RANK.length : rank
  }
  return objects.toSorted((a, b) => rankOf(a) - rankOf(b))
}

async function sloOf(reading: Reading, { objectId, period }: WidgetOf<'slo'>): Promise<WidgetData> {
  const { context, asked } = reading
  const object = await reading.object(objectId)
  if (!object) throw noSuch('object')
  const range = period === null ? asked.range : lastOf(asked.range, period, context.ports.settings.timeZone)
  const [begin, end] = [range.beginAt, range.endAt].map((at) => new Date(at).toISOString())
  const { id, type } = object
  const query = { begin, end, recalc: false, states: ['major' as const] }
  const isContainer = type === 'slc'
  const [history, container] = await Promise.all([
    isContainer ? readSlcHistory(context, id, query) : readStateHistory(context, { type, id }, query),
    isContainer ? readSlc(context, id) : null,
  ])
  return {
    kind: 'slo',
    object,
    begin: history.begin,
    end: history.end,
    availability: history.availability.percent,
    downSeconds: history.availability.downSeconds,
    samples: history.samples.map((sample) => ({ begin: sample.begin, end: sample.end, state: sample.worst })),
    creditSeconds: container?.slc.values.creditTotal ?? null,
    usedSeconds: container?.slc.values.creditUsed ?? null,
  }
}
