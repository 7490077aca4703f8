import type { JSX } from 'preact'

import { Check } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { bytesText } from '../../kit/numbers.ts'
import { State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { changeText, effectOf } from './package.ts'
import type { Analysis, Packed } from './package.ts'

/** More files than this are counted, not listed. */
const FILES_SHOWN = 200

type Props = {
  readonly analysis: Analysis
  readonly overwrite: boolean
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (name: string, isChosen: boolean) => void
}

/** The scripts of an archive: their files, and what an import makes of each. */
export function ImportPreview({ analysis, overwrite, chosen, onChoose }: Props): JSX.Element {
  return (
    <>
      <ul class="col packed">
        {analysis.scripts.map((one) => (
          <PackedScript
            key={one.file}
            packed={one}
            overwrite={overwrite}
            isChosen={chosen.has(one.name)}
            onChoose={(isChosen) => onChoose(one.name, isChosen)}
          />
        ))}
      </ul>
      {analysis.errors.length > 0 && (
        <Note kind="warning">
          <b>{t('scripts.importBad', { count: analysis.errors.length })}</b>
          <ul>
            {analysis.errors.map(({ file, name, detail }) => (
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

type ScriptProps = {
  readonly packed: Packed
  readonly overwrite: boolean
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
}

function PackedScript({ packed, overwrite, isChosen, onChoose }: ScriptProps): JSX.Element {
  const { name, group, groupExists, runner, files, conflict, missingSecrets, missingDataSources, warnings } =
    packed
  const effect = effectOf(packed, overwrite)
  const isOff = effect === 'taken' || effect === 'refused'
  const sizeBytes = files.reduce((sum, { size }) => sum + size, 0)
  return (
    <li class="col">
      <div class="row wrap">
        <Check label={<b>{name}</b>} checked={isChosen} disabled={isOff} onChange={onChoose} />
        <span class="quiet">
          {runner === null ? <State state="warning" text={t('scripts.noRunner')} /> : runner}
        </span>
        <span class="end quiet">{t(`scripts.effect.${effect}`)}</span>
      </div>
      {group !== null && (
        <p class="label">{t(groupExists ? 'scripts.importInGroup' : 'scripts.importNewGroup', { group })}</p>
      )}
      {conflict && !conflict.identical && <p class="label">{changeText(packed)}</p>}
      {conflict && conflict.dependents.count > 0 && (
        <p class="label">{t('scripts.importDependents', { count: conflict.dependents.count })}</p>
      )}
      {missingDataSources.length > 0 && (
        <Note kind="major">
          {t('scripts.importSources', {
            names: missingDataSources.map((one) => one || t('scripts.importSourceGone')).join(', '),
          })}
        </Note>
      )}
      {missingSecrets.length > 0 && (
        <Note kind="warning">{t('scripts.importSecrets', { names: missingSecrets.join(', ') })}</Note>
      )}
      {warnings.map((warning) => (
        <Note key={warning} kind="warning">
          {t(`scripts.warning.${warning}`)}
        </Note>
      ))}
      <details>
        <summary>{t('scripts.importFiles', { count: files.length, size: bytesText(sizeBytes) })}</summary>
        <ul class="packed-files">
          {files.slice(0, FILES_SHOWN).map(({ path, size, change }) => (
            <li key={path} class="row">
              <span class="grow cut">{path}</span>
              {conflict && <span class="label">{t(`scripts.change.${change}`)}</span>}
              <span class="label nowrap">{bytesText(size)}</span>
            </li>
          ))}
          {conflict?.removedFiles.slice(0, FILES_SHOWN).map((path) => (
            <li key={path} class="row">
              <del class="grow cut">{path}</del>
              <span class="label">{t('scripts.change.removed')}</span>
            </li>
          ))}
          {files.length > FILES_SHOWN && (
            <li class="label">{t('scripts.importMore', { count: files.length - FILES_SHOWN })}</li>
          )}
        </ul>
      </details>
    </li>
  )
}
