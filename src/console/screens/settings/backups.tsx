import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call, send } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button, Check, IconButton, TextField } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Note, Show } from '../../kit/feedback.tsx'
import { bytesText } from '../../kit/numbers.ts'
import { Confirm, FormDialog } from '../../kit/overlays.tsx'
import { saveFile } from '../../kit/save-file.ts'
import { Time, timeText } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { Restore } from './restore.tsx'
import { backupsSentence } from './sentence.ts'
import type { Backup } from './sentence.ts'

const PASSPHRASE_MIN = 12

/** The backups that the service keeps: make, download, restore, delete. */
export function Backups(): JSX.Element {
  const backups = useGet('/backups', {})
  const [isNew, setNew] = useState(false)
  const [doomed, doom] = useState<Backup | null>(null)
  const [restored, setRestored] = useState<Backup | 'file' | null>(null)
  const refused = user.value?.role === 'administrator' ? undefined : t('settings.needsAdministrator')
  const make = (
    <>
      <Button small icon="file" refused={refused} onClick={() => setRestored('file')}>
        {t('settings.restore.fromFile')}
      </Button>
      <Button small icon="plus" refused={refused} onClick={() => setNew(true)}>
        {t('settings.backups.make')}
      </Button>
    </>
  )
  const isEmpty = backups.data?.length === 0
  return (
    <Card
      title={t('settings.backups')}
      note={isEmpty ? undefined : backups.data && backupsSentence(backups.data)}
      actions={!isEmpty && make}
    >
      <Show resource={backups} what={t('settings.backups.failed')}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              title={t('settings.backups.none')}
              text={t('settings.backups.noneText')}
              action={<span class="row wrap">{make}</span>}
            />
          ) : (
            <BackupTable backups={all} onDelete={doom} onRestore={setRestored} />
          )
        }
      </Show>
      {isNew && <MakeBackup onClose={() => setNew(false)} />}
      {restored && (
        <Restore backup={restored === 'file' ? null : restored} onClose={() => setRestored(null)} />
      )}
      {doomed && (
        <Confirm
          title={t('settings.backups.delete')}
          effect={t('settings.backups.deleteEffect', { time: timeText(doomed.madeAt) })}
          submit={t('settings.backups.delete')}
          onConfirm={async () => {
            await call('delete', '/backups/{id}', { path: { id: doomed.id } })
            invalidate('/backups')
          }}
          onClose={() => doom(null)}
        />
      )}
    </Card>
  )
}

type TableProps = {
  readonly backups: readonly Backup[]
  readonly onDelete: (backup: Backup) => void
  readonly onRestore: (backup: Backup) => void
}

function BackupTable({ backups, onDelete, onRestore }: TableProps): JSX.Element {
  return (
    <Table<Backup>
      label={t('settings.backups')}
      rows={backups}
      keyOf={({ id }) => id}
      columns={[
        { key: 'made', title: t('settings.backups.made'), cell: ({ madeAt }) => <Time at={madeAt} /> },
        {
          key: 'size',
          title: t('settings.backups.size'),
          figures: true,
          cell: ({ size }) => bytesText(size),
        },
        {
          key: 'with',
          title: t('settings.backups.contains'),
          cell: ({ histories, files }) =>
            [
              t('settings.backups.objects'),
              histories && t('settings.backups.histories'),
              files && t('settings.backups.files'),
            ]
              .filter(Boolean)
              .join(', '),
        },
        {
          key: 'origin',
          title: t('settings.backups.origin'),
          wide: true,
          cell: ({ origin }) => t(`settings.backups.${origin}`),
        },
        { key: 'release', title: t('settings.release'), wide: true, cell: ({ release }) => release },
        {
          key: 'actions',
          title: <span class="vh">{t('settings.actions')}</span>,
          figures: true,
          cell: (backup) => (
            <>
              <IconButton
                small
                icon="download"
                label={t('settings.backups.download', { time: timeText(backup.madeAt) })}
                action={() => download(backup)}
              />
              <IconButton
                small
                icon="undo"
                label={t('settings.restore.of', { time: timeText(backup.madeAt) })}
                onClick={() => onRestore(backup)}
              />
              <IconButton
                small
                icon="close"
                label={t('settings.backups.deleteOf', { time: timeText(backup.madeAt) })}
                onClick={() => onDelete(backup)}
              />
            </>
          ),
        },
      ]}
    />
  )
}

function download({ id, madeAt }: Backup): Promise<void> {
  const name = `tidemark-${madeAt.slice(0, 16).replace(':', '-')}.backup.gz`
  return saveFile(() => send('GET', `/backups/${id}`), name)
}

function MakeBackup({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [passphrase, setPassphrase] = useState('')
  const [histories, setHistories] = useState(true)
  const [files, setFiles] = useState(true)
  const make = async (): Promise<void> => {
    await call('post', '/backups', { body: { passphrase, histories, files } })
    invalidate('/backups')
    toast({ text: t('settings.backups.isMade') })
  }
  return (
    <FormDialog
      title={t('settings.backups.make')}
      submit={t('settings.backups.make')}
      refused={passphrase.length < PASSPHRASE_MIN ? t('settings.backups.passphraseShort') : undefined}
      onSubmit={make}
      onClose={onClose}
    >
      {(failure) => (
        <div class="col">
          <TextField
            label={t('settings.backups.passphrase')}
            hint={t('settings.backups.passphraseShort')}
            type="password"
            autocomplete="new-password"
            value={passphrase}
            onValue={setPassphrase}
            error={failure?.at('/passphrase')}
          />
          <Note kind="warning">{t('settings.backups.passphraseKeep')}</Note>
          <Check label={t('settings.backups.withHistories')} checked={histories} onChange={setHistories} />
          <Check label={t('settings.backups.withFiles')} checked={files} onChange={setFiles} />
        </div>
      )}
    </FormDialog>
  )
}
