import type { JSX } from 'preact'

import { Check, SelectField, TextField } from '../../../kit/controls.tsx'
import { WordField } from '../../../kit/word-field.tsx'
import { t } from '../../../language/t.ts'
import type { Widget, WidgetOf } from '../dashboard.ts'
import { JobValueField } from '../../objects/job/job-value-field.tsx'
import { ForecastField, ObjectField, RowColumnField, RowColumnsField, ThingField } from './fields.tsx'
import { EVERY_OBJECT, FIRST_SOURCES } from './first-values.ts'
import { ObjectsFields } from './place-of-fields.tsx'

type Props<W extends Widget> = {
  readonly widget: W
  readonly onChange: (widget: Widget) => void
}

const AGGREGATES = ['first', 'last', 'sum', 'avg', 'min', 'max', 'count'] as const
const CHARTS = ['line', 'area', 'bar', 'stacked', 'scatter', 'pie', 'heatmap', 'histogram'] as const
const SORTS = ['none', 'x', 'y'] as const
const SPANS = ['', 'PT6H', 'P1D', 'P7D', 'P30D'] as const
/** The fields of one value: of a job, of rows or of a forecast. */
export function ValueFields({ widget, onChange }: Props<WidgetOf<'value'>>): JSX.Element {
  const { source } = widget
  const put = (next: WidgetOf<'value'>['source']): void => onChange({ ...widget, source: next })
  return (
    <>
      <WordField
        label={t('boards.source')}
        textOf={(word) => t(`boards.source.${word}`)}
        words={['job', 'dataQuery', 'forecast']}
        value={source.type}
        onValue={(type) => put(FIRST_SOURCES[type])}
      />
      {source.type === 'job' && (
        <>
          <ObjectField
            label={t('boards.job')}
            type="job"
            id={source.jobId}
            onId={(jobId) => put({ ...source, jobId })}
          />
          <JobValueField
            label={t('boards.key')}
            jobId={source.jobId}
            value={source.key}
            onValue={(key) => put({ ...source, key })}
          />
          <SpanField
            label={t('boards.sparkline')}
            value={widget.sparkline}
            onValue={(sparkline) => onChange({ ...widget, sparkline })}
          />
          <SpanField
            label={t('boards.compare')}
            value={widget.compare}
            onValue={(compare) => onChange({ ...widget, compare })}
          />
        </>
      )}
      {source.type === 'dataQuery' && (
        <>
          <QueryField id={source.dataQueryId} onId={(dataQueryId) => put({ ...source, dataQueryId })} />
          <RowColumnField
            label={t('boards.column')}
            value={source.column}
            onValue={(column) => put({ ...source, column })}
          />
          <WordField
            label={t('boards.aggregate')}
            textOf={(word) => t(`boards.aggregate.${word}`)}
            words={AGGREGATES}
            value={source.aggregate}
            onValue={(aggregate) => put({ ...source, aggregate })}
          />
        </>
      )}
      {source.type === 'forecast' && (
        <>
          <ThingField
            label={t('boards.forecast')}
            route="/forecasts"
            id={source.forecastId}
            onId={(forecastId) => put({ ...source, forecastId })}
          />
          <TextField
            label={t('boards.ahead')}
            value={source.ahead}
            onValue={(ahead) => put({ ...source, ahead })}
          />
        </>
      )}
      <TextField
        label={t('boards.unit')}
        value={widget.unit ?? ''}
        onValue={(unit) => onChange({ ...widget, unit: unit === '' ? null : unit })}
      />
    </>
  )
}

/** The fields of a chart of rows. */
export function ChartFields({ widget, onChange }: Props<WidgetOf<'chart'>>): JSX.Element {
  return (
    <>
      <QueryField id={widget.dataQueryId} onId={(dataQueryId) => onChange({ ...widget, dataQueryId })} />
      <WordField
        label={t('boards.chartType')}
        textOf={(word) => t(`boards.chart.${word}`)}
        words={CHARTS}
        value={widget.type}
        onValue={(type) => onChange({ ...widget, type })}
      />
      <RowColumnField label={t('boards.x')} value={widget.x} onValue={(x) => onChange({ ...widget, x })} />
      <RowColumnsField label={t('boards.y')} names={widget.y} onNames={(y) => onChange({ ...widget, y })} />
      <RowColumnField
        label={t('boards.split')}
        value={widget.split ?? ''}
        none={t('boards.noColumn')}
        hint={t('boards.splitHint')}
        onValue={(split) => onChange({ ...widget, split: split === '' ? null : split })}
      />
      <WordField
        label={t('boards.sort')}
        textOf={(word) => t(`boards.sort.${word}`)}
        words={SORTS}
        value={widget.sort}
        onValue={(sort) => onChange({ ...widget, sort })}
      />
      <ForecastField
        forecast={widget.forecast}
        onForecast={(forecast) => onChange({ ...widget, forecast })}
      />
    </>
  )
}

/** The fields of a table of rows or objects. */
export function TableFields({ widget, onChange }: Props<WidgetOf<'table'>>): JSX.Element {
  const columnOf = (name: string): WidgetOf<'table'>['columns'][number] =>
    widget.columns.find((one) => one.name === name) ?? {
      name,
      label: '',
      format: '',
      width: null,
      bar: false,
    }
  return (
    <>
      <WordField
        label={t('boards.source')}
        textOf={(word) => t(`boards.source.${word}`)}
        words={['dataQuery', 'objects']}
        value={widget.objects === null ? 'dataQuery' : 'objects'}
        onValue={(type) => onChange({ ...widget, objects: type === 'objects' ? EVERY_OBJECT : null })}
      />
      {widget.objects === null ? (
        <>
          <QueryField id={widget.dataQueryId} onId={(dataQueryId) => onChange({ ...widget, dataQueryId })} />
          <RowColumnsField
            label={t('boards.columns')}
            names={widget.columns.map(({ name }) => name)}
            onNames={(names) => onChange({ ...widget, columns: names.map(columnOf) })}
          />
          <Check
            label={t('boards.canDownload')}
            checked={widget.download}
            onChange={(download) => onChange({ ...widget, download })}
          />
        </>
      ) : (
        <ObjectsFields objects={widget.objects} onChange={(objects) => onChange({ ...widget, objects })} />
      )}
    </>
  )
}

/** A data query, which dashboards run only if it allows that. */
function QueryField({
  id,
  onId,
}: {
  readonly id: number | null
  readonly onId: (id: number | null) => void
}): JSX.Element {
  return <ThingField label={t('boards.query')} route="/dataQueries" id={id} onId={onId} />
}

function SpanField({
  label,
  value,
  onValue,
}: {
  readonly label: string
  readonly value: string | null
  readonly onValue: (value: string | null) => void
}): JSX.Element {
  const known = (SPANS as readonly string[]).includes(value ?? '')
  return (
    <SelectField
      label={label}
      value={value ?? ''}
      options={[
        ...SPANS.map((span) => ({ value: span as string, text: t(`boards.span.${span || 'none'}`) })),
        ...(known ? [] : [{ value: value ?? '', text: value ?? '' }]),
      ]}
      onValue={(span) => onValue(span === '' ? null : span)}
    />
  )
}
