import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { callVersioned } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Check, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { FailureNote, Note, Skeleton } from '../../kit/feedback.tsx'
import { Dialog, FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { FilterRows } from './filter-rows.tsx'
import { everyOptions, refreshBody, refreshDraftOf, refusedCopy } from './refresh.ts'
import type { Refresh, RefreshDraft } from './refresh.ts'
import { ScriptOriginFields } from './script-origin-fields.tsx'
import { hasFiles, tableLink } from './sources.ts'
import type { Source } from './sources.ts'

type Props = {
  readonly source: Source
  /** Null for a new copy. */
  readonly table: string | null
  readonly onClose: () => void
}
type Route = '/dataSources/{id}/tables/{table}/refresh'

/** Makes a table whose rows come from a database, or changes from where they come. */
export function RefreshDialog({ source, table, onClose }: Props): JSX.Element {
  const stored = useGet(
    '/dataSources/{id}/tables/{table}/refresh',
    table === null ? null : { path: { id: source.id, table } },
  )
  if (table === null) return <Form source={source} refresh={null} etag={undefined} onClose={onClose} />
  if (stored.data) return <Form source={source} refresh={stored.data} etag={stored.etag} onClose={onClose} />
  return (
    <Dialog title={t('data.editName', { name: table })} onClose={onClose}>
      {stored.failure ? <FailureNote failure={stored.failure} /> : <Skeleton lines={6} />}
    </Dialog>
  )
}

type FormProps = {
  readonly source: Source
  readonly refresh: Refresh | null
  readonly etag: string | undefined
  readonly onClose: () => void
}

function Form({ source, refresh, etag, onClose }: FormProps): JSX.Element {
  const { route } = useLocation()
  const [draft, setDraft] = useState<RefreshDraft>(() => refreshDraftOf(refresh))
  const change = (part: Partial<RefreshDraft>): void => setDraft({ ...draft, ...part })
  const stored = refresh?.from.kind === 'script' ? refresh.from : null
  const save = async (): Promise<void> => {
    const name = draft.table.trim()
    await callVersioned('put', '/dataSources/{id}/tables/{table}/refresh', {
      path: { id: source.id, table: name },
      body: refreshBody(draft, refresh),
      ifMatch: etag,
    } as Call<Route, 'put'>)
    invalidate(`/dataSources/${source.id}/`)
    toast({ text: t('data.saved', { name }) })
    if (refresh === null) route(`${tableLink(source.id, name)}?tab=refresh`)
  }
  return (
    <FormDialog
      title={refresh === null ? t('data.refresh.new') : t('data.editName', { name: refresh.table })}
      submit={t('data.save')}
      wide
      refused={refusedCopy(draft)}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          {refresh === null && <NewFields draft={draft} change={change} failure={failure} />}
          {draft.kind === 'foreign' ? (
            <>
              <OriginFields draft={draft} change={change} failure={failure} isNew={refresh === null} />
              <PartFields draft={draft} change={change} failure={failure} />
            </>
          ) : (
            <ScriptOriginFields
              draft={draft.script}
              stored={stored}
              failure={failure}
              change={(part) => change({ script: { ...draft.script, ...part } })}
            />
          )}
          <SelectField
            label={t('data.refresh.when')}
            hint={t('data.refresh.whenHint')}
            value={draft.every}
            options={everyOptions(draft.every)}
            onValue={(every) => change({ every })}
            error={failure?.at('/every')}
          />
        </>
      )}
    </FormDialog>
  )
}

type FieldsProps = {
  readonly draft: RefreshDraft
  readonly change: (part: Partial<RefreshDraft>) => void
  readonly failure: Failure | null
}

/** The origin of the rows of a new table, and the name of the table. */
function NewFields({ draft, change, failure }: FieldsProps): JSX.Element {
  return (
    <div class="form-grid">
      <SelectField
        label={t('data.refresh.kind')}
        value={draft.kind}
        options={(['foreign', 'script'] as const).map((value) => ({
          value,
          text: t(`data.refresh.kind.${value}`),
        }))}
        onValue={(kind) => change({ kind })}
      />
      <TextField
        label={t(draft.kind === 'script' ? 'data.tableName' : 'data.refresh.name')}
        value={draft.table}
        onValue={(table) => change({ table })}
        error={failure?.at('{table}')}
      />
    </div>
  )
}

/** The database and its table. */
function OriginFields({
  draft,
  change,
  failure,
  isNew,
}: FieldsProps & { readonly isNew: boolean }): JSX.Element {
  const sources = useGet('/dataSources', {})
  const databases = (sources.data?.items ?? []).filter((one) => !hasFiles(one) && one.scopeMode === 'filters')
  const tables = useGet(
    '/dataSources/{id}/tables',
    draft.dataSourceId === '' ? null : { path: { id: Number(draft.dataSourceId) } },
  )
  const names = new Set([
    ...(tables.data ?? []).map(({ name }) => name),
    ...(draft.from === '' ? [] : [draft.from]),
  ])
  return (
    <>
      {sources.data && databases.length === 0 && <Note>{t('data.refresh.noDatabase')}</Note>}
      <div class="form-grid">
        <SelectField
          label={t('data.refresh.database')}
          value={draft.dataSourceId}
          options={itemOptions(databases, t('data.choose'))}
          onValue={(dataSourceId) => change({ dataSourceId, from: '', columns: null })}
          error={failure?.at('/from/dataSourceId')}
        />
        <SelectField
          label={t('data.refresh.table')}
          value={draft.from}
          options={[
            { value: '', text: t('data.choose') },
            ...[...names].map((name) => ({ value: name, text: name })),
          ]}
          onValue={(from) =>
            change({ from, columns: null, ...(isNew && draft.table === draft.from ? { table: from } : {}) })
          }
          error={failure?.at('/from/table')}
        />
      </div>
      {tables.failure && <FailureNote failure={tables.failure} what={t('data.failedTables')} />}
    </>
  )
}

/** The columns and the rows that are copied. */
function PartFields({ draft, change, failure }: FieldsProps): JSX.Element | null {
  const all = useGet(
    '/dataSources/{id}/columns',
    draft.dataSourceId === '' ? null : { path: { id: Number(draft.dataSourceId) } },
  )
  const columns = (all.data ?? []).filter(({ table }) => table === draft.from)
  if (columns.length === 0) return null
  const names = columns.map(({ name }) => name)
  const chosen = draft.columns ?? names
  const toggle = (name: string, on: boolean): void => {
    const next = names.filter((one) => (one === name ? on : chosen.includes(one)))
    change({ columns: next.length === names.length ? null : next })
  }
  return (
    <>
      <fieldset>
        <legend>{t('data.columns')}</legend>
        <div class="choices">
          {names.map((name) => (
            <Check
              key={name}
              label={name}
              checked={chosen.includes(name)}
              onChange={(on) => toggle(name, on)}
            />
          ))}
        </div>
        {failure?.at('/from/columns') && <p class="refusals">{failure.at('/from/columns')}</p>}
      </fieldset>
      <fieldset>
        <legend>{t('data.tab.rows')}</legend>
        {draft.conditions === null ? (
          <Note>{t('data.filterByHand')}</Note>
        ) : (
          <FilterRows
            columns={columns}
            conditions={draft.conditions}
            onChange={(conditions) => change({ conditions })}
            failure={failure}
            pointer="/from/filter"
          />
        )}
      </fieldset>
    </>
  )
}
