import type { JSX } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { t } from '../../language/t.ts'
import { background } from '../background.ts'
import { Table } from '../data.tsx'
import type { Column } from '../data.tsx'
import { unitText } from '../numbers.ts'
import { now } from '../time.tsx'
import { axisText, fullText, sentenceOf } from './chart-text.ts'
import type { Limit, Mark, Marked } from './paint.ts'
import type { Drawing, ForecastPoint, Plot, PlotEvents } from './plot.ts'
import { closest, gapsOf } from './points.ts'
import type { Point, Span } from './points.ts'
import { useWidth } from './use-width.ts'

export type ChartProps = Span & {
  /** The name of the value, with which the sentence about the chart begins. */
  readonly title: string
  readonly points: readonly Point[]
  /** The distance in ms above which two points are not connected. */
  readonly gapMs: number
  readonly valueText: (value: number) => string
  readonly unit: string
  readonly limits?: readonly Limit[]
  readonly maintenance?: readonly Marked[]
  readonly forecast?: readonly ForecastPoint[]
  /** A line to compare the values with; `stateAt` names it. */
  readonly reference?: readonly Mark[]
  /** Values that the axis contains in any case. */
  readonly axisValues?: readonly number[]
  /** The word of the state at a time, or another text about the time. */
  readonly stateAt?: (at: number) => string
  readonly height?: number
  readonly isTable?: boolean
  readonly onTable?: () => void
  /** Shows the chart over the whole page, or in its place again. */
  readonly onFull?: () => void
  /** Takes the focus when the chart appears in a dialog. */
  readonly hasFocus?: boolean
  readonly onSpan: (span: Span) => void
  readonly onLimit?: ((index: number, value: number) => void) | undefined
}

const NONE: readonly never[] = []
const ROWS_MAX = 200
const ZOOM = 0.25

/** Values over time: their mean, the band from least to greatest, limits, maintenance and gaps. The arrow keys move the cursor. */
export function Chart(props: ChartProps): JSX.Element {
  const { points, gapMs, begin, end, height = 300, isTable = false } = props
  const [at, setAt] = useState<number | null>(null)
  const present = Math.min(end, now.value)
  const gaps = useMemo(
    () => gapsOf(points, gapMs, present).filter((gap) => gap.end > begin),
    [points, gapMs, Math.floor(present / 10_000), begin],
  )
  const drawing = {
    ...props,
    gaps,
    now: now.value,
    limits: props.limits ?? NONE,
    maintenance: props.maintenance ?? NONE,
    forecast: props.forecast ?? NONE,
    reference: props.reference ?? NONE,
    axisValues: props.axisValues ?? NONE,
    tickText: axisText,
  }
  const events: PlotEvents = { onCursor: setAt, onSpan: props.onSpan, onLimit: props.onLimit }
  const { host, plot } = usePlot(drawing, events, height)
  const index = at === null ? -1 : closest(points, at)
  const shown = points[index]
  const id = useId()
  const press = (event: KeyboardEvent): void => {
    const next = keyed(event.key, { index, shift: event.shiftKey, points })
    const change = chartKeys(props)[event.key]
    if (next === null && change === undefined) return
    event.preventDefault()
    event.stopPropagation()
    change?.()
    const target = next === null ? undefined : points[next]
    if (!target) return
    setAt(target.at)
    plot.current?.point(target.at)
  }
  return (
    <figure
      class="chart plot"
      role="group"
      tabIndex={0}
      autofocus={props.hasFocus === true}
      aria-label={sentenceOf(drawing)}
      aria-describedby={`${id}-keys`}
      onKeyDown={press}
      onBlur={() => setAt(null)}
    >
      <span class="vh" id={`${id}-keys`}>
        {t(props.onFull ? 'chart.keysFull' : 'chart.keys')}
      </span>
      <div class="plot-host" ref={host} style={{ height: `${height}px` }} aria-hidden="true" hidden={isTable}>
        <span class="plot-unit">{props.unit}</span>
        {shown && <Tip point={shown} {...props} />}
      </div>
      {isTable && <Twin {...props} />}
      <span class="vh" role="status">
        {shown && document.activeElement?.getAttribute('aria-describedby') === `${id}-keys`
          ? spoken(shown, props)
          : ''}
      </span>
    </figure>
  )
}

