import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { background } from '../../kit/background.ts'
import { Button, Check, itemOptions, SelectField } from '../../kit/controls.tsx'
import { FailureNote, Note, Progress } from '../../kit/feedback.tsx'
import { FileDrop } from '../../kit/file-drop.tsx'
import { linkTo } from '../../kit/location.ts'
import { Dialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { ImportPreview } from './import-preview.tsx'
import { importable } from './package.ts'
import type { Group } from './script.ts'
import { useImport } from './use-import.ts'
import type { Choice, Result, Step } from './use-import.ts'

type Props = { readonly groups: readonly Group[]; readonly onClose: () => void }
type Options = Omit<Choice, 'toImport'>

/** Imports scripts from a ZIP archive: choose the file, see what an import changes, import. */
export function ImportWizard({ groups, onClose }: Props): JSX.Element {
  const { step, failure, analyze, importThem } = useImport(groups[0]?.id ?? 1)
  const [options, setOptions] = useState<Options>({ readMetadata: true, overwrite: false, groupId: '' })
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const preview = step.at === 'preview' ? step : null
  const possible = preview === null ? [] : importable(preview.analysis, options.overwrite)
  const toImport = possible.filter((name) => !left.has(name))
  const open = (file: File, readMetadata = options.readMetadata): void => {
    setLeft(new Set())
    background(analyze(file, readMetadata))
  }
  return (
    <Dialog
      title={t('scripts.import')}
      wide
      onClose={onClose}
      footer={
        <>
          <span class="grow" />
          <Button onClick={onClose}>{t(step.at === 'done' ? 'kit.close' : 'kit.cancel')}</Button>
          {preview && (
            <Button
              kind="primary"
              refused={toImport.length === 0 ? t('scripts.importNone') : undefined}
              action={() => importThem(preview.file, preview.analysis, { ...options, toImport })}
            >
              {t('scripts.importCount', { count: toImport.length })}
            </Button>
          )}
        </>
      }
    >
      <div class="col">
        {(step.at === 'choose' || preview) && (
          <FileDrop
            label={t('scripts.importFile')}
            hint={t('scripts.importHint')}
            accept=".zip"
            file={preview?.file ?? null}
            onFile={(file) => open(file)}
          />
        )}
        {failure && <Refused failure={failure} />}
        {step.at === 'sending' && <Sending step={step} />}
        {preview && (
          <>
            <ImportOptions
              groups={groups}
              options={options}
              onChange={(next) => {
                setOptions(next)
                if (next.readMetadata !== options.readMetadata) open(preview.file, next.readMetadata)
              }}
            />
            <ImportPreview
              analysis={preview.analysis}
              overwrite={options.overwrite}
              chosen={new Set(toImport)}
              onChoose={(name, isChosen) =>
                setLeft(new Set(isChosen ? [...left].filter((one) => one !== name) : [...left, name]))
              }
            />
          </>
        )}
        {step.at === 'done' && <Imported result={step.result} />}
      </div>
    </Dialog>
  )
}

function Sending({
  step: { share, what },
}: {
  readonly step: Step & { readonly at: 'sending' }
}): JSX.Element {
  if (share < 1) return <Progress value={share} label={t('scripts.importSends')} />
  return <Progress value={null} label={t(`scripts.importDoes.${what}`)} />
}

function Refused({ failure }: { readonly failure: Failure }): JSX.Element {
  return (
    <>
      <FailureNote failure={failure} what={t('scripts.importFailed')} />
      {failure.errors.length > 0 && (
        <ul class="refusals">
          {failure.errors.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

type OptionsProps = {
  readonly groups: readonly Group[]
  readonly options: Options
  readonly onChange: (options: Options) => void
}

function ImportOptions({ groups, options, onChange }: OptionsProps): JSX.Element {
  return (
    <div class="two-up">
      <SelectField
        label={t('scripts.group')}
        hint={t('scripts.importGroupHint')}
        value={options.groupId}
        onValue={(groupId) => onChange({ ...options, groupId })}
        options={itemOptions(groups, t('scripts.importGroup'))}
      />
      <div class="col">
        <Check
          label={t('scripts.importOverwrite')}
          checked={options.overwrite}
          onChange={(overwrite) => onChange({ ...options, overwrite })}
        />
        <Check
          label={t('scripts.importMetadata')}
          checked={options.readMetadata}
          onChange={(readMetadata) => onChange({ ...options, readMetadata })}
        />
      </div>
    </div>
  )
}

function Imported({ result: { imported, errors } }: { readonly result: Result }): JSX.Element {
  return (
    <>
      <Note kind="ok" icon="check" role="status">
        {t('scripts.imported', { count: imported.length })}
      </Note>
      <ul class="col">
        {imported.map(({ id, name, action, missingSecrets }) => (
          <li key={id}>
            <a href={linkTo(`scripts/${id}`)}>{name}</a>{' '}
            <span class="quiet">{t(`scripts.imported.${action}`)}</span>
            {missingSecrets.length > 0 && (
              <div class="path">{t('scripts.importSecrets', { names: missingSecrets.join(', ') })}</div>
            )}
          </li>
        ))}
      </ul>
      {errors.length > 0 && (
        <Note kind="major" role="alert">
          <b>{t('scripts.importErrors', { count: errors.length })}</b>
          <ul>
            {errors.map(({ file, name, detail }) => (
              <li key={`${file}${name}`}>
                <b>{name ?? file}</b>: {detail}
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  )
}
