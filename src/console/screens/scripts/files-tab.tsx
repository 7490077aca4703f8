import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call, send, urlOf } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, TextField } from '../../kit/controls.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { useQuery } from '../../kit/location.ts'
import { bytesText } from '../../kit/numbers.ts'
import { Confirm, FormDialog } from '../../kit/overlays.tsx'
import { saveFile } from '../../kit/save-file.ts'
import { TextEditor } from '../../kit/text-editor.tsx'
import { t } from '../../language/t.ts'
import { KEEPERS, refusedUnless } from './rights.ts'
import type { ScriptFile } from './script.ts'

const FILE_ROUTE = '/scripts/{script}/files/{path}'

/** The files of a script, and an editor for the chosen one. */
export function FilesTab({ script }: { readonly script: string }): JSX.Element {
  const files = useGet('/scripts/{script}/files', { path: { script } })
  const [chosen, choose] = useQuery<string>('file', '')
  const [dialog, setDialog] = useState<'new' | 'delete' | null>(null)
  const refused = refusedUnless(KEEPERS)
  const file = files.data?.find(({ path, type }) => path === chosen && type === 'file')
  const add = (
    <Button small icon="plus" refused={refused} onClick={() => setDialog('new')}>
      {t('scripts.newFile')}
    </Button>
  )
  return (
    <Show resource={files} what={t('scripts.failedFiles')}>
      {(all) => (
        <div class="files">
          <div class="col file-list">
            <ul>
              {all
                .filter(({ type }) => type === 'file')
                .map(({ path, size }) => (
                  <li key={path}>
                    <button type="button" aria-pressed={path === chosen} onClick={() => choose(path, true)}>
                      <Icon name="file" />
                      <span class="cut">{path}</span>
                      <span class="label nowrap">{bytesText(size)}</span>
                    </button>
                  </li>
                ))}
            </ul>
            <span>{add}</span>
          </div>
          {file ? (
            <EditorPane key={file.path} script={script} file={file} onDelete={() => setDialog('delete')} />
          ) : (
            <Empty
              title={t(all.length === 0 ? 'scripts.noFiles' : 'scripts.chooseFile')}
              text={t('scripts.filesText')}
            />
          )}
          {dialog === 'new' && (
            <NewFile script={script} taken={all} onMade={choose} onClose={() => setDialog(null)} />
          )}
          {dialog === 'delete' && file && (
            <Confirm
              title={t('scripts.deleteFile')}
              effect={t('scripts.deleteFileEffect', { name: file.path })}
              submit={t('scripts.deleteFile')}
              onConfirm={async () => {
                await call('delete', FILE_ROUTE, { path: { script, path: file.path } })
                invalidate(`/scripts/${script}`)
                choose('')
              }}
              onClose={() => setDialog(null)}
            />
          )}
        </div>
      )}
    </Show>
  )
}

type PaneProps = { readonly script: string; readonly file: ScriptFile; readonly onDelete: () => void }

function EditorPane({ script, file, onDelete }: PaneProps): JSX.Element {
  const url = urlOf(FILE_ROUTE, { path: { script, path: file.path } })
  const actions = (
    <>
      <Button
        small
        icon="download"
        action={() => saveFile(() => send('GET', url), file.path.split('/').at(-1) ?? file.path)}
      >
        {t('scripts.download')}
      </Button>
      <Button small kind="danger" refused={refusedUnless(KEEPERS)} onClick={onDelete}>
        {t('scripts.deleteFile')}
      </Button>
    </>
  )
  if (!file.text)
    return (
      <Empty
        title={t('scripts.notText', { name: file.path })}
        text={file.mimeType}
        action={<span class="row">{actions}</span>}
      />
    )
  return (
    <TextEditor
      url={url}
      name={file.path}
      type={file.mimeType}
      refused={refusedUnless(KEEPERS)}
      actions={actions}
      onSaved={() => invalidate(`/scripts/${script}`)}
    />
  )
}

type NewProps = {
  readonly script: string
  readonly taken: readonly ScriptFile[]
  readonly onMade: (path: string) => void
  readonly onClose: () => void
}

function NewFile({ script, taken, onMade, onClose }: NewProps): JSX.Element {
  const [path, setPath] = useState('')
  const isTaken = taken.some((file) => file.path === path)
  const taking = isTaken ? t('scripts.pathTaken') : undefined
  const refusal = path === '' ? t('scripts.needsPath') : taking
  const create = async (): Promise<void> => {
    await send('PUT', urlOf(FILE_ROUTE, { path: { script, path } }), {
      headers: { 'content-type': 'text/plain' },
      body: '\n',
    })
    invalidate(`/scripts/${script}`)
    onMade(path)
  }
  return (
    <FormDialog
      title={t('scripts.newFile')}
      submit={t('scripts.create')}
      refused={refusal}
      onSubmit={create}
      onClose={onClose}
    >
      {() => (
        <TextField
          label={t('scripts.path')}
          hint={t('scripts.pathHint')}
          value={path}
          onValue={setPath}
          error={taking}
          spellcheck={false}
          autofocus
        />
      )}
    </FormDialog>
  )
}
