import type { JSX } from 'preact'

import { Card } from '../../kit/data.tsx'
import { Empty, FailureNote, Progress } from '../../kit/feedback.tsx'
import { t } from '../../language/t.ts'
import { Grid } from '../data/grid.tsx'
import type { Run } from './use-run.ts'

/** The rows of the last run. */
export function ResultCard({ run: { result, failure, isRunning } }: { readonly run: Run }): JSX.Element {
  const note =
    result &&
    `${t(result.truncated ? 'data.count.first' : 'data.count.all', { count: result.rowCount })} · ${t('data.ms', { ms: result.durationMs })}`
  return (
    <Card title={t('queries.result')} note={<span role="status">{note}</span>}>
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
      {result && result.rows.length === 0 && <Empty title={t('queries.noRows')} />}
      {result && result.rows.length > 0 && (
        <Grid label={t('queries.result')} columns={result.columns} rows={result.rows} />
      )}
    </Card>
  )
}
