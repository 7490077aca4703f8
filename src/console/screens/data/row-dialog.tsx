import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { Button, Chip } from '../../kit/controls.tsx'
import { KeyValues } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { Confirm, Dialog, FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { RowFields } from './row-fields.tsx'
import { changedRow, draftOf, guessedKey, insertedRow, keyColumns, keyFilter, keyOf } from './row.ts'
import type { RowDraft, Shown } from './row.ts'
import { isOwn } from './sources.ts'
import type { TableView } from './sources.ts'
import { selectRows } from './use-rows.ts'

type Props = {
  readonly view: TableView
  /** The values of the row; null for a new one. */
  readonly shown: readonly Shown[] | null
  readonly onDone: () => void
  readonly onClose: () => void
}

/** One row: to read, and in an imported table to change, delete or insert. Rows that another user has changed meanwhile are not
 * overwritten. */
export function RowDialog({ view, shown, onDone, onClose }: Props): JSX.Element {
  if (shown === null) return <InsertDialog view={view} onDone={onDone} onClose={onClose} />
  if (!isOwn(view))
    return (
      <Dialog title={t('data.row')} onClose={onClose} wide>
        <KeyValues
          rows={shown.map(({ name, value }) => [
            name,
            value === null ? t('data.null') : <span class="pre wrapped">{String(value)}</span>,
          ])}
        />
      </Dialog>
    )
  return <EditDialog view={view} shown={shown} onDone={onDone} onClose={onClose} />
}

const pathOf = ({ source, info }: TableView) => ({ id: source.id, table: info.name })
type RowsRoute = '/dataSources/{id}/tables/{table}/rows'

/** Sends an edit. After a refusal of the version the newer rows are read, so that a second try applies to them. */
async function edit(
  method: 'post' | 'patch' | 'delete',
  { view, body, onStale }: { readonly view: TableView; readonly body: object; readonly onStale: () => void },
): Promise<void> {
  try {
    const request = { path: pathOf(view), body, ifMatch: view.info.etag ?? undefined }
    await call(method, '/dataSources/{id}/tables/{table}/rows', request as Call<RowsRoute, typeof method>)
  } catch (error) {
    if (asFailure(error).status === 412) onStale()
    throw error
  }
}

function InsertDialog({ view, onDone, onClose }: Omit<Props, 'shown'>): JSX.Element {
  const [draft, setDraft] = useState<RowDraft>({})
  const save = async (): Promise<void> => {
    await edit('post', { view, body: { rows: [insertedRow(view.columns, draft)] }, onStale: onDone })
    onDone()
    toast({ text: t('data.rowInserted') })
  }
  return (
    <FormDialog title={t('data.insertRow')} submit={t('data.insert')} wide onSubmit={save} onClose={onClose}>
      {(failure) => (
        <RowFields
          columns={view.columns}
          draft={draft}
          locked={[]}
          onDraft={setDraft}
          errorOf={(name) => failure?.at(`/rows/0/${name}`)}
        />
      )}
    </FormDialog>
  )
}

const keptKey = ({ source, info }: TableView): string => `tidemark.rowKey.${source.id}.${info.name}`

function lastKey(view: TableView): readonly string[] {
  const names = (localStorage.getItem(keptKey(view)) ?? '').split('\n')
  return names.filter((name) => name !== '')
}

type EditProps = Omit<Props, 'shown'> & { readonly shown: readonly Shown[] }

function EditDialog({ view, shown: opened, onDone, onClose }: EditProps): JSX.Element {
  // When rows are read anew, another row may be at the place of this one.
  const [shown] = useState(opened)
  const [draft, setDraft] = useState<RowDraft>(() => draftOf(shown))
  const [key, setKey] = useState<readonly string[]>(() => guessedKey(shown, lastKey(view)))
  const [isDeleting, setDeleting] = useState(false)
  const count = useCount(view, shown, key)
  const change = changedRow(shown, draft, key)
  const refused = (): string | undefined => {
    if (key.length === 0) return t('data.refused.noKey')
    return change === null ? t('edit.unchanged') : undefined
  }
  const save = async (): Promise<void> => {
    await edit('patch', { view, body: { key, rows: [change] }, onStale: onDone })
    localStorage.setItem(keptKey(view), key.join('\n'))
    onDone()
    toast({ text: t('data.rowSaved') })
  }
  const remove = async (): Promise<void> => {
    await edit('delete', { view, body: { key, rows: [keyOf(shown, key)] }, onStale: onDone })
    onDone()
    onClose()
    toast({ text: t('data.rowDeleted') })
  }
  if (isDeleting)
    return (
      <Confirm
        title={t('data.deleteRow')}
        effect={t('data.deleteRowEffect', { count: count ?? 1, key: keyText(shown, key) })}
        submit={t('data.delete')}
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      />
    )
  return (
    <FormDialog
      title={t('data.row')}
      submit={t('data.save')}
      wide
      refused={refused()}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <KeyChoice shown={shown} chosen={key} count={count} onKey={setKey} />
          {failure?.status === 412 && (
            <Note kind="warning" role="alert">
              {t('data.rowsChanged')}
            </Note>
          )}
          <RowFields
            columns={shown}
            draft={draft}
            locked={key}
            onDraft={setDraft}
            errorOf={(name) => failure?.at(`/rows/0/${name}`)}
          />
          <div>
            <Button
              kind="danger"
              icon="close"
              refused={key.length === 0 ? t('data.refused.noKey') : undefined}
              onClick={() => setDeleting(true)}
            >
              {t('data.deleteRow')}
            </Button>
          </div>
        </>
      )}
    </FormDialog>
  )
}

function keyText(shown: readonly Shown[], key: readonly string[]): string {
  return Object.entries(keyOf(shown, key))
    .map(([name, value]) => `${name} = ${String(value)}`)
    .join(', ')
}

/** How many rows have the key of a row; null while that is counted. */
function useCount(view: TableView, shown: readonly Shown[], key: readonly string[]): number | null {
  const [count, setCount] = useState<number | null>(null)
  useEffect(() => {
    setCount(null)
    if (key.length === 0) return undefined
    const controller = new AbortController()
    const body = { filter: keyFilter(shown, key), aggregates: [{ fn: 'COUNT', expr: '*', as: 'n' }] }
    selectRows(pathOf(view), body, controller.signal).then(
      ({ rows }) => setCount(Number(rows[0]?.[0] ?? 0)),
      // The number is advice: a save tells why it fails.
      () => undefined,
    )
    return () => controller.abort()
  }, [key])
  return count
}

function KeyChoice({
  shown,
  chosen,
  count,
  onKey,
}: {
  readonly shown: readonly Shown[]
  readonly chosen: readonly string[]
  readonly count: number | null
  readonly onKey: (key: readonly string[]) => void
}): JSX.Element {
  return (
    <fieldset>
      <legend>{t('data.rowFoundBy')}</legend>
      <div class="row wrap">
        {keyColumns(shown).map((name) => (
          <Chip
            key={name}
            pressed={chosen.includes(name)}
            onChange={(on) => onKey(on ? [...chosen, name] : chosen.filter((one) => one !== name))}
          >
            {name}
          </Chip>
        ))}
        <span class={count !== null && count > 1 ? 'doubt' : 'label'} role="status">
          {count !== null && t('data.rowsWithKey', { count })}
        </span>
      </div>
    </fieldset>
  )
}
