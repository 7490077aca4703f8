import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { Check, Field, SelectField, TextField } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { objectsChanged } from './changed.ts'
import { PropertiesFields } from './properties-fields.tsx'
import type { Property } from './properties-fields.tsx'

const INSTANCE_TYPES = ['none', 'instance', 'sub'] as const
const DEVICE_TEXTS = ['address', 'netmask', 'deviceName'] as const

/** A group, a device or a job as the API answers it. */
type Editable = {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly subType: string
  readonly isTemplate: boolean
  readonly instanceType: (typeof INSTANCE_TYPES)[number]
  readonly properties: readonly Property[]
  readonly collectorId?: number
  readonly parameter?: object
} & { readonly [Key in (typeof DEVICE_TEXTS)[number]]?: string }

type Draft = Omit<Editable, 'parameter'> & {
  /** JSON. */
  readonly parameter: string
}
type FieldsProps = {
  readonly type: string
  readonly draft: Draft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}

/** Changes the fields of an object, unless it was changed since it was read. */
export function EditDialog({
  object,
  etag,
  onClose,
}: {
  readonly object: Editable
  readonly etag: string | undefined
  readonly onClose: () => void
}): JSX.Element {
  const { type } = object
  // The version that the user began with: events read the object again meanwhile.
  const [base] = useState({ object, etag })
  const [draft, setDraft] = useState(() => draftOf(object))
  const parameter = jsonObjectOf(draft.parameter)
  const save = async (): Promise<void> => {
    const body = { ...draft, name: draft.name.trim(), parameter }
    const path = { id: object.id }
    // A patch would merge the parameters of a device, so that none could be removed.
    if (type === 'device')
      await call('put', '/devices/{id}', {
        path,
        body: { ...base.object, ...body } as never,
        ifMatch: base.etag,
      })
    else
      await call('patch', `/${type as 'group'}s/{id}`, {
        path,
        body: ownFields(type, body),
        ifMatch: base.etag,
      })
    objectsChanged()
  }
  return (
    <FormDialog
      title={t('objects.editName', { name: object.name })}
      submit={t('objects.save')}
      refused={parameter === null ? t('objects.badJson') : undefined}
      onSubmit={save}
      onClose={onClose}
      wide
    >
      {(failure) => (
        <Fields
          type={type}
          draft={draft}
          failure={failure}
          onChange={(part) => setDraft({ ...draft, ...part })}
        />
      )}
    </FormDialog>
  )
}

function draftOf({ parameter = {}, ...fields }: Editable): Draft {
  const properties = fields.properties.map(({ key, value }) => ({ key, value }))
  return { ...fields, properties, parameter: JSON.stringify(parameter, null, 2) }
}

/** The fields that a group or a job has. */
function ownFields(type: string, draft: Omit<Draft, 'parameter'>): Record<string, unknown> {
  const { name, subType, isTemplate, instanceType, properties, collectorId } = draft
  const common = { name, isTemplate, instanceType, properties }
  return type === 'job' ? { ...common, collectorId } : { ...common, subType }
}

/** The object that a text is in JSON; null for another text. */
function jsonObjectOf(text: string): object | null {
  try {
    const json: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : null
  } catch {
    return null
  }
}

function Fields({ type, draft, failure, onChange }: FieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={t('objects.name')}
        value={draft.name}
        onValue={(name) => onChange({ name })}
        error={failure?.at('/name')}
        maxLength={255}
        autofocus
        required
      />
      {type === 'device' &&
        DEVICE_TEXTS.map((field) => (
          <TextField
            key={field}
            label={t(`objects.${field}`)}
            value={draft[field] ?? ''}
            onValue={(value) => onChange({ [field]: value })}
            error={failure?.at(`/${field}`)}
            maxLength={255}
          />
        ))}
      {type !== 'group' && <CollectorField type={type} draft={draft} failure={failure} onChange={onChange} />}
      <PropertiesFields
        rows={draft.properties}
        failure={failure}
        onChange={(properties) => onChange({ properties })}
      />
      <details>
        <summary>{t('objects.rareFields')}</summary>
        <div class="col">
          <RareFields type={type} draft={draft} failure={failure} onChange={onChange} />
        </div>
      </details>
    </>
  )
}

/** The user whose deliveries the jobs accept. */
function CollectorField({ type, draft, failure, onChange }: FieldsProps): JSX.Element {
  const users = useGet('/users', {})
  const collectors = (users.data ?? []).filter(({ role }) => role === 'collector')
  return (
    <SelectField
      label={t('objects.collector')}
      hint={t(`objects.collectorHint.${type}`)}
      value={String(draft.collectorId ?? 0)}
      onValue={(id) => onChange({ collectorId: Number(id) })}
      options={[
        { value: '0', text: t(`objects.collectorAny.${type}`) },
        ...collectors.map(({ id, username }) => ({ value: String(id), text: username })),
      ]}
      error={failure?.at('/collectorId')}
    />
  )
}

function RareFields({ type, draft, failure, onChange }: FieldsProps): JSX.Element {
  return (
    <>
      {type !== 'job' && (
        <TextField
          label={t('objects.subType')}
          value={draft.subType}
          onValue={(subType) => onChange({ subType })}
          error={failure?.at('/subType')}
          maxLength={64}
        />
      )}
      <Check
        label={t('objects.isTemplate')}
        checked={draft.isTemplate}
        onChange={(isTemplate) => onChange({ isTemplate })}
      />
      <SelectField
        label={t('objects.instanceType')}
        value={draft.instanceType}
        onValue={(instanceType) => onChange({ instanceType })}
        options={INSTANCE_TYPES.map((value) => ({ value, text: t(`objects.instanceType.${value}`) }))}
        error={failure?.at('/instanceType')}
      />
      {type === 'device' && (
        <Field
          label={t('objects.parameter')}
          hint={t('objects.parameterHint')}
          error={failure?.at('/parameter')}
        >
          {(attributes) => (
            <textarea
              class="input"
              rows={4}
              spellcheck={false}
              value={draft.parameter}
              onInput={(event) => onChange({ parameter: event.currentTarget.value })}
              {...attributes}
            />
          )}
        </Field>
      )}
    </>
  )
}
