import type { Cell } from '../../../../domain/table.ts'
import { durationMs } from '../../../../lib/duration.ts'
import { Refusal, noSuch } from '../../../../lib/errors.ts'
import { readShownBand } from '../../../forecasts/service/shown.ts'
import { ROWS_MAX } from '../../widgets.ts'
import type { WidgetOf } from '../../widgets.ts'
import { aggregateOf, stateOf } from '../aggregate.ts'
import type { WidgetData } from '../schema.ts'
import type { Reading } from './reading.ts'

type Widget = WidgetOf<'value'>
type OfJob = Extract<Widget['source'], { type: 'job' }>
type OfForecast = Extract<Widget['source'], { type: 'forecast' }>
type OfQuery = Extract<Widget['source'], { type: 'dataQuery' }>
type ValueData = Extract<WidgetData, { kind: 'value' }>

/** The data of a widget that shows one value. @throws {Refusal} not_found, invalid, and as `QueryReads.run` */
export function readValue(reading: Reading, widget: Widget, id: string): Promise<WidgetData> {
  const { source } = widget
  switch (source.type) {
    case 'job':
      return valueOfJob(reading, { ...widget, source }, id)
    case 'dataQuery':
      return valueOfQuery(reading, { ...widget, source })
    case 'forecast':
      return valueOfForecast(reading, { ...widget, source })
  }
}

async function valueOfJob(
  reading: Reading,
  widget: Widget & { readonly source: OfJob },
  id: string,
): Promise<WidgetData> {
  const { source } = widget
  const object = await reading.object(source.jobId)
  const current = await reading.current(source.jobId ?? 0)
  if (!object || !current) throw noSuch('object')
  const found = current.values.find(({ key }) => key === source.key)
  const own = found
    ? { value: found.value, name: found.name, at: found.timestamp }
    : { value: null, name: '', at: null }
  return {
    kind: 'value',
    ...own,
    unit: widget.unit ?? found?.unit ?? '',
    precision: widget.precision ?? found?.precision ?? null,
    state: object.state,
    object,
    ...(await pastOf(reading, widget, id)),
  }
}

/** The series of a value are its sparkline and the hour of the earlier value, as far as the widget has them. */
async function pastOf(
  reading: Reading,
  widget: Widget,
  id: string,
): Promise<Pick<ValueData, 'sparkline' | 'before'>> {
  const series = [...(await reading.series(id, widget))]
  const sparkline = widget.sparkline === null ? null : (series.shift() ?? null)
  const before = widget.compare === null ? null : (series.shift()?.aggregate?.last ?? null)
  return { sparkline, before }
}

async function valueOfQuery(
  reading: Reading,
  { source, params, unit, precision, thresholds }: Widget & { readonly source: OfQuery },
): Promise<WidgetData> {
  const { columns, rows } = await reading.queries.run(source.dataQueryId, params, ROWS_MAX)
  const at = columns.findIndex(({ name }) => name === source.column)
  if (at < 0)
    throw new Refusal('invalid', `The data query has no column ${source.column}.`, [
      { pointer: '/source/column', message: 'must be a column of the data query' },
    ])
  const value = aggregateOf(
    rows.map((row): Cell => row[at] ?? null),
    source.aggregate,
  )
  return {
    kind: 'value',
    value,
    name: source.column,
    unit: unit ?? '',
    precision,
    at: null,
    state: stateOf(value, thresholds),
    object: null,
    sparkline: null,
    before: null,
  }
}

/** The predicted mean of the bucket at an instant after now; null without one, and where the caller may not see the forecast. */
async function valueOfForecast(
  { context }: Reading,
  { source, unit, precision, thresholds }: Widget & { readonly source: OfForecast },
): Promise<WidgetData> {
  const at = context.ports.clock.now() + durationMs(source.ahead)
  const buckets = (await readShownBand(context, source))?.buckets ?? []
  const bucket = buckets.find(({ begin, end }) => Date.parse(begin) <= at && at < Date.parse(end))
  const value = bucket?.mean ?? null
  return {
    kind: 'value',
    value,
    name: '',
    unit: unit ?? '',
    precision,
    at: bucket?.begin ?? null,
    state: stateOf(value, thresholds),
    object: null,
    sparkline: null,
    before: null,
  }
}
