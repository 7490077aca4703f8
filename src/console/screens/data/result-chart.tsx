import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import { background } from '../../kit/background.ts'
import { fullText } from '../../kit/charts/chart-text.ts'
import { useWidth } from '../../kit/charts/use-width.ts'
import { SelectField } from '../../kit/controls.tsx'
import { Empty } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { numberText } from '../../kit/numbers.ts'
import { t } from '../../language/t.ts'
import type { Cell } from './cells.ts'
import { isFigure } from './cells.ts'
import { axesInUrl, chartedOf, extentOf, SERIES_MAX } from './charted.ts'
import type { Axes, Charted } from './charted.ts'
import { Chooser } from './chooser.tsx'
import { DASHES } from './dashes.ts'
import type { GridColumn } from './grid.tsx'
import type { Look, ResultPlot } from './result-plot.ts'
import { BarLegend, Heatmap, StackedBars } from './stacked-chart.tsx'

type Props = {
  readonly label: string
  readonly columns: readonly GridColumn[]
  readonly rows: readonly (readonly Cell[])[]
}

const DIGITS = 3
const HEIGHT_PX = 320

/** Rows as a chart: lines over times or numbers, bars for texts. The grid of the same rows is its table. */
export function ResultChart({ label, columns, rows }: Props): JSX.Element {
  const [x, setX] = useQuery<string>('x', '')
  const [y, setY] = useQuery<string>('y', '')
  const axes = axesInUrl({ x, y }, columns)
  const key = JSON.stringify(axes)
  const charted = useMemo(() => axes && chartedOf({ columns, rows }, axes), [columns, rows, key])
  if (axes === null || charted === null)
    return <Empty title={t('data.chart.none')} text={t('data.chart.noneText')} />
  return (
    <div class="result-chart col spread">
      <AxisFields columns={columns} axes={axes} onX={setX} onY={(names) => setY(JSON.stringify(names))} />
      <DrawnChart key={key} label={label} charted={charted} />
      {charted.leftOut > 0 && (
        <p class="label">
          {t(charted.kind === 'text' ? 'data.chart.moreBars' : 'data.chart.withoutX', {
            count: charted.leftOut,
            column: charted.x,
          })}
        </p>
      )}
    </div>
  )
}

/** A chart by itself: bars over texts, lines over times and numbers. */
export function DrawnChart({
  label,
  charted,
  look = 'line',
  height = HEIGHT_PX,
}: {
  readonly label: string
  readonly charted: Charted
  readonly look?: Look | 'stacked' | 'heatmap'
  /** The height of lines in px; bars are as high as their texts need. */
  readonly height?: number
}): JSX.Element {
  if (look === 'stacked') return <StackedBars label={sentenceOf(label, charted)} charted={charted} />
  if (look === 'heatmap') return <Heatmap label={sentenceOf(label, charted)} charted={charted} />
  if (charted.kind === 'text') return <Bars label={label} charted={charted} />
  return <Lines label={label} charted={charted} look={look} height={height} />
}

function AxisFields({
  columns,
  axes,
  onX,
  onY,
}: {
  readonly columns: readonly GridColumn[]
  readonly axes: Axes
  readonly onX: (name: string) => void
  readonly onY: (names: readonly string[]) => void
}): JSX.Element {
  const figures = columns.filter(({ name, type }) => isFigure(type) && name !== axes.x)
  return (
    <div class="form-grid">
      <SelectField
        label={t('data.chart.x')}
        value={axes.x}
        onValue={onX}
        options={columns.map(({ name }) => ({ value: name, text: name }))}
      />
      {figures.length > 1 && (
        <Chooser
          label={t('data.chart.y')}
          choices={figures
            .filter(({ name }) => axes.y.includes(name) || axes.y.length < SERIES_MAX)
            .map(({ name }) => ({ value: name, text: name }))}
          chosen={axes.y}
          onChange={(names) => names.length > 0 && onY(names)}
        />
      )}
    </div>
  )
}

/** The chart as a sentence: its series with the least and the greatest value. */
function sentenceOf(label: string, { series }: Charted): string {
  const parts = series.map((one) => {
    const extent = extentOf(one)
    if (extent === null) return t('data.chart.noValue', { name: one.name })
    return t('data.chart.extent', {
      name: one.name,
      min: numberText(extent.min, DIGITS),
      max: numberText(extent.max, DIGITS),
    })
  })
  return `${label}: ${parts.join('; ')}`
}

