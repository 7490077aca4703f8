import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'

import { call, send, urlOf } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { apiUrl } from '../../api/events.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { copyText, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { bytesText } from '../../kit/numbers.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { saveFile } from '../../kit/save-file.ts'
import { Time } from '../../kit/time.tsx'
import { toast, toastFailure } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { refusedToChange } from './rights.ts'

const ROUTE = '/files/{filename}'
type Stored = Answer<'/files'>[number]
type Asked = {
  readonly what: 'delete' | 'replace'
  readonly name: string
  readonly run: (isForced: boolean) => Promise<void>
}

/** The files of the service: upload, download, delete. */
export function Files(): JSX.Element {
  const files = useGet('/files', {})
  const picker = useRef<HTMLInputElement>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const refused = refusedToChange()
  const upload = async (file: File): Promise<void> => {
    await send('POST', urlOf(ROUTE, { path: { filename: file.name } }), {
      headers: { 'content-type': file.type || 'application/octet-stream' },
      body: file,
    })
    invalidate('/files')
    toast({ text: t('content.uploaded', { name: file.name }) })
  }
  const remove = async (filename: string, forceDelete: boolean): Promise<void> => {
    await call('delete', ROUTE, { path: { filename }, query: { forceDelete } })
    invalidate('/files')
  }
  const pick = (file: File | undefined): void => {
    if (file === undefined) return
    const isTaken = files.data?.some(({ name }) => name === file.name) === true
    if (isTaken) setAsked({ what: 'replace', name: file.name, run: () => upload(file) })
    else background(upload(file).catch((error: unknown) => toastRefusal(error, file.name)))
  }
  const add = (
    <Button icon="plus" refused={refused} onClick={() => picker.current?.click()}>
      {t('content.upload')}
    </Button>
  )
  return (
    <>
      <Show resource={files} what={t('content.failedFiles')}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('content.noFiles')} text={t('content.noFilesText')} action={add} />
          ) : (
            <>
              <FileTable
                files={all}
                onDelete={(name) =>
                  setAsked({ what: 'delete', name, run: (isForced) => remove(name, isForced) })
                }
              />
              <div class="pad">{add}</div>
            </>
          )
        }
      </Show>
      <input
        ref={picker}
        type="file"
        hidden
        onChange={(event) => {
          pick(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      {asked && (
        <Confirm
          title={t(`content.${asked.what}Name`, { name: asked.name })}
          effect={t(`content.${asked.what}Effect`, { name: asked.name })}
          submit={t(`content.${asked.what}`)}
          canForce={asked.what === 'delete'}
          onConfirm={asked.run}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

/** The service lists all allowed types in its refusal: too long for a message. */
function toastRefusal(error: unknown, name: string): void {
  if (asFailure(error).status !== 415) return toastFailure(error)
  toast({ text: t('content.refusedType', { name }), isFailure: true })
}

type TableProps = { readonly files: readonly Stored[]; readonly onDelete: (name: string) => void }

function FileTable({ files, onDelete }: TableProps): JSX.Element {
  return (
    <Table<Stored>
      label={t('content.files')}
      rows={files}
      keyOf={({ name }) => name}
      columns={[
        { key: 'name', title: t('content.name'), cell: ({ name }) => <b>{name}</b> },
        {
          key: 'type',
          title: t('content.type'),
          wide: true,
          cell: ({ mimeType }) => <span class="quiet">{mimeType}</span>,
        },
        {
          key: 'size',
          title: t('content.size'),
          figures: true,
          cell: ({ size }) => bytesText(size),
        },
        {
          key: 'changed',
          title: t('content.changed'),
          wide: true,
          cell: ({ updatedAt }) => <Time at={updatedAt} />,
        },
        {
          key: 'actions',
          title: <span class="vh">{t('content.actions')}</span>,
          cell: ({ name, url }) => (
            <span class="row">
              <IconButton
                small
                icon="link"
                label={t('content.copyLink', { name })}
                action={() => copyText(apiUrl(url))}
              />
              <IconButton
                small
                icon="download"
                label={t('content.download', { name })}
                action={() => saveFile(() => send('GET', url), name)}
              />
              <IconButton
                small
                icon="close"
                label={t('content.deleteName', { name })}
                refused={refusedToChange()}
                onClick={() => onDelete(name)}
              />
            </span>
          ),
        },
      ]}
    />
  )
}
