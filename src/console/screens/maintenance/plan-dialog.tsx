import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { Check, SelectField, TextField } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import { TwoZones } from './entry-dialog.tsx'
import { instantOf, localOf } from './days.ts'
import { bodyOf, HOUR_MS, RECURRENCES, shiftText } from './plan.ts'
import type { Recurrence } from './plan.ts'

export type Span = { readonly begin: number; readonly end: number }

/** Plans maintenance of one object: once, or daily, weekly or monthly at the same local time. */
export function PlanDialog({
  span,
  zone,
  onClose,
}: {
  readonly span: Span
  readonly zone: string
  readonly onClose: () => void
}): JSX.Element {
  const [object, setObject] = useState<Found | null>(null)
  const [form, setForm] = useState({
    name: '',
    begin: localOf(span.begin, zone),
    hours: String((span.end - span.begin) / HOUR_MS),
    recurrence: 'once' as Recurrence,
    slaRelevant: false,
  })
  const change = (part: Partial<typeof form>): void => setForm({ ...form, ...part })
  const begin = instantOf(form.begin, zone)
  const durationMs = Number(form.hours) * HOUR_MS
  const shift = shiftText(begin, begin + durationMs, zone)
  const submit = async (): Promise<void> => {
    if (object === null) return
    await call('post', `/${object.type}s/{id}/revaluations`, {
      path: { id: object.id },
      body: bodyOf(form, begin, zone),
    })
    invalidate('/group/1/revaluation-calendar', `/${object.type}s/${object.id}`)
    toast({ text: t('maintenance.planned', { name: object.name }) })
  }
  return (
    <FormDialog
      title={t('maintenance.plan')}
      submit={t('maintenance.plan')}
      refused={refusalOf(object, begin, durationMs)}
      onSubmit={submit}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <ObjectPicker label={t('maintenance.object')} value={object} onChange={setObject} />
          <TextField
            label={t('maintenance.name')}
            value={form.name}
            onValue={(name) => change({ name })}
            error={failure?.at('/name')}
          />
          <div class="row wrap end-aligned">
            <TextField
              label={t('maintenance.begin')}
              type="datetime-local"
              value={form.begin}
              onValue={(value) => change({ begin: value })}
              error={failure?.at('/begin')}
            />
            <TextField
              label={t('maintenance.duration')}
              type="number"
              min="0.25"
              step="0.25"
              unit="h"
              value={form.hours}
              onValue={(hours) => change({ hours })}
              error={failure?.at('/end')}
            />
            <SelectField
              label={t('maintenance.recurs')}
              value={form.recurrence}
              onValue={(recurrence) => change({ recurrence })}
              options={RECURRENCES.map((value) => ({ value, text: t(`maintenance.recurrence.${value}`) }))}
            />
          </div>
          {Number.isFinite(begin) && (
            <p class="quiet">
              <TwoZones at={begin} />
            </p>
          )}
          {shift && <Note kind="warning">{shift}</Note>}
          <Check
            label={t('maintenance.slaCheck')}
            checked={form.slaRelevant}
            onChange={(slaRelevant) => change({ slaRelevant })}
          />
        </>
      )}
    </FormDialog>
  )
}

function refusalOf(object: Found | null, begin: number, durationMs: number): string | undefined {
  if (object === null) return t('maintenance.needsObject')
  if (!Number.isFinite(begin)) return t('maintenance.needsBegin')
  return durationMs > 0 ? undefined : t('maintenance.needsDuration')
}
