import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'

import { Chart } from '../../../kit/charts/chart.tsx'
import { fullText } from '../../../kit/charts/chart-text.ts'
import { gapLimit } from '../../../kit/charts/points.ts'
import type { Span } from '../../../kit/charts/points.ts'
import { Table } from '../../../kit/data.tsx'
import { Note } from '../../../kit/feedback.tsx'
import { numberText } from '../../../kit/numbers.ts'
import { t } from '../../../language/t.ts'
import type { Charted } from '../../data/charted.ts'
import { DrawnChart } from '../../data/result-chart.tsx'
import { forecastPoints, widest } from '../../forecasts/forecast.ts'
import { ahead } from '../../objects/job/job-forecast.ts'
import { pointsOf } from '../../objects/job/series.ts'
import { chartedOfHistory, chartedOfWidget, lookOf, missingColumns, withForecast } from '../charted-widget.ts'
import type { DataOf, WidgetOf } from '../dashboard.ts'

const DIGITS = 3
const ROWS_MAX = 500

type Common = {
  readonly title: string
  readonly isTable: boolean
  readonly height: number
}

/** Histories of jobs: one with its band, several as lines over the same times. */
export function HistoryChart({
  data: { series, forecast },
  title,
  isTable,
  height,
  nameOf,
  onSpan,
}: Common & {
  readonly data: DataOf<'history'>
  /** The name of a job. */
  readonly nameOf: (jobId: number) => string | undefined
  readonly onSpan: (span: Span) => void
}): JSX.Element {
  const [only] = series
  const isOne = series.length === 1 && only !== null
  const charted = useMemo(
    () => (isOne ? null : withForecast(chartedOfHistory(series, nameOf), forecast, t('boards.forecast'))),
    [series, forecast],
  )
  const hidden = series.filter((one) => one === null).length
  return (
    <>
      {isOne && only ? (
        <OneHistory
          series={only}
          predicted={forecast ?? null}
          title={title}
          isTable={isTable}
          height={height}
          onSpan={onSpan}
        />
      ) : (
        charted && <Drawn title={title} charted={charted} isTable={isTable} height={height} />
      )}
      {hidden > 0 && <p class="label">{t('boards.hiddenSeries', { count: hidden })}</p>}
    </>
  )
}

function OneHistory({
  series,
  predicted,
  title,
  isTable,
  height,
  onSpan,
}: Common & {
  readonly series: NonNullable<DataOf<'history'>['series'][number]>
  readonly predicted: NonNullable<DataOf<'history'>['forecast']> | null
  readonly onSpan: (span: Span) => void
}): JSX.Element {
  const { begin, end, precision, unit } = series
  const points = useMemo(() => pointsOf([series], 0), [series])
  const gapMs = useMemo(() => gapLimit(points, 0, null), [points])
  const { forecast, span } = useMemo(() => {
    const all = predicted ? forecastPoints(predicted, widest(predicted.levels)) : []
    return ahead(all, points, { begin: Date.parse(begin), end: Date.parse(end) })
  }, [predicted, points, begin, end])
  return (
    <Chart
      title={title}
      points={points}
      forecast={forecast}
      axisValues={forecast.flatMap(({ low, high }) => [low, high])}
      begin={span.begin}
      end={span.end}
      gapMs={gapMs}
      unit={unit}
      valueText={(value) => numberText(value, precision ?? DIGITS)}
      height={height}
      isTable={isTable}
      onSpan={onSpan}
    />
  )
}

/** The rows of a data query as a chart. */
export function RowsChart({
  widget,
  data,
  title,
  isTable,
  height,
}: Common & { readonly widget: WidgetOf<'chart'>; readonly data: DataOf<'rows'> }): JSX.Element {
  const missing = missingColumns(data, widget)
  const key = JSON.stringify(widget)
  const charted = useMemo(
    () =>
      missing.length > 0
        ? null
        : withForecast(chartedOfWidget(data, widget), data.forecast, t('boards.forecast')),
    [data, key, missing.length],
  )
  if (charted === null)
    return <Note kind="warning">{t('boards.missingColumns', { columns: missing.join(', ') })}</Note>
  return (
    <>
      <Drawn title={title} charted={charted} isTable={isTable} height={height} look={widget.type} />
      {data.truncated && <p class="label">{t('boards.truncated', { count: data.rows.length })}</p>}
    </>
  )
}

function Drawn({
  title,
  charted,
  isTable,
  height,
  look = 'line',
}: Common & { readonly charted: Charted; readonly look?: WidgetOf<'chart'>['type'] }): JSX.Element {
  if (charted.at.length === 0) return <p class="quiet pad">{t('boards.noRows')}</p>
  if (isTable) return <Twin title={title} charted={charted} />
  return (
    <DrawnChart label={title} charted={charted} look={lookOf(look)} height={Math.max(120, height - 36)} />
  )
}

/** A chart as a table. */
function Twin({ title, charted }: { readonly title: string; readonly charted: Charted }): JSX.Element {
  const rows = charted.at.slice(0, ROWS_MAX).map((at, place) => ({ at, place }))
  const axis = (at: number, place: number): string => {
    if (charted.kind === 'text') return charted.labels[place] ?? ''
    return charted.kind === 'time' ? fullText(at) : numberText(at, DIGITS)
  }
  return (
    <Table
      label={title}
      rows={rows}
      keyOf={({ place }) => place}
      columns={[
        {
          key: 'x',
          title: charted.x === '' ? t('chart.time') : charted.x,
          cell: ({ at, place }) => axis(at, place),
        },
        ...charted.series.map(({ name, values }, series) => ({
          key: String(series),
          title: name,
          figures: true,
          cell: ({ place }: { readonly place: number }) => {
            const value = values[place] ?? null
            return value === null ? '' : numberText(value, DIGITS)
          },
        })),
      ]}
    />
  )
}
