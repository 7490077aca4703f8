import { spanText } from '../../kit/time.tsx'
import { t, textOf } from '../../language/t.ts'
import type { Nested, Parameter, TimeRange } from './dashboard.ts'
import { textOfDefaults } from './defaults.ts'

/** The objects, data queries, scripts and dashboards of widgets, by id. */
export type Known = Pick<Nested, 'objects' | 'dataQueries' | 'scripts' | 'dashboards'>
type Field = {
  /** The key of the label in the words. */
  readonly label: string
  /** Gives a value in words. Without this function the text of a value is its JSON. */
  readonly text?: (value: never, known: Known) => string
}

const words =
  (prefix: string) =>
  (value: string): string =>
    textOf(`${prefix}.${value}`) ?? value
const allWords =
  (prefix: string) =>
  (values: readonly string[]): string =>
    values.map(words(prefix)).join(', ')
const named =
  (of: Exclude<keyof Known, 'objects'>) =>
  (id: number, known: Known): string =>
    known[of][String(id)]?.name ?? `#${id}`
const object = (id: number, { objects }: Known): string => {
  const found = objects[String(id)]
  if (!found) return `#${id}`
  return found.deviceName === '' ? found.name : `${found.deviceName} / ${found.name}`
}
const range = ({ from, to }: TimeRange): string =>
  to === 'now' && from.startsWith('-') ? spanText(from) : `${from} – ${to}`
const choices = (values: Parameter['values']): string =>
  values.map(({ value, label }) => (label === '' ? String(value) : `${value} (${label})`)).join(', ')

const QUERY: Field = { label: 'boards.query', text: named('dataQueries') }
const FORECAST: Field = { label: 'boards.forecast' }
const BELOW: Field = { label: 'boards.below', text: object }
const OBJECT_TYPE: Field = { label: 'boards.objectType', text: words('boards.objectType') }

/** The fields that have a label in a dialog, by their places. The place of a field of one kind of widget begins with the kind. */
const FIELDS: Readonly<Record<string, Field>> = {
  timeRange: { label: 'boards.range', text: range },
  refresh: { label: 'boards.refresh', text: spanText },
  title: { label: 'boards.widgetTitle' },
  kind: { label: 'boards.type', text: words('boards.kind') },
  params: { label: 'boards.params', text: textOfDefaults },
  dataQueryId: QUERY,
  'forecast.forecastId': FORECAST,
  'objects.groupId': BELOW,
  'objects.type': OBJECT_TYPE,
  timeZone: { label: 'boards.timeZone' },
  'value.source.type': { label: 'boards.source', text: words('boards.source') },
  'value.source.jobId': { label: 'boards.job', text: object },
  'value.source.key': { label: 'boards.key' },
  'value.source.dataQueryId': QUERY,
  'value.source.column': { label: 'boards.column' },
  'value.source.aggregate': { label: 'boards.aggregate', text: words('boards.aggregate') },
  'value.source.forecastId': FORECAST,
  'value.source.ahead': { label: 'boards.ahead', text: spanText },
  'value.unit': { label: 'boards.unit' },
  'value.sparkline': { label: 'boards.sparkline', text: spanText },
  'value.compare': { label: 'boards.compare', text: spanText },
  'history.series.jobId': { label: 'boards.job', text: object },
  'history.series.key': { label: 'boards.key' },
  'history.series.mode': { label: 'boards.aggregate', text: words('boards.seriesMode') },
  'chart.type': { label: 'boards.chartType', text: words('boards.chart') },
  'chart.x': { label: 'boards.x' },
  'chart.y': { label: 'boards.y' },
  'chart.split': { label: 'boards.split' },
  'chart.sort': { label: 'boards.sort', text: words('boards.sort') },
  'table.columns': { label: 'boards.column' },
  'table.columns.name': { label: 'data.name' },
  'table.columns.label': { label: 'boards.label' },
  'table.download': { label: 'boards.canDownload' },
  'states.depth': { label: 'boards.depth' },
  'states.show': { label: 'boards.shown', text: words('boards.shown') },
  'alarms.acknowledge': { label: 'boards.canAcknowledge' },
  'slo.objectId': { label: 'boards.level', text: object },
  'slo.show': { label: 'boards.shown', text: allWords('boards.level') },
  'map.points.type': { label: 'boards.source', text: words('boards.source') },
  'map.points.dataQueryId': QUERY,
  'map.points.lat': { label: 'boards.point.lat' },
  'map.points.lon': { label: 'boards.point.lon' },
  'map.points.state': { label: 'boards.point.state' },
  'map.points.label': { label: 'boards.point.label' },
  'map.points.objects.groupId': BELOW,
  'map.points.objects.type': OBJECT_TYPE,
  'text.markdown': { label: 'boards.markdown' },
  'image.file': { label: 'boards.file' },
  'image.alt': { label: 'boards.alt' },
  'image.fit': { label: 'boards.fit', text: words('boards.fit') },
  'input.parameter': { label: 'boards.parameter' },
  'input.control': { label: 'boards.control', text: words('boards.control') },
  'script.scriptId': { label: 'boards.kind.script', text: named('scripts') },
  'script.label': { label: 'boards.buttonText' },
  'script.confirm': { label: 'boards.confirm' },
  'script.parameters': { label: 'boards.params', text: textOfDefaults },
  'dashboard.dashboardId': { label: 'boards.kind.dashboard', text: named('dashboards') },
  'parameter.name': { label: 'data.name' },
  'parameter.label': { label: 'boards.label' },
  'parameter.type': { label: 'boards.type', text: words('boards.type') },
  'parameter.values': { label: 'boards.choices', text: choices },
  'parameter.default': { label: 'boards.initial' },
  'parameter.multi': { label: 'boards.multi' },
  'parameter.hidden': { label: 'boards.hidden' },
}

export type Path = readonly (string | number)[]
type Place = { readonly kind: string; readonly path: Path }

/** Whether a place is one field, even if its JSON has parts. */
export const isField = (place: Place): boolean => fieldOf(place)?.text !== undefined

/** The label of a field; without one, its name in the JSON. */
export function labelOf({ kind, path }: Place): string {
  const at = path.findIndex((part) => typeof part === 'number')
  if (at < 0) return ownLabel({ kind, path }, path)
  const [list, inside] = [path.slice(0, at), path.slice(at + 1)]
  const number = Number(path[at]) + 1
  const one =
    list[0] === 'series'
      ? t('boards.series', { number })
      : `${ownLabel({ kind, path: list }, list)} ${number}`
  return inside.length === 0 ? one : `${one}, ${ownLabel({ kind, path }, inside)}`
}

/** The value of a field in words. */
export function textOfField(place: Place, value: unknown, known: Known): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return t(value ? 'data.yes' : 'data.no')
  const text = fieldOf(place)?.text
  if (text) return text(value as never, known)
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value)
}

function ownLabel(place: Place, inJson: Path): string {
  const field = fieldOf(place)
  return field ? t(field.label) : patternOf(inJson)
}

const fieldOf = ({ kind, path }: Place): Field | undefined =>
  FIELDS[`${kind}.${patternOf(path)}`] ?? FIELDS[patternOf(path)]

const patternOf = (path: Path): string => path.filter((part) => typeof part === 'string').join('.')
