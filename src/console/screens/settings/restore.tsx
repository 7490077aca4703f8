import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, TextField } from '../../kit/controls.tsx'
import { KeyValues, Table } from '../../kit/data.tsx'
import { FailureNote, Note, Progress } from '../../kit/feedback.tsx'
import { FileDrop } from '../../kit/file-drop.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Dialog } from '../../kit/overlays.tsx'
import { fullTimeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { tablesOf } from './restored.ts'
import type { Restored } from './restored.ts'
import type { Backup } from './sentence.ts'
import { useRestore } from './use-restore.ts'

const PASSPHRASE_MIN = 12

type Props = {
  /** A backup that the service keeps; null for a file of the user. */
  readonly backup: Backup | null
  readonly onClose: () => void
}

/** Restores a backup: a dry run first, then the confirmation by the title of the installation, then the restore itself. */
export function Restore({ backup, onClose }: Props): JSX.Element {
  const { step, failure, look, restore } = useRestore()
  const [file, setFile] = useState<File | null>(null)
  const [passphrase, setPassphrase] = useState('')
  const [typed, setTyped] = useState('')
  const title = useGet('/settings.json', {}).data?.title ?? 'Tidemark'
  const from = backup?.id ?? file
  const isReady = from !== null && passphrase.length >= PASSPHRASE_MIN
  // A restore that has begun goes on without the page.
  const isRestoring = step.at === 'working' && !step.isDryRun
  const next = (): void => {
    if (!isReady) return
    if (step.at === 'choose') background(look({ from, passphrase }))
    if (step.at === 'confirm' && typed === title) background(restore({ from, passphrase }, step.preview))
  }
  return (
    <Dialog
      wide
      title={
        backup
          ? t('settings.restore.of', { time: fullTimeText(backup.madeAt) })
          : t('settings.restore.fromFile')
      }
      onClose={() => !isRestoring && onClose()}
      footer={
        <>
          <span class="grow" />
          {step.at !== 'working' && <Button onClick={onClose}>{t('kit.cancel')}</Button>}
          {step.at === 'choose' && (
            <Button
              kind="primary"
              refused={isReady ? undefined : t('settings.restore.notReady')}
              onClick={next}
            >
              {t('settings.restore.look')}
            </Button>
          )}
          {step.at === 'confirm' && (
            <Button
              kind="danger"
              refused={typed === title ? undefined : t('kit.typeName', { name: title })}
              onClick={next}
            >
              {t('settings.restore')}
            </Button>
          )}
        </>
      }
    >
      <form
        class="col"
        onSubmit={(event) => {
          event.preventDefault()
          next()
        }}
      >
        {step.at === 'choose' && (
          <>
            {backup === null && (
              <FileDrop
                label={t('settings.restore.file')}
                hint={t('settings.restore.fileHint')}
                accept=".gz"
                file={file}
                onFile={setFile}
              />
            )}
            <Passphrase value={passphrase} failure={failure} onValue={setPassphrase} />
          </>
        )}
        <Refused failure={failure} />
        {step.at === 'working' && <Working share={step.share} isDryRun={step.isDryRun} />}
        {step.at === 'confirm' && (
          <>
            <Preview preview={step.preview} />
            <TextField label={t('kit.typeName', { name: title })} value={typed} onValue={setTyped} />
          </>
        )}
      </form>
    </Dialog>
  )
}

function Passphrase({
  value,
  failure,
  onValue,
}: {
  readonly value: string
  readonly failure: Failure | null
  readonly onValue: (value: string) => void
}): JSX.Element {
  return (
    <TextField
      label={t('settings.backups.passphrase')}
      hint={t('settings.restore.passphraseHint')}
      type="password"
      autocomplete="off"
      value={value}
      onValue={onValue}
      error={failure?.at('/passphrase') ?? failure?.at('X-Backup-Passphrase')}
    />
  )
}

/** A refusal of anything but the passphrase, which has its own field. */
function Refused({ failure }: { readonly failure: Failure | null }): JSX.Element | null {
  if (failure === null || failure.errors.length > 0) return null
  return <FailureNote failure={failure} what={t('settings.restore.failed')} />
}

type WorkingProps = { readonly share: number; readonly isDryRun: boolean }

function Working({ share, isDryRun }: WorkingProps): JSX.Element {
  if (share < 1) return <Progress value={share} label={t('settings.restore.sends')} />
  return (
    <>
      <Progress value={null} label={t(isDryRun ? 'settings.restore.reads' : 'settings.restore.restores')} />
      {!isDryRun && <p class="label">{t('settings.restore.stay')}</p>}
    </>
  )
}

/** The content of the backup beside the content of the installation, and the consequences of a restore. */
function Preview({ preview }: { readonly preview: Restored }): JSX.Element {
  const { madeAt, release, histories, files, jobs, fileCount, needsReplace } = preview
  return (
    <>
      <KeyValues
        rows={[
          [t('settings.backups.made'), fullTimeText(madeAt)],
          [t('settings.release'), release],
          [
            t('settings.restore.histories'),
            histories ? t('settings.restore.jobs', { count: jobs }) : t('settings.restore.leftOut'),
          ],
          [t('settings.restore.files'), files ? numberText(fileCount) : t('settings.restore.leftOut')],
        ]}
      />
      <Table
        label={t('settings.restore.tables')}
        rows={tablesOf(preview)}
        keyOf={({ kind }) => kind}
        columns={[
          {
            key: 'kind',
            title: t('settings.restore.kind'),
            cell: ({ kind }) => t(`settings.restore.kind.${kind}`),
          },
          {
            key: 'before',
            title: t('settings.restore.before'),
            figures: true,
            cell: ({ before }) => numberText(before),
          },
          {
            key: 'after',
            title: t('settings.restore.after'),
            figures: true,
            cell: ({ after }) => numberText(after),
          },
        ]}
      />
      <Note kind={needsReplace ? 'major' : 'warning'} role="alert">
        {needsReplace && <b>{t('settings.restore.replaces')}</b>}
        <ul>
          <li>{t('settings.restore.sessions')}</li>
          <li>{t('settings.restore.paused')}</li>
          <li>{t('settings.restore.gap')}</li>
        </ul>
      </Note>
    </>
  )
}
