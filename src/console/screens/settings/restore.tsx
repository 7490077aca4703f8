import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, Segments, TextField } from '../../kit/controls.tsx'
import { KeyValues, Table } from '../../kit/data.tsx'
import { FailureNote, Note, Progress } from '../../kit/feedback.tsx'
import { FileDrop } from '../../kit/file-drop.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Dialog } from '../../kit/overlays.tsx'
import { fullTimeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { DeletedObjects, NO_CHOICE, ObjectList } from './deleted-objects.tsx'
import type { Choice } from './deleted-objects.tsx'
import { idsIn, tablesOf } from './restored.ts'
import type { Restored } from './restored.ts'
import type { Backup } from './sentence.ts'
import { useRestore } from './use-restore.ts'
import type { Step } from './use-restore.ts'

const PASSPHRASE_MIN = 12
const EXTENTS = ['all', 'objects'] as const

type Props = {
  /** A backup that the service keeps; null for a file of the user. */
  readonly backup: Backup | null
  readonly onClose: () => void
}

/** A restore while the user chooses it. */
type Draft = {
  readonly file: File | null
  readonly passphrase: string
  readonly extent: (typeof EXTENTS)[number]
  readonly choice: Choice
}
const NEW_DRAFT: Draft = { file: null, passphrase: '', extent: 'all', choice: NO_CHOICE }

/** Restores a backup, or deleted objects of it: a dry run first, then the restore itself. All of a backup is confirmed by the title
 * of the installation. */
export function Restore({ backup, onClose }: Props): JSX.Element {
  const { step, failure, forget, look, restore } = useRestore()
  const [draft, setDraft] = useState(NEW_DRAFT)
  const [typed, setTyped] = useState('')
  const title = useGet('/settings.json', {}).data?.title ?? 'Tidemark'
  const source = sourceOf(backup, draft)
  const { objects } = source
  const fault = faultOf(source, draft.choice.others)
  const unconfirmed = objects !== null || typed === title ? undefined : t('kit.typeName', { name: title })
  // A restore that has begun goes on without the page.
  const isRestoring = step.at === 'working' && !step.isDryRun
  const next = (): void => {
    if (fault !== undefined || source.from === null) return
    const chosen = { ...source, from: source.from }
    if (step.at === 'choose') background(look(chosen))
    if (step.at === 'confirm' && unconfirmed === undefined) background(restore(chosen, step.preview))
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
          {step.at !== 'working' && (
            <Button onClick={onClose}>{t(step.at === 'done' ? 'kit.close' : 'kit.cancel')}</Button>
          )}
          {step.at === 'choose' && (
            <Button kind="primary" refused={fault} onClick={next}>
              {t('settings.restore.look')}
            </Button>
          )}
          {step.at === 'confirm' && (
            <Button kind={objects === null ? 'danger' : 'primary'} refused={unconfirmed} onClick={next}>
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
          <Choosing
            backup={backup}
            draft={draft}
            failure={failure}
            onChange={(part) => {
              forget()
              setDraft((now) => ({ ...now, ...part }))
            }}
          />
        )}
        <Refused failure={failure} objects={objects} />
        {step.at !== 'choose' && <Progressed step={step} objects={objects} />}
        {step.at === 'confirm' && objects === null && (
          <TextField label={t('kit.typeName', { name: title })} value={typed} onValue={setTyped} />
        )}
      </form>
    </Dialog>
  )
}

function sourceOf(backup: Backup | null, { file, passphrase, extent, choice }: Draft) {
  return {
    from: backup?.id ?? file,
    passphrase,
    objects: extent === 'all' ? null : [...new Set([...choice.ids, ...(idsIn(choice.others) ?? [])])],
    withoutHistories: choice.withoutHistories,
  }
}

/** Why the backup cannot be checked yet; undefined when it can. */
function faultOf(
  { from, passphrase, objects }: ReturnType<typeof sourceOf>,
  others: string,
): string | undefined {
  if (from === null || passphrase.length < PASSPHRASE_MIN) return t('settings.restore.notReady')
  if (objects === null) return undefined
  if (idsIn(others) === null) return t('settings.restore.badIds')
  return objects.length === 0 ? t('settings.restore.noObjects') : undefined
}

/** The choice of the file, and of all or some of its objects. */
function Choosing({
  backup,
  draft: { file, passphrase, extent, choice },
  failure,
  onChange,
}: {
  readonly backup: Backup | null
  readonly draft: Draft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}): JSX.Element {
  return (
    <>
      {backup === null && (
        <FileDrop
          label={t('settings.restore.file')}
          hint={t('settings.restore.fileHint')}
          accept=".gz"
          file={file}
          onFile={(chosen) => onChange({ file: chosen })}
        />
      )}
      <Passphrase value={passphrase} failure={failure} onValue={(text) => onChange({ passphrase: text })} />
      <div>
        <Segments
          label={t('settings.restore.extent')}
          value={extent}
          onChange={(chosen) => onChange({ extent: chosen })}
          options={EXTENTS.map((value) => ({ value, text: t(`settings.restore.extent.${value}`) }))}
        />
      </div>
      {extent === 'objects' && (
        <DeletedObjects
          since={backup?.madeAt ?? null}
          choice={choice}
          onChange={(part) => onChange({ choice: { ...choice, ...part } })}
        />
      )}
    </>
  )
}

/** A restore after its choice: at work, before its confirmation, or done. */
function Progressed({
  step,
  objects,
}: {
  readonly step: Exclude<Step, { readonly at: 'choose' }>
  readonly objects: readonly number[] | null
}): JSX.Element {
  if (step.at === 'working') return <Working share={step.share} isDryRun={step.isDryRun} />
  if (step.at === 'done') return <ObjectList restored={step.restored} isDone />
  if (objects !== null) return <ObjectList restored={step.preview} isDone={false} />
  return <Preview preview={step.preview} />
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
function Refused({
  failure,
  objects,
}: {
  readonly failure: Failure | null
  readonly objects: readonly number[] | null
}): JSX.Element | null {
  if (failure === null) return null
  const unknown = failure.errors.flatMap(({ pointer, message }) => {
    const id = objects?.[Number(/^\/objects\/(\d+)$/.exec(pointer)?.[1])]
    return id === undefined ? [] : [`#${id} ${message}`]
  })
  if (unknown.length > 0)
    return (
      <div role="alert">
        <ul class="refusals">
          {unknown.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
    )
  if (failure.errors.length > 0) return null
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
