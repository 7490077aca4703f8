import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Field, SelectField } from '../../kit/controls.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { linesOf } from './configuration.ts'

type Props = { readonly script: string; readonly onClose: () => void }

/** Orders a run: a run configuration, and arguments in the place of the configuration's own. */
export function RunForm({ script, onClose }: Props): JSX.Element {
  const { route } = useLocation()
  const configurations = useGet('/scripts/{script}/runConfigurations', { path: { script } }).data ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const initial = configurations.find(({ isDefault }) => isDefault) ?? configurations[0]
  const configuration = configurations.find(({ id }) => String(id) === chosen) ?? initial
  const submit = async (): Promise<void> => {
    const run = await call('post', '/scripts/{script}/run', {
      path: { script },
      body: {
        ...(configuration ? { runConfigurationId: configuration.id } : {}),
        ...(typed === null ? {} : { arguments: linesOf(typed) }),
      },
    })
    // The list of scripts has the last run of each.
    invalidate('/scripts')
    route(linkTo(`scripts/${script}/jobs/${run.id}`))
  }
  return (
    <FormDialog title={t('scripts.run')} submit={t('scripts.run')} onSubmit={submit} onClose={onClose}>
      {(failure) => (
        <>
          {configurations.length > 0 && (
            <SelectField
              label={t('scripts.configuration')}
              value={String(configuration?.id ?? '')}
              onValue={(value) => {
                setChosen(value)
                setTyped(null)
              }}
              error={failure?.at('/runConfigurationId')}
              options={configurations.map(({ id, name }) => ({ value: String(id), text: name }))}
            />
          )}
          <Field
            label={t('scripts.arguments')}
            hint={t('scripts.argumentsHint')}
            error={failure?.at('/arguments')}
          >
            {(attributes) => (
              <textarea
                class="input mono"
                rows={4}
                spellcheck={false}
                value={typed ?? (configuration?.arguments ?? []).join('\n')}
                onInput={(event) => setTyped(event.currentTarget.value)}
                {...attributes}
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  )
}
