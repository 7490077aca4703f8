import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../../api/client.ts'
import type { Failure } from '../../../api/failure.ts'
import { TextField } from '../../../kit/controls.tsx'
import { objectLink } from '../../../kit/location.ts'
import { FormDialog } from '../../../kit/overlays.tsx'
import { t } from '../../../language/t.ts'
import { objectsChanged } from '../changed.ts'
import { setOpen } from '../tree/branches.ts'

export type Addable = 'group' | 'device' | 'job'
type Form = {
  readonly name: string
  readonly address: string
  readonly valueName: string
  readonly valueUnit: string
  /** The timeout in minutes. */
  readonly timeout: string
}
const EMPTY: Form = { name: '', address: '', valueName: '', valueUnit: '', timeout: '' }

type Props = {
  readonly type: Addable
  readonly parent: { readonly id: number; readonly name: string }
  readonly onClose: () => void
}

/** Adds a group or a device to a group, or a job to a device, and opens its page. */
export function AddDialog({ type, parent, onClose }: Props): JSX.Element {
  const { route } = useLocation()
  const [form, setForm] = useState(EMPTY)
  const add = async (): Promise<void> => {
    const id = await create(type, parent.id, form)
    setOpen([parent.id], true)
    objectsChanged()
    route(objectLink(type, id))
  }
  return (
    <FormDialog
      title={t(`objects.addTo.${type}`, { name: parent.name })}
      submit={t('objects.add')}
      onSubmit={add}
      onClose={onClose}
    >
      {(failure) => (
        <Fields
          type={type}
          form={form}
          failure={failure}
          onChange={(part) => setForm({ ...form, ...part })}
        />
      )}
    </FormDialog>
  )
}

async function create(type: Addable, parentId: number, form: Form): Promise<number> {
  const query = { parentId }
  const name = form.name.trim()
  if (type === 'group') return (await call('post', '/groups', { query, body: { name } })).id
  if (type === 'device') {
    const body = { name, address: form.address.trim() }
    return (await call('post', '/devices', { query, body })).id
  }
  const { valueName, valueUnit, timeout } = form
  const parameters = {
    ...(valueName === '' ? {} : { returnValue: [{ valueName, valueUnit }] }),
    ...(timeout === '' ? {} : { timeout: `PT${timeout}M` }),
  }
  return (await call('post', '/jobs', { query, body: { name, parameters } })).id
}

type FieldsProps = {
  readonly type: Addable
  readonly form: Form
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Form>) => void
}

function Fields({ type, form, failure, onChange }: FieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={t('objects.name')}
        value={form.name}
        onValue={(name) => onChange({ name })}
        error={failure?.at('/name')}
        maxLength={255}
        autofocus
        required
      />
      {type === 'device' && (
        <TextField
          label={t('objects.address')}
          hint={t('objects.addressHint')}
          value={form.address}
          onValue={(address) => onChange({ address })}
          error={failure?.at('/address')}
        />
      )}
      {type === 'job' && <JobFields type={type} form={form} failure={failure} onChange={onChange} />}
    </>
  )
}

function JobFields({ form, failure, onChange }: FieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={t('objects.valueName')}
        hint={t('objects.valueNameHint')}
        value={form.valueName}
        onValue={(valueName) => onChange({ valueName })}
        error={failure?.at('/parameters/returnValue/0/valueName')}
      />
      <TextField
        label={t('objects.valueUnit')}
        value={form.valueUnit}
        onValue={(valueUnit) => onChange({ valueUnit })}
        error={failure?.at('/parameters/returnValue/0/valueUnit')}
      />
      <TextField
        label={t('objects.timeout')}
        hint={t('objects.timeoutHint')}
        unit={t('objects.minutes')}
        type="number"
        min={1}
        value={form.timeout}
        onValue={(timeout) => onChange({ timeout })}
        error={failure?.at('/parameters/timeout')}
      />
    </>
  )
}