const valueText = (value: number | null | undefined): string =>
  value === null || value === undefined ? t('data.null') : numberText(value, DIGITS)

function Lines({
  label,
  charted,
  look,
  height,
}: {
  readonly label: string
  readonly charted: Charted
  readonly look: Look
  readonly height: number
}): JSX.Element {
  const [index, setIndex] = useState<number | null>(null)
  const [host, width] = useWidth<HTMLDivElement>(600)
  const plot = useRef<ResultPlot | null>(null)
  useEffect(() => {
    let isGone = false
    background(
      Promise.all([import('uplot'), import('./result-plot.ts')]).then(([{ default: Library }, made]) => {
        if (!isGone && host.current)
          plot.current = made.openPlot({
            Library,
            host: host.current,
            charted,
            look,
            height,
            onCursor: setIndex,
          })
      }),
    )
    return () => {
      isGone = true
      plot.current?.close()
      plot.current = null
    }
  }, [charted, look])
  useEffect(() => plot.current?.resize(width, height), [width, height])
  const press = (event: KeyboardEvent): void => {
    const next = movedTo(event, index, charted.at.length)
    if (next === null) return
    event.preventDefault()
    event.stopPropagation()
    setIndex(next)
    plot.current?.point(next)
  }
  return (
    <figure
      class="chart plot"
      role="group"
      tabIndex={0}
      aria-label={sentenceOf(label, charted)}
      onKeyDown={press}
      onBlur={() => setIndex(null)}
    >
      <Legend charted={charted} index={index} />
      <div class="plot-host" ref={host} style={{ height: `${height}px` }} aria-hidden="true" />
    </figure>
  )
}

/** The point to which a key moves the cursor; null for other keys. */
function movedTo({ key, shiftKey }: KeyboardEvent, index: number | null, count: number): number | null {
  const step = shiftKey ? 10 : 1
  const from = index ?? count
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: from - step,
    ArrowRight: from + step,
    Home: 0,
    End: count - 1,
  }
  const target = targets[key]
  return target === undefined ? null : Math.max(0, Math.min(count - 1, target))
}

/** The names of the lines, each with its dash, and their values at the cursor. */
function Legend({
  charted,
  index,
}: {
  readonly charted: Charted
  readonly index: number | null
}): JSX.Element {
  const at = index === null ? undefined : charted.at[index]
  const place = charted.kind === 'time' ? fullText : (value: number) => numberText(value, DIGITS)
  return (
    <div role="status">
      <ul class="series row wrap">
        <li class="label">{at === undefined ? charted.x : `${charted.x} ${place(at)}`}</li>
        {charted.series.map(({ name, values }, series) => (
          <li key={series} class="row" data-series={(series % SERIES_MAX) + 1}>
            <svg viewBox="0 0 28 8" aria-hidden="true">
              <path d="M0 4H28" stroke-dasharray={(DASHES[series % SERIES_MAX] ?? []).join(' ')} />
            </svg>
            {name}
            {index !== null && <b>{valueText(values[index])}</b>}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Bars from the left to the right, below each other: each text has a bar of each series. */
function Bars({ label, charted }: { readonly label: string; readonly charted: Charted }): JSX.Element {
  const extents = charted.series.flatMap((one) => extentOf(one) ?? [])
  const low = Math.min(0, ...extents.map(({ min }) => min))
  const high = Math.max(0, ...extents.map(({ max }) => max))
  const share = (value: number): number => (value - low) / (high - low || 1)
  return (
    <figure class="chart" role="group" aria-label={sentenceOf(label, charted)}>
      {charted.series.length > 1 && <BarLegend charted={charted} />}
      <ol class="bars">
        {charted.labels.map((text, row) => (
          <li key={row}>
            <span class="cut" title={text}>
              {text === '' ? t('data.null') : text}
            </span>
            <div>
              {charted.series.map(({ name, values }, series) => {
                const value = values[row] ?? null
                const [from, to] = [share(Math.min(0, value ?? 0)), share(Math.max(0, value ?? 0))]
                return (
                  <span key={series} class="bar-row" data-series={(series % SERIES_MAX) + 1}>
                    <span class="track" aria-hidden="true">
                      <i style={{ insetInlineStart: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
                    </span>
                    <span class="num">
                      {charted.series.length > 1 && <span class="vh">{name} </span>}
                      {valueText(value)}
                    </span>
                  </span>
                )
              })}
            </div>
          </li>
        ))}
      </ol>
    </figure>
  )
}
