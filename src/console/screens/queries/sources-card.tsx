import type { JSX } from 'preact'
import { lazy } from 'preact-iso'
import { useState } from 'preact/hooks'

import type { Answer } from '../../api/client.ts'
import { isUnread, together, useGet } from '../../api/resource.ts'
import { TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { branchesOf } from './source-tree.ts'
import type { SourceColumn, TableBranch } from './source-tree.ts'

/** The card of a column is loaded when a column is chosen first. */
const Chosen = lazy(async () => (await import('./column-card.tsx')).ColumnCard)

type ChosenColumn = { readonly sourceId: number; readonly column: SourceColumn }
type TreeProps = {
  readonly filter: string
  readonly chosen: ChosenColumn | null
  readonly onChoose: (chosen: ChosenColumn | null) => void
}

/** The data sources with their tables and columns, the data queries that a text can refer to, and the values of a chosen column.
 * @param current the data source of the text, which is open at first */
export function SourcesCard({
  current,
  queryId,
}: {
  readonly current: string
  readonly queryId: number | undefined
}): JSX.Element {
  const [filter, setFilter] = useState('')
  const [chosen, setChosen] = useState<ChosenColumn | null>(null)
  const dataSources = useGet('/dataSources', {})
  const queries = useGet('/dataQueries', {})
  const columns = useGet(
    '/dataSources/{id}/columns',
    current === '' ? null : { path: { id: Number(current) } },
  )
  const sources = together(dataSources, queries, columns)
  // The data sources and the columns of the open one are above the data queries, which would move down when these come.
  const isAboveRead = ![dataSources, columns].some(isUnread)
  const tree = { filter, chosen, onChoose: setChosen }
  return (
    <Card title={t('queries.sources')}>
      <div class="pad col">
        <TextField label={t('queries.find')} type="search" value={filter} onValue={setFilter} />
        <div class="source-tree">
          <Show resource={sources} what={t('data.failed')}>
            {({ items }) =>
              items.map(({ id, name }) => {
                const isCurrent = String(id) === current
                return <SourceBranch key={`${id} ${isCurrent}`} {...{ id, name, isCurrent }} {...tree} />
              })
            }
          </Show>
          {current !== '' && isAboveRead && (
            <Queries
              all={queries.data?.items ?? []}
              sourceId={Number(current)}
              filter={filter}
              queryId={queryId}
            />
          )}
        </div>
        {chosen && <Chosen key={keyOf(chosen)} {...chosen} />}
      </div>
    </Card>
  )
}

const keyOf = ({ sourceId, column }: ChosenColumn): string =>
  JSON.stringify([sourceId, column.table, column.name])

function SourceBranch({
  id,
  name,
  isCurrent,
  ...tree
}: TreeProps & { readonly id: number; readonly name: string; readonly isCurrent: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(isCurrent)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && <Tables {...tree} id={id} />}
    </details>
  )
}

function Tables({ id, filter, ...rest }: TreeProps & { readonly id: number }): JSX.Element {
  const columns = useGet('/dataSources/{id}/columns', { path: { id } })
  return (
    <Show resource={columns} what={t('data.failedTables')}>
      {(data) => {
        const { tables, more } = branchesOf(data, filter)
        return (
          <>
            {tables.map((table) => (
              <Branch key={`${table.name} ${table.isFound}`} {...{ id, table, filter }} {...rest} />
            ))}
            {more > 0 && <p class="label">{t('queries.moreTables', { count: more })}</p>}
          </>
        )
      }}
    </Show>
  )
}

function Branch({
  id,
  table,
  chosen,
  onChoose,
}: TreeProps & { readonly id: number; readonly table: TableBranch }): JSX.Element {
  const [isOpen, setOpen] = useState(table.isFound)
  const isChosen = (column: SourceColumn): boolean =>
    chosen !== null && keyOf(chosen) === keyOf({ sourceId: id, column })
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{table.name}</summary>
      {isOpen && (
        <ul aria-label={t('queries.columnsOf', { name: table.name })}>
          {table.columns.map((column) => (
            <li key={column.name}>
              <button
                type="button"
                aria-pressed={isChosen(column)}
                onClick={() => onChoose(isChosen(column) ? null : { sourceId: id, column })}
              >
                <span class="cut">{column.name}</span>
                <code class="end faint cut">{column.nativeType}</code>
              </button>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

/** The other data queries of the data source: `ref` names them in a text. */
function Queries({
  all,
  sourceId,
  filter,
  queryId,
}: {
  readonly all: Answer<'/dataQueries'>['items']
  readonly sourceId: number
  readonly filter: string
  readonly queryId: number | undefined
}): JSX.Element | null {
  const wanted = filter.trim().toLowerCase()
  const others = all.filter(
    ({ id, name, dataSourceId }) =>
      dataSourceId === sourceId && id !== queryId && name.toLowerCase().includes(wanted),
  )
  if (others.length === 0) return null
  return (
    <details>
      <summary>{t('queries.title')}</summary>
      <ul>
        {others.map(({ id, name, hasErrors }) => (
          <li key={id} class="row">
            <a class="cut" href={linkTo(`queries/${id}`)}>
              {name}
            </a>
            {hasErrors && <span class="end label">{t('queries.faulty')}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
