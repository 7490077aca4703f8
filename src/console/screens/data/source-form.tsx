import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { callVersioned } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { Check, Field, Segments, SelectField, TextField } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { ConnectionFields } from './connection-fields.tsx'
import { ConnectionTest } from './connection-test.tsx'
import { bodyOf, draftOf, isComplete, withType } from './source-draft.ts'
import type { FieldsProps, SourceDraft } from './source-draft.ts'
import { sourceLink } from './sources.ts'
import type { Source } from './sources.ts'

const TYPES = ['postgresql', 'mysql', 'csv'] as const

/** Creates a data source, or changes one. A stored password is never shown, and stays unless another is typed.
 * @param etag the version of the source that the user has seen */
export function SourceForm({
  source,
  etag,
  onClose,
}: {
  readonly source?: Source
  readonly etag?: string | undefined
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [draft, setDraft] = useState(() => draftOf(source))
  const change = (part: Partial<SourceDraft>): void => setDraft({ ...draft, ...part })
  const save = async (): Promise<void> => {
    const saved = await send(draft, source, etag)
    invalidate('/dataSources')
    toast({ text: t('data.saved', { name: saved.name }) })
    if (source === undefined) route(sourceLink(saved.id))
  }
  return (
    <FormDialog
      title={source ? t('data.editName', { name: source.name }) : t('data.new')}
      submit={source ? t('data.save') : t('data.create')}
      wide
      refused={isComplete(draft) ? undefined : t('data.incomplete')}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => {
        const fields = { draft, failure, change }
        return (
          <div class="col spread">
            {source === undefined && (
              <Field label={t('data.type')} hint={t(`data.typeText.${draft.type}`)}>
                {() => (
                  <div>
                    <Segments
                      label={t('data.type')}
                      value={draft.type}
                      onChange={(type) => setDraft(withType(draft, type))}
                      options={TYPES.map((value) => ({ value, text: t(`data.type.${value}`) }))}
                    />
                  </div>
                )}
              </Field>
            )}
            <BaseFields {...fields} />
            {draft.type !== 'csv' && (
              <>
                <ConnectionFields {...fields} />
                <ConnectionTest draft={draft} />
              </>
            )}
          </div>
        )
      }}
    </FormDialog>
  )
}

function BaseFields({ draft, failure, change }: FieldsProps): JSX.Element {
  return (
    <div class="form-grid">
      <TextField
        label={t('data.name')}
        value={draft.name}
        onValue={(name) => change({ name })}
        error={failure?.at('/name')}
        autofocus
      />
      <TextField
        label={t('data.description')}
        value={draft.description}
        onValue={(description) => change({ description })}
        error={failure?.at('/description')}
      />
      <TextField
        label={t('data.timeout')}
        hint={t('data.timeoutHint')}
        inputMode="numeric"
        unit="s"
        value={draft.timeoutS}
        onValue={(timeoutS) => change({ timeoutS })}
        error={failure?.at('/timeout')}
      />
      {draft.type === 'postgresql' && (
        <SelectField
          label={t('data.scopeMode')}
          hint={t(`data.scopeModeText.${draft.scopeMode}`)}
          value={draft.scopeMode}
          onValue={(scopeMode) => change({ scopeMode })}
          options={(['filters', 'native'] as const).map((value) => ({
            value,
            text: t(`data.scopeMode.${value}`),
          }))}
        />
      )}
      {draft.type !== 'csv' && (
        <Check
          label={t('data.readOnly')}
          checked={draft.readOnly}
          onChange={(readOnly) => change({ readOnly })}
        />
      )}
    </div>
  )
}

async function send(
  draft: SourceDraft,
  source: Source | undefined,
  etag: string | undefined,
): Promise<Source> {
  const body = bodyOf(draft)
  if (source === undefined)
    return (await callVersioned('post', '/dataSources', { body } as Call<'/dataSources', 'post'>)).data
  const replaced = { path: { id: source.id }, body, ifMatch: etag } as Call<'/dataSources/{id}', 'put'>
  return (await callVersioned('put', '/dataSources/{id}', replaced)).data
}
