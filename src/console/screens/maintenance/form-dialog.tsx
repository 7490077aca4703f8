import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Failure } from '../../api/failure.ts'
import { Check, Field, SelectField, TextField } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { now } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { hasBegun, isSeries, scheduleOf, stepOf } from './changes.ts'
import type { Body } from './changes.ts'
import { bodyOfForm, formOf, missingIn, newForm, REPEATS, withRules } from './form.ts'
import type { Form, Repeats } from './form.ts'
import { NextTimes } from './next-times.tsx'
import { placeText } from './occurrences.ts'
import type { Entry } from './occurrences.ts'
import { RulesEditor } from './rules-editor.tsx'
import type { Span } from './schedule.ts'
import { change, create } from './save.ts'
import { titleOf } from './texts.ts'

const TYPES = ['maintenance', 'adjustment', 'comment'] as const
const STATES = ['ok', 'warning', 'minor', 'major'] as const

/** A form for a new revaluation at a time, or for one that exists. */
export function EditDialog({
  of,
  zone,
  onClose,
}: {
  readonly of: Span | Entry
  readonly zone: string
  readonly onClose: () => void
}): JSX.Element {
  const entry = 'object' in of ? of : null
  const [object, setObject] = useState<Found | null>(null)
  const [form, setForm] = useState<Form>(() => ('object' in of ? formOf(of, zone) : newForm(of, zone)))
  const edit = (part: Partial<Form>): void => setForm((before) => ({ ...before, ...part }))
  const missing = missingIn(form, zone)
  const body = bodyOfForm(form, zone, entry)
  const save = async (): Promise<void> => {
    if (entry) {
      const undo = await change(entry, body)
      toast({ text: t('maintenance.saved', { name: titleOf(entry) }), undo })
    } else if (object) {
      const undo = await create(object, body)
      toast({ text: t(`maintenance.planned.${form.type}`, { name: object.name }), undo })
    }
  }
  const submit = entry ? t('maintenance.save') : t('maintenance.plan')
  return (
    <FormDialog
      title={entry ? t('maintenance.edit', { name: titleOf(entry) }) : t(`maintenance.new.${form.type}`)}
      submit={form.type === 'maintenance' || entry ? submit : t('maintenance.enter')}
      refused={entry || object ? missingText(missing) : t('maintenance.needsObject')}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          {entry ? (
            <p class="quiet">{placeText(entry)}</p>
          ) : (
            <ObjectPicker label={t('maintenance.object')} value={object} onChange={setObject} />
          )}
          <About form={form} isNew={entry === null} failure={failure} onChange={edit} />
          <When form={form} zone={zone} failure={failure} onChange={edit} />
          {entry && <Begun entry={entry} body={body} />}
          {missing === null && form.type !== 'comment' && (
            <NextTimes schedule={scheduleOf(body)} zone={zone} />
          )}
          {form.type === 'maintenance' && (
            <Check
              label={t('maintenance.slaCheck')}
              checked={form.slaRelevant}
              onChange={(slaRelevant) => edit({ slaRelevant })}
            />
          )}
          <Field label={t('maintenance.comment')} error={failure?.at('/comment')}>
            {(attributes) => (
              <textarea
                class="input"
                rows={2}
                value={form.comment}
                onInput={(event) => edit({ comment: event.currentTarget.value })}
                {...attributes}
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  )
}

const missingText = (missing: ReturnType<typeof missingIn>): string | undefined =>
  missing === null ? undefined : t(`maintenance.needs.${missing}`)

type PartProps = {
  readonly form: Form
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Form>) => void
}

function About({ form, failure, onChange, isNew }: PartProps & { readonly isNew: boolean }): JSX.Element {
  return (
    <>
      <div class="row wrap end-aligned">
        {isNew && (
          <SelectField
            label={t('maintenance.kind')}
            value={form.type}
            onValue={(type) => onChange({ type, adjustTo: type === 'adjustment' ? 'ok' : 'undefined' })}
            options={TYPES.map((value) => ({ value, text: t(`maintenance.type.${value}`) }))}
          />
        )}
        {form.type === 'adjustment' && (
          <SelectField
            label={t('maintenance.adjustTo')}
            value={form.adjustTo}
            onValue={(adjustTo) => onChange({ adjustTo })}
            options={STATES.map((value) => ({ value: value as Form['adjustTo'], text: t(`state.${value}`) }))}
          />
        )}
      </div>
      <div class="row wrap end-aligned">
        <TextField
          class="grow"
          label={t('maintenance.name')}
          value={form.name}
          onValue={(name) => onChange({ name })}
          error={failure?.at('/name')}
        />
        <TextField
          label={t('maintenance.incident')}
          value={form.incident}
          onValue={(incident) => onChange({ incident })}
          error={failure?.at('/incident')}
        />
      </div>
    </>
  )
}

function When({ form, zone, failure, onChange }: PartProps & { readonly zone: string }): JSX.Element {
  const isSimple = form.repeats !== 'once' && form.repeats !== 'rules'
  const repeat = (repeats: Repeats): void => {
    if (repeats === 'rules') return onChange(withRules(form, zone))
    onChange(form.repeats === 'rules' ? { repeats, end: firstEnd(form), until: form.end } : { repeats })
  }
  return (
    <>
      <div class="row wrap end-aligned">
        <TextField
          label={t('maintenance.begin')}
          type="datetime-local"
          value={form.begin}
          onValue={(begin) => onChange({ begin })}
          error={failure?.at('/begin')}
        />
        <TextField
          label={t('maintenance.end')}
          type="datetime-local"
          value={form.end}
          onValue={(end) => onChange({ end })}
          error={isSimple ? undefined : failure?.at('/end')}
        />
        <SelectField
          label={t('maintenance.recurs')}
          value={form.repeats}
          onValue={repeat}
          options={REPEATS.map((value) => ({ value, text: t(`maintenance.recurrence.${value}`) }))}
        />
        {isSimple && (
          <TextField
            label={t('maintenance.until')}
            type="datetime-local"
            value={form.until}
            onValue={(until) => onChange({ until })}
            error={failure?.at('/end')}
          />
        )}
      </div>
      {form.repeats === 'rules' && (
        <RulesEditor form={form} zone={zone} failure={failure} onChange={(rules) => onChange({ rules })} />
      )}
    </>
  )
}

/** An hour after the begin: rules have lengths of their own. */
function firstEnd({ begin, end }: Form): string {
  const at = Date.parse(`${begin}:00Z`) + 3_600_000
  return Number.isFinite(at) ? new Date(at).toISOString().slice(0, 16) : end
}

/** Tells what a change of a series that has begun does. */
function Begun({ entry, body }: { readonly entry: Entry; readonly body: Body }): JSX.Element | null {
  if (!hasBegun(entry, now.value)) return null
  if (!isSeries(entry)) return <Note>{t('maintenance.onlyEnd', { name: titleOf(entry) })}</Note>
  if (stepOf(entry, body, null, now.value).kind === 'put') return null
  return <Note>{t('maintenance.splits')}</Note>
}
