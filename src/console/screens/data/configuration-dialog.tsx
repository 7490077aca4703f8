import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { background } from '../../kit/background.ts'
import { Check } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { FileDrop } from '../../kit/file-drop.tsx'
import { Dialog, FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { importConfiguration } from './configuration.ts'
import type { Imported } from './configuration.ts'
import { configurationOf } from './configuration-file.ts'
import type { Configuration } from './configuration-file.ts'
import { sourceLink } from './sources.ts'
import type { Source } from './sources.ts'

type Chosen = { readonly file: File; readonly configuration: Configuration | null }

/** Imports data sources from the file of an export. The dialog lists the sources of the file, the sources that exist, and the
 * passwords and subjects that are missing after the import. */
export function ConfigurationDialog({
  sources,
  onClose,
}: {
  readonly sources: readonly Source[]
  readonly onClose: () => void
}): JSX.Element {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [overwrite, setOverwrite] = useState(false)
  const [imported, setImported] = useState<Imported | null>(null)
  const known = new Set(sources.map(({ name }) => name.toLowerCase()))
  const names = chosen?.configuration?.names ?? []
  const there = names.filter((name) => known.has(name.toLowerCase()))
  const refused = (): string | undefined => {
    if (!chosen?.configuration) return t('data.chooseFile')
    return there.length > 0 && !overwrite ? t('data.namesTaken', { names: there.join(', ') }) : undefined
  }
  if (imported) return <Done imported={imported} onClose={onClose} />
  return (
    <FormDialog
      title={t('data.importConfiguration')}
      submit={t('data.importCount', { count: names.length })}
      refused={refused()}
      onSubmit={async () => {
        if (chosen?.configuration) setImported(await importConfiguration(chosen.configuration, { overwrite }))
      }}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {() => (
        <>
          <FileDrop
            label={t('data.configurationFile')}
            hint={t('data.configurationHint')}
            accept=".json"
            file={chosen?.file ?? null}
            onFile={(file) =>
              background(
                file.text().then((text) => setChosen({ file, configuration: configurationOf(text) })),
              )
            }
          />
          {chosen && chosen.configuration === null && (
            <Note kind="major" role="alert">
              {t('data.noConfiguration', { name: chosen.file.name })}
            </Note>
          )}
          <ul>
            {names.map((name) => (
              <li key={name}>
                <b>{name}</b>{' '}
                <span class="quiet">{t(there.includes(name) ? 'data.isThere' : 'data.isNew')}</span>
              </li>
            ))}
          </ul>
          {there.length > 0 && (
            <Check label={t('data.overwrite')} checked={overwrite} onChange={setOverwrite} />
          )}
        </>
      )}
    </FormDialog>
  )
}

function Done({
  imported,
  onClose,
}: {
  readonly imported: Imported
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog title={t('data.importConfiguration')} onClose={onClose}>
      <div class="col">
        <Note kind="ok" icon="check" role="status">
          {t('data.importedCount', { count: imported.length })}
        </Note>
        <ul class="col">
          {imported.map(({ id, name, action, missingPassword, missingSubjects }) => (
            <li key={id}>
              <a href={sourceLink(id)}>{name}</a> <span class="quiet">{t(`data.action.${action}`)}</span>
              {missingPassword && <div class="small">{t('data.missingPassword')}</div>}
              {missingSubjects.map(({ scope, users, userGroups }) => (
                <div key={scope} class="small">
                  {t('data.missingSubjects', { scope, names: [...users, ...userGroups].join(', ') })}
                </div>
              ))}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
