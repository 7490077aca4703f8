import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { KeyValues } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { durationText, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import type { Configuration, Script } from './script.ts'

const TYPES_SHOWN = 6

/** The settings of a script and its run configurations. Values of secrets are never shown. */
export function SettingsTab({ script }: { readonly script: Script }): JSX.Element {
  const configurations = useGet('/scripts/{script}/runConfigurations', {
    path: { script: String(script.id) },
  })
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
            <h2>{t('scripts.configurations', { count: all.length })}</h2>
            <div class="two-up">
              {all.map((one) => (
                <ConfigurationFacts key={one.id} configuration={one} />
              ))}
            </div>
          </>
        )}
      </Show>
    </div>
  )
}

/** A few types by name, many by their number. */
function typesText(types: readonly string[]): string {
  if (types.length > TYPES_SHOWN) return t('scripts.types', { count: types.length })
  return types.join(', ') || '–'
}

function ConfigurationFacts({ configuration }: { readonly configuration: Configuration }): JSX.Element {
  const { name, isDefault, timeout, concurrency, retries, runnerLabels, network, envVariables } =
    configuration
  return (
    <section class="col">
      <h3>{isDefault ? t('scripts.isDefault', { name }) : name}</h3>
      <KeyValues
        rows={[
          [t('scripts.arguments'), <code key="arguments">{configuration.arguments.join(' ') || '–'}</code>],
          [t('scripts.timeout'), timeout === null ? t('scripts.asScript') : durationText(timeout * 1000)],
          [t('scripts.concurrency'), t(`scripts.concurrency.${concurrency}`)],
          [t('scripts.retries'), String(retries)],
          ...(runnerLabels.length > 0 ? [[t('scripts.labels'), runnerLabels.join(', ')] as const] : []),
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
