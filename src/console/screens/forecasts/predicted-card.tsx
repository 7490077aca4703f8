import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { Chart } from '../../kit/charts/chart.tsx'
import { gapLimit } from '../../kit/charts/points.ts'
import type { Span } from '../../kit/charts/points.ts'
import { IconButton, Segments } from '../../kit/controls.tsx'
import { Card, KeyValues, Table } from '../../kit/data.tsx'
import { numberText, percentText } from '../../kit/numbers.ts'
import { dateTimeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { figuresSentence, forecastPoints, pastPoints, widest } from './forecast.ts'
import type { Figures, Predicted } from './forecast.ts'

const DIGITS = 2
const ROWS_MAX = 400

/** The predicted values behind the past ones, with the interval of a level; as a table if that is wished. */
export function PredictedCard({
  title,
  predicted,
}: {
  readonly title: string
  readonly predicted: Predicted
}): JSX.Element {
  const [level, setLevel] = useState(widest(predicted.levels))
  const [isTable, setTable] = useState(false)
  const [span, setSpan] = useState<Span | null>(null)
  const points = useMemo(() => pastPoints(predicted), [predicted])
  const forecast = useMemo(() => forecastPoints(predicted, level), [predicted, level])
  const all: Span = { begin: points[0]?.at ?? forecast[0]?.at ?? 0, end: forecast.at(-1)?.at ?? 1 }
  const { begin, end } = span ?? all
  return (
    <Card
      title={title}
      actions={
        <>
          {predicted.levels.length > 1 && (
            <Segments
              small
              label={t('forecasts.level')}
              value={String(level)}
              options={predicted.levels.map((one) => ({ value: String(one), text: percentText(one / 100) }))}
              onChange={(text) => setLevel(Number(text))}
            />
          )}
          <IconButton
            small
            icon={isTable ? 'chart' : 'table'}
            label={t(isTable ? 'forecasts.asChart' : 'forecasts.asTable')}
            onClick={() => setTable(!isTable)}
          />
        </>
      }
    >
      <div class="pad">
        {isTable ? (
          <Table
            label={title}
            rows={forecast.slice(0, ROWS_MAX)}
            keyOf={({ at }) => at}
            columns={[
              { key: 'at', title: t('chart.time'), cell: ({ at }) => dateTimeText(at) },
              {
                key: 'low',
                title: t('forecasts.low'),
                figures: true,
                cell: ({ low }) => numberText(low, DIGITS),
              },
              {
                key: 'value',
                title: t('forecasts.predicted'),
                figures: true,
                cell: ({ value }) => numberText(value, DIGITS),
              },
              {
                key: 'high',
                title: t('forecasts.high'),
                figures: true,
                cell: ({ high }) => numberText(high, DIGITS),
              },
            ]}
          />
        ) : (
          <Chart
            title={title}
            points={points}
            forecast={forecast}
            begin={begin}
            end={end}
            gapMs={gapLimit(points, 0, null)}
            unit=""
            valueText={(value) => numberText(value, DIGITS)}
            axisValues={forecast.flatMap(({ low, high }) => [low, high])}
            onSpan={setSpan}
          />
        )}
      </div>
    </Card>
  )
}

/** The trials on the past beside the naive forecast, which repeats the season before. */
export function TrialsCard({ figures }: { readonly figures: Figures | null }): JSX.Element {
  const percent = (value: number | null): string => (value === null ? '–' : percentText(value / 100, 1))
  return (
    <Card title={t('forecasts.trials')}>
      <div class="pad col">
        <p>{figuresSentence(figures)}</p>
        {figures && (
          <KeyValues
            rows={[
              [t('forecasts.error'), percent(figures.smape)],
              [t('forecasts.naiveError'), percent(figures.naiveSmape)],
              [t('forecasts.skill'), figures.skill === null ? '–' : numberText(figures.skill, DIGITS)],
              ['MASE', figures.mase === null ? '–' : numberText(figures.mase, DIGITS)],
              ...Object.entries(figures.coverage).map(
                ([level, share]) =>
                  [
                    t('forecasts.coverage', { level: percentText(Number(level) / 100) }),
                    share === null ? '–' : percentText(share),
                  ] as const,
              ),
            ]}
          />
        )}
      </div>
    </Card>
  )
}
