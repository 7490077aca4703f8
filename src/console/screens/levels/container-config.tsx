import type { JSX } from 'preact'

import { call, callVersioned } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { Button, Chip, IconButton, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, KeyValues } from '../../kit/data.tsx'
import { EditForm, useEditing } from '../../kit/editing.tsx'
import type { Version } from '../../kit/versions.ts'
import { t } from '../../language/t.ts'
import { levelsChanged } from './changed.ts'
import { CommonFields, PropertyFields } from './common-fields.tsx'
import { dayName, DAYS, slcDraftOf, slcFault, slcPatchOf, slcText, termsSentence } from './slc-draft.ts'
import type { Hours, Slc, SlcDraft } from './slc-draft.ts'

export const SLC_TYPES = ['sla', 'ola', 'uc'] as const
type SlcType = (typeof SLC_TYPES)[number]
const OFFICE: Hours = {
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  begin: '08:00',
  end: '18:00',
}

/** The configuration of a container as a form. */
export function ContainerConfig({ object, etag }: Version<Slc>): JSX.Element {
  const { id, name, permissions, duration, resetInterval, timezone } = object
  const editing = useEditing({ object, etag }, { draftOf: slcDraftOf, send, read: () => readVersion(id) })
  const { draft, failure, change } = editing
  return (
    <EditForm
      editing={editing}
      missing={permissions.write ? undefined : t('levels.needsWrite', { name })}
      refused={permissions.write ? slcFault(draft) : undefined}
      fieldText={(field) => t(`levels.field.${field}`)}
      valueText={slcText}
    >
      <CommonFields draft={draft} failure={failure} onChange={change}>
        <SelectField
          label={t('levels.field.subType')}
          value={draft.subType as SlcType}
          onValue={(subType) => change({ subType })}
          error={failure?.at('/subType')}
          options={SLC_TYPES.map((value) => ({ value, text: t(`levels.slcType.${value}`) }))}
        />
      </CommonFields>
      <Card title={t('levels.budget')}>
        <div class="pad col">
          <TermFields draft={draft} failure={failure} onChange={change} />
          <p class="say" role="status">
            {termsSentence(duration, draft)}
          </p>
          <p class="quiet">{t('levels.fixed')}</p>
        </div>
        <footer>
          <KeyValues
            rows={[
              [t('levels.period'), t(`levels.duration.${duration}`)],
              [t('levels.reset'), t(`levels.each.${resetInterval}`)],
              [t('levels.timezone'), timezone],
            ]}
          />
        </footer>
      </Card>
      <HoursFields draft={draft} failure={failure} onChange={change} />
      <PropertyFields draft={draft} failure={failure} onChange={change} />
    </EditForm>
  )
}

type Terms = Pick<SlcDraft, 'limit' | 'target' | 'warnAt'>

/** The agreed and the desired availability, and when the container warns. */
export function TermFields({
  draft,
  failure,
  onChange,
}: {
  readonly draft: Terms
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Terms>) => void
}): JSX.Element {
  return (
    <div class="formgrid">
      {(['limit', 'target', 'warnAt'] as const).map((field) => (
        <TextField
          key={field}
          label={t(`levels.field.${field}`)}
          hint={t(`levels.hint.${field}`)}
          unit="%"
          inputMode="decimal"
          value={draft[field]}
          onValue={(text) => onChange({ [field]: text })}
          error={failure?.at(`/${field}`)}
        />
      ))}
    </div>
  )
}

/** The service hours: windows of the week that count. */
function HoursFields({
  draft: { activeTime },
  failure,
  onChange,
}: {
  readonly draft: SlcDraft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<SlcDraft>) => void
}): JSX.Element {
  const rows = activeTime ?? []
  const set = (next: readonly Hours[]): void => onChange({ activeTime: next.length === 0 ? null : next })
  const change = (at: number, part: Partial<Hours>): void =>
    set(rows.map((one, index) => (index === at ? { ...one, ...part } : one)))
  return (
    <Card
      title={t('levels.field.activeTime')}
      note={activeTime === null ? t('levels.always') : t('levels.hoursNote')}
      actions={
        <Button small icon="plus" onClick={() => set([...rows, OFFICE])}>
          {t('levels.addHours')}
        </Button>
      }
    >
      {rows.length > 0 && (
        <div class="pad col">
          {rows.map(({ days, begin, end }, at) => (
            <fieldset key={at} class="col">
              <legend class="vh">{t('levels.hoursRow', { number: at + 1 })}</legend>
              <span class="row wrap">
                {DAYS.map((day) => (
                  <Chip
                    key={day}
                    pressed={days.includes(day)}
                    onChange={(on) =>
                      change(at, { days: DAYS.filter((one) => (one === day ? on : days.includes(one))) })
                    }
                  >
                    {dayName(day)}
                  </Chip>
                ))}
              </span>
              <div class="row end-aligned">
                {' '}
                <TextField
                  label={t('levels.from')}
                  value={begin}
                  onValue={(text) => change(at, { begin: text })}
                  error={failure?.at(`/activeTime/${at}/begin`)}
                />
                <TextField
                  label={t('levels.until')}
                  value={end}
                  onValue={(text) => change(at, { end: text })}
                  error={failure?.at(`/activeTime/${at}/end`)}
                />
                <IconButton
                  icon="close"
                  label={t('levels.removeHours', { number: at + 1 })}
                  onClick={() => set(rows.filter((_, index) => index !== at))}
                />
              </div>{' '}
            </fieldset>
          ))}
        </div>
      )}
    </Card>
  )
}

async function send({ object, etag }: Version<Slc>, draft: SlcDraft): Promise<Version<Slc>> {
  const body = slcPatchOf(object, draft)
  await call('patch', '/slcs/{id}', { path: { id: object.id }, body, ifMatch: etag })
  levelsChanged()
  return readVersion(object.id)
}

async function readVersion(id: number): Promise<Version<Slc>> {
  const { data, etag } = await callVersioned('get', '/slcs/{id}', { path: { id } })
  return { object: data, etag }
}