/** Makes the plot when its library is loaded, and draws it again when its data change. */
function usePlot(
  drawing: Drawing,
  events: PlotEvents,
  height: number,
): {
  readonly host: ReturnType<typeof useWidth<HTMLDivElement>>[0]
  readonly plot: { current: Plot | null }
} {
  const [host, width] = useWidth<HTMLDivElement>(600)
  const plot = useRef<Plot | null>(null)
  const latest = useRef({ drawing, events })
  latest.current = { drawing, events }
  useEffect(() => {
    let isGone = false
    background(
      Promise.all([import('uplot'), import('./plot.ts')]).then(([{ default: Library }, { makePlot }]) => {
        if (isGone || !host.current) return
        plot.current = makePlot(
          Library,
          host.current,
          () => latest.current.drawing,
          () => latest.current.events,
        )
        plot.current.resize(host.current.clientWidth, height)
      }),
    )
    return () => {
      isGone = true
      plot.current?.destroy()
      plot.current = null
    }
  }, [])
  useLayoutEffect(() => plot.current?.resize(width, height), [width, height])
  const { points, begin, end, limits, maintenance, gaps, forecast, reference } = drawing
  useLayoutEffect(
    () => plot.current?.draw(),
    [points, begin, end, JSON.stringify(limits), maintenance, gaps, forecast, reference],
  )
  return { host, plot }
}

/** The index to which a key moves the cursor; null for other keys. */
function keyed(
  key: string,
  {
    index,
    shift,
    points,
  }: { readonly index: number; readonly shift: boolean; readonly points: readonly Point[] },
): number | null {
  const last = points.length - 1
  const step = shift ? 10 : 1
  const from = index < 0 ? last + 1 : index
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: from - step,
    ArrowRight: from + step,
    Home: 0,
    End: last,
  }
  const target = targets[key]
  return target === undefined ? null : Math.max(0, Math.min(last, target))
}

/** The keys that change the span or the look of the chart. */
function chartKeys({
  begin,
  end,
  onSpan,
  onTable,
  onFull,
}: ChartProps): Readonly<Record<string, () => void>> {
  const by = (end - begin) * ZOOM
  const zoomIn = (): void => onSpan({ begin: begin + by, end: end - by })
  return {
    '+': zoomIn,
    '=': zoomIn,
    '-': () => onSpan({ begin: begin - by * 2, end: end + by * 2 }),
    ...(onTable ? { t: onTable } : {}),
    ...(onFull ? { f: onFull } : {}),
  }
}

function spoken({ at, avg }: Point, { valueText, unit, stateAt }: ChartProps): string {
  const state = stateAt?.(at)
  return [fullText(at), unitText(valueText(avg), unit), state].filter(Boolean).join(', ')
}

function Tip({
  point,
  begin,
  end,
  valueText,
  unit,
  stateAt,
}: ChartProps & { readonly point: Point }): JSX.Element {
  const share = (point.at - begin) / (end - begin)
  const text = (value: number): string => unitText(valueText(value), unit)
  return (
    <div
      class="tip"
      style={
        share > 0.5
          ? { insetInlineStart: '4rem', top: '1.5rem' }
          : { insetInlineEnd: '6.5rem', top: '1.5rem' }
      }
    >
      <b>{fullText(point.at)}</b>
      {stateAt && <div>{stateAt(point.at)}</div>}
      <dl>
        {point.count > 1 && (
          <>
            <dt>{t('chart.max')}</dt>
            <dd>{text(point.max)}</dd>
          </>
        )}
        <dt>{point.count > 1 ? t('chart.avg') : t('chart.value')}</dt>
        <dd>{text(point.avg)}</dd>
        {point.count > 1 && (
          <>
            <dt>{t('chart.min')}</dt>
            <dd>{text(point.min)}</dd>
            <dt>{t('chart.count')}</dt>
            <dd>{point.count}</dd>
          </>
        )}
      </dl>
    </div>
  )
}

/** The chart as a table, latest first. */
function Twin({ title: name, points, valueText, unit }: ChartProps): JSX.Element {
  const rows = points.slice(-ROWS_MAX).toReversed()
  const figures = { figures: true } as const
  const time: Column<Point> = { key: 'at', title: t('chart.time'), cell: ({ at }) => fullText(at) }
  const mean = (title: string): Column<Point> => ({
    key: 'avg',
    title: unit === '' ? title : `${title}, ${unit}`,
    cell: ({ avg }) => valueText(avg),
    ...figures,
  })
  const ofBuckets: readonly Column<Point>[] = [
    time,
    { key: 'min', title: t('chart.min'), cell: ({ min }) => valueText(min), ...figures },
    mean(t('chart.avg')),
    { key: 'max', title: t('chart.max'), cell: ({ max }) => valueText(max), ...figures },
    { key: 'count', title: t('chart.count'), cell: ({ count }) => count, ...figures, wide: true },
  ]
  const ofSamples = [time, mean(name)]
  return (
    <div class="plot-table">
      <Table
        label={name}
        rows={rows}
        keyOf={({ at }) => at}
        columns={rows.every(({ count }) => count === 1) ? ofSamples : ofBuckets}
      />
      {points.length > ROWS_MAX && (
        <p class="label">{t('chart.rows', { shown: ROWS_MAX, count: points.length })}</p>
      )}
    </div>
  )
}
