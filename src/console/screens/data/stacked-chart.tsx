import type { JSX } from 'preact'

import { numberText } from '../../kit/numbers.ts'
import { t } from '../../language/t.ts'
import { SERIES_MAX } from './charted.ts'
import type { Charted } from './charted.ts'
import { heatOf, rangeOf, stackedOf } from './stacked.ts'

const DIGITS = 3
/** With more columns than these the cells of a heatmap are too narrow for their values. */
const WRITTEN_MAX = 12

type Props = { readonly label: string; readonly charted: Charted }

const nameOf = (text: string): string => (text === '' ? t('data.null') : text)

/** The names of the series, each beside the colour of its bars. */
export function BarLegend({ charted }: { readonly charted: Charted }): JSX.Element {
  return (
    <ul class="series row wrap">
      {charted.series.map(({ name }, series) => (
        <li key={series} class="row" data-series={(series % SERIES_MAX) + 1}>
          <i aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  )
}

/** One bar for each text, of the values of its series one after the other, with their sum. */
export function StackedBars({ label, charted }: Props): JSX.Element {
  const rows = stackedOf(charted)
  return (
    <figure class="chart" role="group" aria-label={label}>
      <BarLegend charted={charted} />
      <ol class="bars stacked">
        {rows.map(({ segments, sum }, row) => (
          <li key={row}>
            <span class="cut" title={charted.labels[row]}>
              {nameOf(charted.labels[row] ?? '')}
            </span>
            <span class="bar-row">
              <span class="track" aria-hidden="true">
                {segments.map(({ series, value, from, to }) => (
                  <i
                    key={series}
                    data-series={(series % SERIES_MAX) + 1}
                    title={`${charted.series[series]?.name ?? ''}: ${numberText(value, DIGITS)}`}
                    style={{ insetInlineStart: `${from * 100}%`, width: `${(to - from) * 100}%` }}
                  />
                ))}
              </span>
              <span class="num">
                <span class="vh">
                  {segments
                    .map(
                      ({ series, value }) =>
                        `${charted.series[series]?.name ?? ''} ${numberText(value, DIGITS)}, `,
                    )
                    .join('')}
                  {t('data.chart.sum')}{' '}
                </span>
                {sum === null ? t('data.null') : numberText(sum, DIGITS)}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </figure>
  )
}

/** A cell for each text and series, which is the darker the greater its value is. */
export function Heatmap({ label, charted }: Props): JSX.Element {
  const range = rangeOf(charted)
  const { labels, series } = charted
  const isWritten = labels.length <= WRITTEN_MAX
  return (
    <figure class="chart">
      <div class="scroll-x" tabIndex={0} role="group" aria-label={label}>
        <table class={isWritten ? 'heat written' : 'heat'}>
          <thead>
            <tr>
              <th scope="col">{charted.x}</th>
              {labels.map((text, at) => (
                <th key={at} scope="col">
                  {nameOf(text)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {series.map(({ name, values }, at) => (
              <tr key={at}>
                <th scope="row">{name}</th>
                {labels.map((text, column) => {
                  const value = values[column] ?? null
                  if (value === null || range === null)
                    return (
                      <td key={column} class="none">
                        <span class="vh">{t('data.null')}</span>
                      </td>
                    )
                  const written = numberText(value, DIGITS)
                  return (
                    <td
                      key={column}
                      title={`${name}, ${nameOf(text)}: ${written}`}
                      style={{ '--heat': `${Math.round(heatOf(value, range) * 100)}%` }}
                    >
                      <span class={isWritten ? '' : 'vh'}>{written}</span>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {range && (
        <p class="label heat-scale">
          {numberText(range.min, DIGITS)}
          <span aria-hidden="true" />
          {numberText(range.max, DIGITS)}
        </p>
      )}
    </figure>
  )
}
