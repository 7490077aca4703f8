import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { Check, TextField } from '../../kit/controls.tsx'
import { objectLink } from '../../kit/location.ts'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { objectsChanged } from './changed.ts'

/** Copies a device with its jobs and opens the page of the copy. */
export function CopyDialog({
  device: { id, name, isTemplate, address = '' },
  onClose,
}: {
  readonly device: {
    readonly id: number
    readonly name: string
    readonly isTemplate: boolean
    readonly address?: string
  }
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const [form, setForm] = useState({
    name: t('objects.copyOf', { name }),
    address,
    isInstance: isTemplate,
    stopped: false,
  })
  const [group, setGroup] = useState<Found | null>(null)
  const change = (part: Partial<typeof form>): void => setForm({ ...form, ...part })
  const copy = async (): Promise<void> => {
    const made = await call('post', '/devices/{id}/copy', {
      path: { id },
      query: {
        destinationName: form.name.trim(),
        destinationAddress: form.address.trim(),
        destinationType: form.isInstance ? 'instance' : 'none',
        jobsStopped: form.stopped,
        ...(group === null ? {} : { parentId: group.id }),
      },
    })
    objectsChanged()
    route(objectLink('device', made.id))
  }
  return (
    <FormDialog
      title={t('objects.copyName', { name })}
      submit={t('objects.copy')}
      onSubmit={copy}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('objects.name')}
            value={form.name}
            onValue={(text) => change({ name: text })}
            error={failure?.at('?destinationName')}
            maxLength={255}
            autofocus
            required
          />
          <TextField
            label={t('objects.address')}
            value={form.address}
            onValue={(text) => change({ address: text })}
            error={failure?.at('?destinationAddress')}
            maxLength={255}
          />
          <ObjectPicker
            label={t('objects.copyGroup')}
            value={group}
            onChange={setGroup}
            type="group"
            error={failure?.at('?parentId')}
          />
          {isTemplate && (
            <Check
              label={t('objects.copyInstance')}
              checked={form.isInstance}
              onChange={(isInstance) => change({ isInstance })}
            />
          )}
          <Check
            label={t('objects.copyStopped')}
            checked={form.stopped}
            onChange={(stopped) => change({ stopped })}
          />
        </>
      )}
    </FormDialog>
  )
}
