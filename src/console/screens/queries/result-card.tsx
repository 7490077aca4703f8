import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'

import { Segments } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Empty, FailureNote, Progress } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { resultText } from '../data/cells.ts'
import { Grid } from '../data/grid.tsx'
import { ResultChart } from '../data/result-chart.tsx'
import type { Result, Run } from './use-run.ts'

const VIEWS = ['rows', 'chart'] as const
type View = (typeof VIEWS)[number]

/** The rows of the last run, as a grid or as a chart. */
export function ResultCard({ run: { result, failure, isRunning } }: { readonly run: Run }): JSX.Element {
  const [view, setView] = useQuery<View>('view', 'rows')
  const note =
    result &&
    `${t(result.truncated ? 'data.count.first' : 'data.count.all', { count: result.rowCount })} · ${t('data.ms', { ms: result.durationMs })}`
  const hasRows = result !== null && result.rows.length > 0
  return (
    <Card
      title={t('queries.result')}
      note={<span role="status">{note}</span>}
      actions={
        hasRows && (
          <Segments
            small
            label={t('queries.result')}
            value={view}
            options={VIEWS.map((value) => ({ value, text: t(`data.view.${value}`) }))}
            onChange={(value) => setView(value)}
          />
        )
      }
    >
      {isRunning && (
        <div class="pad">
          <Progress value={null} label={t('queries.running')} />
        </div>
      )}
      {failure && (
        <div class="pad col">
          <FailureNote failure={failure} what={t('queries.runFailed')} />
          {failure.errors.length > 0 && (
            <ul class="refusals">
              {failure.errors.map(({ pointer, message }) => (
                <li key={pointer}>
                  <code>{pointer}</code> {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {!result && !failure && !isRunning && (
        <Empty title={t('queries.noResult')} text={t('queries.noResultText')} />
      )}
      {result && !hasRows && <Empty title={t('queries.noRows')} />}
      {hasRows && <Rows result={result} view={view} />}
    </Card>
  )
}

function Rows({ result, view }: { readonly result: Result; readonly view: View }): JSX.Element {
  const label = t('queries.result')
  const columns = useMemo(
    () => result.columns.map((column) => ({ ...column, textOf: resultText })),
    [result.columns],
  )
  if (view === 'chart') return <ResultChart label={label} columns={result.columns} rows={result.rows} />
  return <Grid label={label} columns={columns} rows={result.rows} />
}
