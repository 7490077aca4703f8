import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'

import type { Failure } from '../../api/failure.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, Check, Field, SelectField, TextField } from '../../kit/controls.tsx'
import { EditForm, patchedBy, useEditing } from '../../kit/editing.tsx'
import { Note } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { changedFields } from '../../kit/versions.ts'
import { t } from '../../language/t.ts'
import { KEEPERS, refusedUnless } from './rights.ts'
import { typesText } from './script.ts'
import type { Group, Script } from './script.ts'
import { scriptDraftOf, scriptFaultOf, scriptPatchOf } from './script-draft.ts'
import type { ScriptDraft } from './script-draft.ts'

const ROUTE = '/scripts/{script}'

/** The settings of a script as a form. */
export function ScriptForm({
  script,
  etag,
}: {
  readonly script: Script
  readonly etag: string | undefined
}): JSX.Element {
  const { path: shown, route } = useLocation()
  const groups = useGet('/scripts/groups', {}).data ?? []
  const editing = useEditing(
    { object: script, etag },
    patchedBy(
      ROUTE,
      { path: { script: String(script.id) } },
      {
        draftOf: scriptDraftOf,
        bodyOf: (before, draft) => scriptPatchOf(changedFields(before, draft)),
        saved: () => {
          // A page that was opened by the former name would find nothing.
          const own = linkTo(`scripts/${script.id}`)
          if (shown !== own) route(own + location.search, true)
          invalidate('/scripts')
        },
      },
    ),
  )
  const { draft, failure, change } = editing
  const fault = scriptFaultOf(draft)
  return (
    <EditForm
      editing={editing}
      refused={refusedUnless(KEEPERS) ?? (fault && t(fault))}
      aside={<Note kind="info">{t('scripts.fromFiles')}</Note>}
      fieldText={(field) => t(`scripts.field.${field}`)}
      valueText={(version, field) => valueText(version, field, groups)}
    >
      <ScriptFields draft={draft} groups={groups} failure={failure} onChange={change} />
    </EditForm>
  )
}

function valueText(draft: ScriptDraft, field: keyof ScriptDraft, groups: readonly Group[]): string {
  if (field === 'acceptedFiles') return typesText(draft.acceptedFiles)
  if (field === 'timeout' && draft.timeout === '') return t('scripts.noTimeout')
  if (field === 'groupId') return groupText(draft.groupId, groups)
  return draft[field]
}

function groupText(id: string, groups: readonly Group[]): string {
  return groups.find((group) => String(group.id) === id)?.name ?? `#${id}`
}

type FieldsProps = {
  readonly draft: ScriptDraft
  readonly groups: readonly Group[]
  readonly failure: Failure | null
  readonly onChange: (part: Partial<ScriptDraft>) => void
}

function ScriptFields({ draft, groups, failure, onChange }: FieldsProps): JSX.Element {
  // The group of the script is a choice before the list of groups is read.
  const ids = [...new Set([draft.groupId, ...groups.map(({ id }) => String(id))])]
  return (
    <div class="col">
      <TextField
        label={t('scripts.name')}
        value={draft.name}
        onValue={(name) => onChange({ name })}
        error={failure?.at('/name')}
      />
      <Field label={t('scripts.description')} error={failure?.at('/description')}>
        {(attributes) => (
          <textarea
            class="input"
            rows={3}
            value={draft.description}
            onInput={(event) => onChange({ description: event.currentTarget.value })}
            {...attributes}
          />
        )}
      </Field>
      <div class="two-up">
        <SelectField
          label={t('scripts.group')}
          value={draft.groupId}
          onValue={(groupId) => onChange({ groupId })}
          error={failure?.at('/groupId')}
          options={ids.map((value) => ({ value, text: groupText(value, groups) }))}
        />
        <TextField
          label={t('scripts.timeout')}
          hint={t('scripts.noTimeoutHint')}
          unit={t('scripts.seconds')}
          inputMode="numeric"
          value={draft.timeout}
          onValue={(timeout) => onChange({ timeout })}
          error={failure?.at('/timeout')}
        />
      </div>
      <AcceptedFiles
        chosen={draft.acceptedFiles}
        onChange={(acceptedFiles) => onChange({ acceptedFiles })}
        error={failure?.at('/acceptedFiles')}
      />
    </div>
  )
}

/** The types of files that a run can get. */
function AcceptedFiles({
  chosen,
  onChange,
  error,
}: {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly error: string | undefined
}): JSX.Element {
  const all: readonly string[] = useGet('/scripts/mimetypes', {}).data ?? chosen
  return (
    <fieldset class="col">
      <legend>{t('scripts.accepts')}</legend>
      <div class="row wrap">
        <span class="quiet">{t('scripts.typesChosen', { count: chosen.length, total: all.length })}</span>
        <Button small onClick={() => onChange(all)}>
          {t('scripts.typesAll')}
        </Button>
        <Button small onClick={() => onChange([])}>
          {t('scripts.typesNone')}
        </Button>
      </div>
      {error && <span class="err">{error}</span>}
      <details>
        <summary>{t('scripts.typesChoose')}</summary>
        <div class="types">
          {all.map((type) => (
            <Check
              key={type}
              label={type}
              checked={chosen.includes(type)}
              onChange={(on) => onChange(all.filter((one) => (one === type ? on : chosen.includes(one))))}
            />
          ))}
        </div>
      </details>
    </fieldset>
  )
}
