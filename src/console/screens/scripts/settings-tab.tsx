import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { KeyValues } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, objectLink, useQuery } from '../../kit/location.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { durationText, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { ConfigurationForm, NewConfiguration } from './configuration-form.tsx'
import { DeleteScript } from './delete-script.tsx'
import { KEEPERS, OPERATORS, refusedUnless } from './rights.ts'
import { dependentTexts, typesText } from './script.ts'
import type { Configuration, Script } from './script.ts'
import { ScriptForm } from './script-form.tsx'

type Props = { readonly script: Script }

/** The settings of a script and its run configurations, or a form of the settings or of one configuration. */
export function SettingsTab({ script, etag }: Props & { readonly etag: string | undefined }): JSX.Element {
  const [chosen, choose] = useQuery<string>('configuration', '')
  const [edited, edit] = useQuery<'' | 'script'>('edit', '')
  if (edited !== '')
    return (
      <FormPage back={t('scripts.allSettings')} onBack={() => edit('')}>
        <ScriptForm key={script.id} script={script} etag={etag} />
      </FormPage>
    )
  if (chosen === '') return <Settings script={script} />
  return (
    <FormPage back={t('scripts.allConfigurations')} onBack={() => choose('')}>
      <ConfigurationForm script={String(script.id)} id={Number(chosen)} />
    </FormPage>
  )
}

/** A form in the place of the settings, and the way back to them. */
function FormPage({
  back,
  onBack,
  children,
}: {
  readonly back: string
  readonly onBack: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class="pad col job">
      <span>
        <Button small icon="undo" onClick={onBack}>
          {back}
        </Button>
      </span>
      {children}
    </div>
  )
}

function Settings({ script }: Props): JSX.Element {
  const ref = String(script.id)
  const configurations = useGet('/scripts/{script}/runConfigurations', { path: { script: ref } })
  const [isNew, setNew] = useState(false)
  const [doomed, doom] = useState<Configuration | null>(null)
  const refused = refusedUnless(OPERATORS)
  return (
    <div class="pad col spread">
      <ScriptFacts script={script} />
      <Show resource={configurations}>
        {(all) => (
          <>
            <div class="row wrap">
              <h2>{t('scripts.configurations', { count: all.length })}</h2>
              <span class="end">
                <Button small icon="plus" refused={refused} onClick={() => setNew(true)}>
                  {t('scripts.newConfiguration')}
                </Button>
              </span>
            </div>
            <div class="two-up">
              {all.map((one) => (
                <ConfigurationFacts
                  key={one.id}
                  script={script.id}
                  configuration={one}
                  onDelete={() => doom(one)}
                />
              ))}
            </div>
          </>
        )}
      </Show>
      {isNew && <NewConfiguration script={ref} onClose={() => setNew(false)} />}
      {doomed && (
        <Confirm
          title={t('scripts.deleteName', { name: doomed.name })}
          effect={t('scripts.deleteConfigurationEffect', { name: doomed.name })}
          submit={t('scripts.delete')}
          onConfirm={async () => {
            await call('delete', '/scripts/{script}/runConfigurations/{id}', {
              path: { script: ref, id: doomed.id },
            })
            invalidate(`/scripts/${ref}`)
          }}
          onClose={() => doom(null)}
        />
      )}
    </div>
  )
}

