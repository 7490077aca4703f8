import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { Answer } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { followRead } from '../../api/operations.ts'
import { FailureNote, Progress } from '../../kit/feedback.tsx'
import { numberText, percentText } from '../../kit/numbers.ts'
import { t } from '../../language/t.ts'
import { cellText, isFigure } from '../data/cells.ts'
import { selectRows } from '../data/use-rows.ts'
import { factsBody, factsOf } from './column-facts.ts'
import type { ColumnFacts } from './column-facts.ts'
import type { SourceColumn } from './source-tree.ts'

type Values = Exclude<
  Answer<'/dataSources/{id}/tables/{table}/columns/{column}/values'>,
  Answer<'/operations/{id}'>
>['items']
type Bins = Exclude<
  Answer<'/dataSources/{id}/tables/{table}/columns/{column}/histogram'>,
  Answer<'/operations/{id}'>
>['bins']
type Read = { readonly facts: ColumnFacts; readonly values: Values; readonly bins: Bins }

const VALUES_SHOWN = 5
const BINS = 24
const BAR_HEIGHT = 34
const BAR_WIDTH = 10

/** The values of a column: how many are different or empty, their range, and how they are spread. They are read when the card opens,
 * and no longer once it closes. */
export function ColumnCard({
  sourceId,
  column,
}: {
  readonly sourceId: number
  readonly column: SourceColumn
}): JSX.Element {
  const { read, failure } = useColumn(sourceId, column)
  const { annotations, comment, name, nativeType } = column
  const unit = typeof annotations['unit'] === 'string' ? ` ${annotations['unit']}` : ''
  return (
    <section class="column-card col" aria-label={t('queries.columnOf', { name })}>
      <div>
        <b>{name}</b> <code class="faint">{nativeType}</code>
      </div>
      {comment !== null && <span class="quiet">{comment}</span>}
      {failure && <FailureNote failure={failure} what={t('queries.columnFailed')} />}
      {!read && !failure && <Progress value={null} label={t('queries.readsColumn')} />}
      {read && <Facts {...read} column={column} unit={unit} />}
    </section>
  )
}

function Facts({
  facts,
  values,
  bins,
  column,
  unit,
}: Read & { readonly column: SourceColumn; readonly unit: string }): JSX.Element {
  const { rows, empty, distinct, range } = facts
  const share = rows === 0 ? 0 : empty / rows
  return (
    <>
      <span class="label">
        {distinct !== null && `${t('queries.different', { count: distinct })}, `}
        {t('queries.emptyShare', { share: percentText(share, 1) })}
      </span>
      {range && (
        <span class="label">
          {t('queries.range', {
            from: cellText(range[0], column.type) + unit,
            to: cellText(range[1], column.type) + unit,
          })}
        </span>
      )}
      {bins.length > 0 && <Bars bins={bins} />}
      {values.length > 0 && (
        <ol class="col" aria-label={t('queries.frequent')}>
          {values.map(({ value, count }) => (
            <li key={String(value)} class="row">
              <span class="cut">
                {value === null ? t('queries.emptyValue') : cellText(value, column.type)}
              </span>
              <span class="end faint">{numberText(count)}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  )
}

/** How many rows are in each range of a figure. */
function Bars({ bins }: { readonly bins: Bins }): JSX.Element {
  const most = Math.max(1, ...bins.map(({ count }) => count))
  return (
    <svg
      role="img"
      aria-label={t('queries.spread', { count: bins.length, most: numberText(most) })}
      viewBox={`0 0 ${bins.length * BAR_WIDTH} ${BAR_HEIGHT}`}
      preserveAspectRatio="none"
    >
      {bins.map(({ from, to, count }, at) => {
        const height = count === 0 ? 0 : Math.max(1, (BAR_HEIGHT * count) / most)
        return (
          <rect key={from} x={at * BAR_WIDTH} y={BAR_HEIGHT - height} width={BAR_WIDTH - 1} height={height}>
            <title>{`${numberText(from)} – ${numberText(to)}: ${numberText(count)}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** Reads a column. The work ends at the service too once the card closes. */
function useColumn(
  sourceId: number,
  column: SourceColumn,
): { readonly read: Read | null; readonly failure: Failure | null } {
  const [read, setRead] = useState<Read | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    readColumn(sourceId, column, abort.signal).then(
      (found) => abort.signal.aborted || setRead(found),
      (error: unknown) => abort.signal.aborted || setFailure(asFailure(error)),
    )
    return () => abort.abort()
  }, [])
  return { read, failure }
}

async function readColumn(id: number, column: SourceColumn, signal: AbortSignal): Promise<Read> {
  const { table, name, type } = column
  const { columns, rows } = await selectRows({ id, table }, factsBody(column), signal)
  const facts = factsOf(columns, rows[0])
  const path = { id, table, column: name }
  const following = { signal, wait: 'PT5S' }
  if (isFigure(type)) {
    const request = { path, query: { bins: BINS } }
    const { bins } = await followRead(
      '/dataSources/{id}/tables/{table}/columns/{column}/histogram',
      request,
      following,
    )
    return { facts, values: [], bins }
  }
  if (type !== 'string' && type !== 'boolean') return { facts, values: [], bins: [] }
  const request = { path, query: { limit: VALUES_SHOWN } }
  const { items } = await followRead(
    '/dataSources/{id}/tables/{table}/columns/{column}/values',
    request,
    following,
  )
  return { facts, values: items, bins: [] }
}
