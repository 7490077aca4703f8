import type { JSX } from 'preact'
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
import { OPERATORS, refusedUnless } from './rights.ts'
import type { Configuration, Script } from './script.ts'

const TYPES_SHOWN = 6

type Props = { readonly script: Script }

/** The settings of a script and its run configurations, or one of these as a form. */
export function SettingsTab({ script }: Props): JSX.Element {
  const [chosen, choose] = useQuery<string>('configuration', '')
  if (chosen === '') return <Settings script={script} />
  return (
    <div class="pad col job">
      <span>
        <Button small icon="undo" onClick={() => choose('')}>
          {t('scripts.allConfigurations')}
        </Button>
      </span>
      <ConfigurationForm script={String(script.id)} id={Number(chosen)} />
    </div>
  )
}

function Settings({ script }: Props): JSX.Element {
  const ref = String(script.id)
  const configurations = useGet('/scripts/{script}/runConfigurations', { path: { script: ref } })
  const [isNew, setNew] = useState(false)
  const [doomed, doom] = useState<Configuration | null>(null)
  const refused = refusedUnless(OPERATORS)
  const { description, timeout, runner, runnerFile, dependencyManager, dependencyFile, dependents } = script
  return (
    <div class="pad col spread">
      <KeyValues
        rows={[
          [t('scripts.description'), description || '–'],
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
          [t('scripts.dependents'), String(dependents.count)],
          [t('scripts.changed'), <Time key="changed" at={script.updatedAt} />],
        ]}
      />
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

/** A few types by name, many by their number. */
function typesText(types: readonly string[]): string {
  if (types.length > TYPES_SHOWN) return t('scripts.types', { count: types.length })
  return types.join(', ') || '–'
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