/** The settings of a script, and how they are changed and the script is deleted. */
function ScriptFacts({ script }: Props): JSX.Element {
  const [isDoomed, setDoomed] = useState(false)
  const refused = refusedUnless(KEEPERS)
  const { id, description, timeout, runner, runnerFile, dependencyManager, dependencyFile } = script
  return (
    <section class="col">
      <div class="row wrap">
        <h2>{t('scripts.tab.settings')}</h2>
        <span class="end row">
          <a class="btn small" href={linkTo(`scripts/${id}`, { tab: 'settings', edit: 'script' })}>
            {t('scripts.editSettings')}
          </a>
          <Button small refused={refused} onClick={() => setDoomed(true)}>
            {t('scripts.deleteScript')}
          </Button>
        </span>
      </div>
      <KeyValues
        rows={[
          [
            t('scripts.description'),
            <span key="description" class="pre">
              {description || '–'}
            </span>,
          ],
          [
            t('scripts.runner'),
            runner === null ? '–' : t('scripts.runnerFile', { runner, file: runnerFile ?? '' }),
          ],
          [
            t('scripts.packages'),
            dependencyManager === 'none' ? '–' : `${dependencyManager} · ${dependencyFile ?? ''}`,
          ],
          [t('scripts.timeout'), timeout === 0 ? t('scripts.noTimeout') : durationText(timeout * 1000)],
          [t('scripts.accepts'), typesText(script.acceptedFiles)],
          [t('scripts.dependents'), dependentTexts(script.dependents).join(', ') || '–'],
          [t('scripts.changed'), <Time key="changed" at={script.updatedAt} />],
        ]}
      />
      {isDoomed && <DeleteScript script={script} onClose={() => setDoomed(false)} />}
    </section>
  )
}

function ConfigurationFacts({
  script,
  configuration,
  onDelete,
}: {
  readonly script: number
  readonly configuration: Configuration
  readonly onDelete: () => void
}): JSX.Element {
  const { id, name, isDefault, timeout, concurrency, retries, runnerLabels, network, envVariables } =
    configuration
  const { reportTo, database, filesystem } = configuration
  return (
    <section class="col">
      <div class="row wrap">
        <h3>{isDefault ? t('scripts.isDefault', { name }) : name}</h3>
        <span class="end row">
          <a class="btn small" href={linkTo(`scripts/${script}`, { tab: 'settings', configuration: id })}>
            {t('scripts.editName', { name })}
          </a>
          <Button
            small
            refused={refusedUnless(OPERATORS)}
            aria-label={t('scripts.deleteName', { name })}
            onClick={onDelete}
          >
            {t('scripts.delete')}
          </Button>
        </span>
      </div>
      <KeyValues
        rows={[
          [t('scripts.arguments'), <code key="arguments">{configuration.arguments.join(' ') || '–'}</code>],
          [t('scripts.timeout'), timeout === null ? t('scripts.asScript') : durationText(timeout * 1000)],
          [t('scripts.concurrency'), t(`scripts.concurrency.${concurrency}`)],
          [t('scripts.retries'), String(retries)],
          ...(runnerLabels.length > 0 ? [[t('scripts.labels'), runnerLabels.join(', ')] as const] : []),
          ...(reportTo === null
            ? []
            : [
                [
                  t('scripts.report'),
                  <a key="report" href={objectLink('job', reportTo.jobId)}>
                    {t('scripts.reportJob', { id: String(reportTo.jobId) })}
                  </a>,
                ] as const,
              ]),
          ...(database === null
            ? []
            : [
                [
                  t('scripts.source'),
                  `#${database.dataSourceId} · ${t(`scripts.access.${database.access}`)}`,
                ] as const,
              ]),
          ...(filesystem === null ? [] : [[t('scripts.paths'), filesystem.paths.join(', ')] as const]),
          ...(network.length > 0 ? [[t('scripts.network'), network.join(', ')] as const] : []),
          ...envVariables.map(
            (variable) =>
              [
                <code key={variable.key}>{variable.key}</code>,
                'value' in variable ? variable.value : <SecretText key="secret" isSet={variable.valueSet} />,
              ] as const,
          ),
        ]}
      />
    </section>
  )
}

function SecretText({ isSet }: { readonly isSet: boolean }): JSX.Element {
  return (
    <span class="row faint">
      <Icon name="lock" />
      {t(isSet ? 'scripts.secretSet' : 'scripts.secretUnset')}
    </span>
  )
}
