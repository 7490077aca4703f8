import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { EditForm, patchedBy, useEditing } from '../../kit/editing.tsx'
import { Note, Show } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { changedFields } from '../../kit/versions.ts'
import type { Version } from '../../kit/versions.ts'
import { t } from '../../language/t.ts'
import { ConfigurationFields } from './configuration-fields.tsx'
import { bodyOf, draftOf, faultOf, NEW_DRAFT } from './configuration.ts'
import type { Draft, VariableRow } from './configuration.ts'
import { OPERATORS, refusedUnless } from './rights.ts'
import type { Configuration } from './script.ts'

const ROUTE = '/scripts/{script}/runConfigurations/{id}'

/** Creates a run configuration. */
export function NewConfiguration({
  script,
  onClose,
}: {
  readonly script: string
  readonly onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState<Draft>(NEW_DRAFT)
  const fault = faultOf(draft)
  const create = async (): Promise<void> => {
    const body = bodyOf(draft) as never
    await call('post', '/scripts/{script}/runConfigurations', { path: { script }, body })
    invalidate(`/scripts/${script}/runConfigurations`)
  }
  return (
    <FormDialog
      title={t('scripts.newConfiguration')}
      submit={t('scripts.create')}
      wide
      refused={fault && t(fault)}
      onSubmit={create}
      onClose={onClose}
    >
      {(failure) => (
        <ConfigurationFields
          draft={draft}
          failure={failure}
          onChange={(part) => setDraft((now) => ({ ...now, ...part }))}
        />
      )}
    </FormDialog>
  )
}

type Props = { readonly script: string; readonly id: number }

/** A run configuration as a form. */
export function ConfigurationForm({ script, id }: Props): JSX.Element {
  const resource = useGet(ROUTE, { path: { script, id } })
  return (
    <Show resource={resource} what={t('scripts.failedConfiguration')}>
      {(object) => <Loaded key={id} script={script} id={id} version={{ object, etag: resource.etag }} />}
    </Show>
  )
}

function Loaded({ script, id, version }: Props & { readonly version: Version<Configuration> }): JSX.Element {
  const editing = useEditing(
    version,
    patchedBy(
      ROUTE,
      { path: { script, id } },
      {
        draftOf,
        bodyOf: (before, draft) =>
          bodyOf(draft, Object.keys(changedFields(before, draft)) as (keyof Draft)[]),
        saved: () => invalidate(`/scripts/${script}/runConfigurations`),
      },
    ),
  )
  const { draft, failure, change } = editing
  const fault = faultOf(draft)
  return (
    <EditForm
      editing={editing}
      refused={refusedUnless(OPERATORS) ?? (fault && t(fault))}
      aside={<Note kind="info">{t('scripts.configurationRights')}</Note>}
      fieldText={(field) => t(`scripts.field.${field}`)}
      valueText={(shown, field) => valueText(shown[field])}
    >
      <ConfigurationFields draft={draft} failure={failure} onChange={change} />
    </EditForm>
  )
}

/** A field of a draft for people; a secret by its name. */
function valueText(value: Draft[keyof Draft]): string {
  if (typeof value !== 'object') return String(value)
  if (value === null) return '–'
  return value.map(variableText).join('\n')
}

function variableText({ key, text, isSecret, isSet }: VariableRow): string {
  if (!isSecret) return `${key}=${text}`
  if (text !== '') return `${key}: ${t('scripts.secretNew')}`
  return `${key}: ${t(isSet ? 'scripts.secretSet' : 'scripts.secretUnset')}`
}
