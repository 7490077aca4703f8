import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { itemOptions, SelectField } from '../../kit/controls.tsx'
import { FailureNote } from '../../kit/feedback.tsx'
import { t } from '../../language/t.ts'
import { ColumnField } from '../data/column-fields.tsx'
import { useQueryColumns } from '../data/use-query-columns.ts'
import { guessed } from './source.ts'
import type { PlaceSource } from './source.ts'

type Props = {
  readonly source: PlaceSource
  readonly isOpen: boolean
  readonly onChange: (part: Partial<PlaceSource>) => void
}

const POINT_COLUMNS = ['lat', 'lon', 'key', 'state'] as const
const LINK_COLUMNS = ['from', 'to', 'linkState'] as const

/** Which table or data query has the places, and in which columns. */
export function SourceFields({ source, isOpen, onChange }: Props): JSX.Element {
  // A choice that completes the source does not close the fields.
  const [opensAtFirst] = useState(isOpen)
  const id = Number(source.source)
  const ofSources = useGet('/dataSources', {})
  const ofQueries = useGet('/dataQueries', {})
  const ofTables = useGet('/dataSources/{id}/tables', source.source === '' ? null : { path: { id } })
  const sources = ofSources.data?.items ?? []
  const queries = ofQueries.data?.items ?? []
  const tables = ofTables.data ?? []
  const unread = [ofSources, ofQueries, ofTables].find(({ data, failure }) => !data && failure)
  return (
    <details class="pad" open={opensAtFirst}>
      <summary>{summaryOf(source, { sources, queries })}</summary>
      {unread?.failure && (
        <FailureNote failure={unread.failure} retry={unread.reload} what={t('map.failedSources')} />
      )}
      <div class="form-grid">
        <SelectField
          label={t('map.dataSource')}
          value={source.source}
          options={itemOptions(sources, t('map.noneChosen'))}
          onValue={(value) =>
            onChange({ source: value, table: '', query: '', lat: '', lon: '', key: '', state: '' })
          }
        />
        {source.source === '' ? (
          <SelectField
            label={t('map.orQuery')}
            value={source.query}
            options={itemOptions(
              queries.filter(({ published }) => published > 0),
              t('map.noneChosen'),
            )}
            onValue={(query) =>
              onChange({ query, table: '', lat: 'lat', lon: 'lon', state: 'state', key: '' })
            }
          />
        ) : (
          <>
            <SelectField
              label={t('map.table')}
              value={source.table}
              options={tableOptions(tables.map(({ name }) => name))}
              onValue={(table) => onChange({ table })}
            />
            <Columns {...{ source, onChange }} id={id} table={source.table} fields={POINT_COLUMNS} />
            <SelectField
              label={t('map.linkTable')}
              value={source.linkTable}
              options={tableOptions(tables.map(({ name }) => name))}
              onValue={(linkTable) => onChange({ linkTable })}
            />
            {source.linkTable !== '' && (
              <Columns {...{ source, onChange }} id={id} table={source.linkTable} fields={LINK_COLUMNS} />
            )}
          </>
        )}
        {source.query !== '' && <QueryColumns source={source} onChange={onChange} />}
      </div>
    </details>
  )
}

const tableOptions = (names: readonly string[]) => [
  { value: '', text: t('map.noneChosen') },
  ...names.map((name) => ({ value: name, text: name })),
]

type Named = { readonly id: number; readonly name: string }

function summaryOf(
  { source, table, query }: PlaceSource,
  { sources, queries }: { readonly sources: readonly Named[]; readonly queries: readonly Named[] },
): string {
  const nameIn = (items: readonly Named[], id: string): string | undefined =>
    items.find((one) => one.id === Number(id))?.name
  if (query !== '') return nameIn(queries, query) ?? t('map.queryOf', { number: query })
  if (source === '' || table === '') return t('map.choose')
  return `${nameIn(sources, source) ?? t('map.sourceOf', { number: source })} / ${table}`
}

/** The columns of a data query; without the ones that are there at first, others are guessed. */
function QueryColumns({ source, onChange }: Pick<Props, 'source' | 'onChange'>): JSX.Element {
  const columns = useQueryColumns(Number(source.query))
  useEffect(() => {
    const names = (columns ?? []).map(({ name }) => name)
    const guess = guessed(names)
    if (!names.includes(source.lat) && guess.lat !== '' && guess.lon !== '') onChange(guess)
    else if (columns !== null && source.state === 'state' && !names.includes('state')) onChange({ state: '' })
  }, [columns])
  return (
    <>
      {POINT_COLUMNS.map((field) => (
        <ColumnField
          key={field}
          label={t(`map.column.${field}`)}
          columns={columns}
          value={source[field]}
          {...((field === 'key' || field === 'state') && { none: t('map.noneChosen') })}
          onValue={(column) => onChange({ [field]: column })}
        />
      ))}
    </>
  )
}

/** The columns of a table; the columns of places are guessed until one is chosen. */
function Columns({
  source,
  id,
  table,
  fields,
  onChange,
}: Pick<Props, 'source' | 'onChange'> & {
  readonly id: number
  readonly table: string
  readonly fields: readonly (keyof PlaceSource)[]
}): JSX.Element {
  const read = useGet('/dataSources/{id}/columns', { path: { id } })
  const names = (read.data ?? []).filter((column) => column.table === table).map(({ name }) => name)
  const isGuessed = fields === POINT_COLUMNS && source.lat === '' && names.length > 0
  useEffect(() => {
    const guess = guessed(names)
    if (isGuessed && guess.lat !== '' && guess.lon !== '') onChange(guess)
  }, [isGuessed])
  return (
    <>
      {fields.map((field) => (
        <SelectField
          key={field}
          label={t(`map.column.${field}`)}
          value={source[field]}
          options={tableOptions(names)}
          onValue={(column) => onChange({ [field]: column })}
        />
      ))}
    </>
  )
}
