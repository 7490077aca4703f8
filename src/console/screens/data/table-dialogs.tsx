import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import { forget, invalidate } from '../../api/resource.ts'
import { Button, IconButton, SelectField, TextField } from '../../kit/controls.tsx'
import { Confirm, FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { IMPORT_TYPES } from './import-plan.ts'
import type { ImportType } from './import-plan.ts'
import { sourceLink, tableLink } from './sources.ts'
import type { ColumnInfo, Source, TableView } from './sources.ts'

type TableRoute = '/dataSources/{id}/tables/{table}'
type Props = { readonly view: TableView; readonly onClose: () => void }

/** Changes the definition of a table, unless another user has changed its rows meanwhile. */
async function changeTable({ source, info }: TableView, body: object): Promise<void> {
  const request = { path: { id: source.id, table: info.name }, body, ifMatch: info.etag ?? undefined }
  await call('patch', '/dataSources/{id}/tables/{table}', request as Call<TableRoute, 'patch'>)
}

/** The table has gone under its name. */
function forgetTable({ source, info }: TableView): void {
  forget(`/dataSources/${source.id}/tables/${encodeURIComponent(info.name)}`)
  invalidate(`/dataSources/${source.id}/`)
}

export function RenameTable({ view, onClose }: Props): JSX.Element {
  const { source, info } = view
  const { route } = useLocation()
  const [name, setName] = useState(info.name)
  const save = async (): Promise<void> => {
    await changeTable(view, { rename: name })
    forgetTable(view)
    route(tableLink(source.id, name), true)
  }
  return (
    <FormDialog
      title={t('data.renameTable')}
      submit={t('data.save')}
      refused={name.trim() === '' || name === info.name ? t('edit.unchanged') : undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <TextField
          label={t('data.tableName')}
          value={name}
          onValue={setName}
          error={failure?.at('/rename') ?? failure?.at('/name')}
          autofocus
        />
      )}
    </FormDialog>
  )
}

export function DeleteTable({ view, onClose }: Props): JSX.Element {
  const { source, info } = view
  const { route } = useLocation()
  return (
    <Confirm
      title={t('data.deleteName', { name: info.name })}
      effect={t('data.deleteTableEffect', { count: info.approximateRows ?? 0 })}
      submit={t('data.delete')}
      typed={(info.approximateRows ?? 0) > 0 ? info.name : undefined}
      onConfirm={async () => {
        const request = { path: { id: source.id, table: info.name }, ifMatch: info.etag ?? undefined }
        await call('delete', '/dataSources/{id}/tables/{table}', request)
        toast({ text: t('data.deleted', { name: info.name }) })
        forgetTable(view)
        route(sourceLink(source.id))
      }}
      onClose={onClose}
    />
  )
}

const typeOptions = (): { value: ImportType; text: string }[] =>
  IMPORT_TYPES.map((value) => ({ value, text: t(`data.columnType.${value}`) }))

/** Adds a column to a table, or renames or retypes one. */
export function ColumnDialog({
  view,
  column,
  onClose,
}: Props & { readonly column: ColumnInfo | null }): JSX.Element {
  const [name, setName] = useState(column?.name ?? '')
  const [type, setType] = useState<ImportType>(column && column.type !== 'binary' ? column.type : 'string')
  const save = async (): Promise<void> => {
    const altered = {
      name: column?.name,
      ...(name === column?.name ? {} : { rename: name }),
      ...(type === column?.type ? {} : { type }),
    }
    await changeTable(view, column === null ? { add: [{ name, type }] } : { alter: [altered] })
    invalidate(`/dataSources/${view.source.id}/`)
  }
  const isSame = name === column?.name && type === column.type
  return (
    <FormDialog
      title={column ? t('data.editName', { name: column.name }) : t('data.addColumn')}
      submit={t('data.save')}
      refused={name.trim() === '' || isSame ? t('edit.unchanged') : undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('data.name')}
            value={name}
            onValue={setName}
            error={failure?.at(column ? '/alter/0/rename' : '/add/0/name')}
            autofocus
          />
          <SelectField
            label={t('data.type')}
            {...(column ? { hint: t('data.retypeHint') } : {})}
            value={type}
            onValue={setType}
            options={typeOptions()}
            error={failure?.at(column ? '/alter/0/type' : '/add/0/type')}
          />
        </>
      )}
    </FormDialog>
  )
}

export function DropColumn({ view, column, onClose }: Props & { readonly column: ColumnInfo }): JSX.Element {
  return (
    <Confirm
      title={t('data.deleteName', { name: column.name })}
      effect={t('data.dropColumnEffect', { count: view.info.approximateRows ?? 0 })}
      submit={t('data.delete')}
      onConfirm={async () => {
        await changeTable(view, { drop: [column.name] })
        invalidate(`/dataSources/${view.source.id}/`)
      }}
      onClose={onClose}
    />
  )
}

type NewColumn = { readonly name: string; readonly type: ImportType }

/** Creates a table without rows. */
export function NewTable({
  source,
  onClose,
}: {
  readonly source: Source
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const [columns, setColumns] = useState<readonly NewColumn[]>([{ name: '', type: 'string' }])
  const change = (at: number, part: Partial<NewColumn>): void =>
    setColumns(columns.map((column, place) => (place === at ? { ...column, ...part } : column)))
  const save = async (): Promise<void> => {
    const request = { path: { id: source.id }, body: { name, columns: [...columns] } }
    await call('post', '/dataSources/{id}/tables', request)
    invalidate(`/dataSources/${source.id}/`)
    route(tableLink(source.id, name))
  }
  const isWhole = name.trim() !== '' && columns.length > 0 && columns.every((one) => one.name.trim() !== '')
  return (
    <FormDialog
      title={t('data.newTable')}
      submit={t('data.create')}
      refused={isWhole ? undefined : t('data.refused.newTable')}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('data.tableName')}
            value={name}
            onValue={setName}
            error={failure?.at('/name')}
            autofocus
          />
          <fieldset class="col">
            <legend>{t('data.columns')}</legend>
            {columns.map((column, at) => (
              <div key={at} class="form-row">
                <TextField
                  label={t('data.columnNumber', { number: at + 1 })}
                  value={column.name}
                  onValue={(next) => change(at, { name: next })}
                  error={failure?.at(`/columns/${at}/name`)}
                />
                <SelectField
                  label={t('data.typeNumber', { number: at + 1 })}
                  value={column.type}
                  onValue={(type) => change(at, { type })}
                  options={typeOptions()}
                />
                <IconButton
                  small
                  icon="close"
                  label={t('data.removeColumn', { number: at + 1 })}
                  onClick={() => setColumns(columns.filter((_, place) => place !== at))}
                />
              </div>
            ))}
            <div>
              <Button
                small
                icon="plus"
                onClick={() => setColumns([...columns, { name: '', type: 'string' }])}
              >
                {t('data.addColumn')}
              </Button>
            </div>
          </fieldset>
        </>
      )}
    </FormDialog>
  )
}
