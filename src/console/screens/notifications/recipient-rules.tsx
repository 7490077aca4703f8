import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { Check, Field, IconButton, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import { language, t } from '../../language/t.ts'
import { LeastState } from './least-state.tsx'
import { dayFieldOf, EMPTY_TIME, TEMPLATE_LANGUAGES } from './recipient-draft.ts'
import type { RecipientDraft, TimeRow } from './recipient-draft.ts'
import { Rows } from './rows.tsx'

export type RulesProps = {
  readonly draft: RecipientDraft
  readonly change: (part: Partial<RecipientDraft>) => void
  readonly failure: Failure | null
}

/** Which alarms are sent, and how the messages are made. */
export function What({ draft, change, failure }: RulesProps): JSX.Element {
  const languages = new Intl.DisplayNames(language.value, { type: 'language' })
  return (
    <>
      <div class="form-grid">
        <LeastState value={draft.minState} onValue={(minState) => change({ minState })} />
        <TextField
          label={t('notifications.grouping')}
          hint={t('notifications.groupingHint')}
          unit="s"
          inputMode="decimal"
          value={draft.groupingSeconds}
          onValue={(groupingSeconds) => change({ groupingSeconds })}
          error={failure?.at('/grouping')}
        />
        <TextField
          label={t('notifications.perHour')}
          inputMode="numeric"
          value={draft.messagesPerHour}
          onValue={(messagesPerHour) => change({ messagesPerHour })}
          error={failure?.at('/messagesPerHour')}
        />
        <SelectField
          label={t('setup.language')}
          hint={t('notifications.ownLanguage')}
          value={draft.language}
          onValue={(chosen) => change({ language: chosen })}
          options={TEMPLATE_LANGUAGES.map((value) => ({ value, text: languages.of(value) ?? value }))}
        />
        <TextField
          label={t('notifications.timeZone')}
          hint={t('notifications.timeZoneHint')}
          value={draft.timeZone}
          onValue={(timeZone) => change({ timeZone })}
          error={failure?.at('/timeZone')}
        />
      </div>
      <Check
        label={t('notifications.recovery')}
        checked={draft.recovery}
        onChange={(recovery) => change({ recovery })}
      />
      <Objects draft={draft} change={change} failure={failure} />
    </>
  )
}

/** The objects that the recipient is limited to. */
function Objects({ draft: { objectIds }, change, failure }: RulesProps): JSX.Element {
  return (
    <fieldset>
      <legend>{t('notifications.objects')}</legend>
      {objectIds.length > 0 && (
        <ul class="row wrap">
          {objectIds.map((id) => (
            <li key={id} class="chip">
              {`#${id}`}
              <IconButton
                small
                icon="close"
                label={t('notifications.removeObject', { id: `#${id}` })}
                onClick={() => change({ objectIds: objectIds.filter((one) => one !== id) })}
              />
            </li>
          ))}
        </ul>
      )}
      <ObjectPicker
        key={objectIds.length}
        label={t('notifications.addObject')}
        value={null}
        onChange={({ id }) => change({ objectIds: [...new Set([...objectIds, id])] })}
        error={failure?.at('/objectIds')}
      />
    </fieldset>
  )
}

/** When messages may be sent. */
export function When({ draft, change, failure }: RulesProps): JSX.Element {
  const users = useGet('/users', draft.type === 'group' ? {} : null)
  return (
    <>
      <Check
        label={t('notifications.onVacation')}
        checked={draft.onVacation}
        onChange={(onVacation) => change({ onVacation })}
      />
      <Rows
        legend={t('notifications.vacations')}
        rows={draft.vacations}
        fresh={{ begin: '', end: '', userId: '' }}
        onRows={(vacations) => change({ vacations })}
      >
        {(row, set, at) => (
          <>
            {(['begin', 'end'] as const).map((side) => (
              <TextField
                key={side}
                label={t(`notifications.${side}`)}
                type="datetime-local"
                value={row[side]}
                onValue={(value) => set({ [side]: value })}
                error={failure?.at(`/vacations/${at}/${side}`)}
              />
            ))}
            {draft.type === 'group' && (
              <SelectField
                label={t('notifications.member')}
                value={row.userId}
                onValue={(userId) => set({ userId })}
                options={itemOptions(users.data ?? [], t('notifications.allMembers'))}
                error={failure?.at(`/vacations/${at}/userId`)}
              />
            )}
          </>
        )}
      </Rows>
      <Check
        label={t('notifications.hasTimes')}
        checked={draft.hasTimes}
        onChange={(hasTimes) =>
          change({ hasTimes, ...(hasTimes && draft.times.length === 0 ? { times: [EMPTY_TIME] } : {}) })
        }
      />
      {draft.hasTimes && (
        <Rows
          legend={t('notifications.times')}
          rows={draft.times}
          fresh={EMPTY_TIME}
          onRows={(times) => change({ times })}
        >
          {(row, set, at) => <TimeFields row={row} set={set} failure={failure} at={`/times/${at}`} />}
        </Rows>
      )}
    </>
  )
}

const TYPES = ['daily', 'weekly', 'monthly', 'one_time', 'manual'] as const
/** A Monday. */
const MONDAY_MS = Date.UTC(2026, 0, 5)
const DAY_MS = 86_400_000

type TimeProps = {
  readonly row: TimeRow
  readonly set: (part: Partial<TimeRow>) => void
  readonly failure: Failure | null
  readonly at: string
}

function TimeFields({ row, set, failure, at }: TimeProps): JSX.Element {
  const field = dayFieldOf(row.type)
  const time = `${at}/times/0`
  const weekday = new Intl.DateTimeFormat(language.value, { weekday: 'long', timeZone: 'UTC' })
  return (
    <>
      <SelectField
        label={t('notifications.every')}
        value={row.type}
        onValue={(type) => set({ type, day: { weekly: '1', monthly: '1' }[type as string] ?? '' })}
        options={TYPES.map((value) => ({ value, text: t(`notifications.time.${value}`) }))}
      />
      {field === 'weekday' && (
        <SelectField
          label={t('notifications.weekday')}
          value={row.day}
          onValue={(day) => set({ day })}
          options={Array.from({ length: 7 }, (_, day) => ({
            value: String(day + 1),
            text: weekday.format(MONDAY_MS + day * DAY_MS),
          }))}
          error={failure?.at(`${time}/weekday`)}
        />
      )}
      {(field === 'day' || field === 'date') && (
        <TextField
          label={t(field === 'day' ? 'notifications.dayOfMonth' : 'notifications.date')}
          type={field === 'day' ? 'number' : 'date'}
          value={row.day}
          onValue={(day) => set({ day })}
          error={failure?.at(`${time}/${field}`)}
        />
      )}
      {row.type !== 'manual' && (
        <>
          <TextField
            label={t('notifications.begin')}
            type="time"
            value={row.begin}
            onValue={(begin) => set({ begin })}
            error={failure?.at(`${time}/begin`)}
          />
          <TextField
            label={t('notifications.length')}
            unit="h"
            inputMode="decimal"
            value={row.hours}
            onValue={(hours) => set({ hours })}
            error={failure?.at(`${time}/duration`)}
          />
        </>
      )}
      <Check
        label={t('notifications.exception')}
        checked={row.exception}
        onChange={(exception) => set({ exception })}
      />
    </>
  )
}

/** Subject and text of the messages instead of the built-in ones. */
export function Templates({ draft: { templates }, change, failure }: RulesProps): JSX.Element {
  const languages = new Intl.DisplayNames(language.value, { type: 'language' })
  return (
    <>
      <p class="quiet">{t('notifications.templatesText', { field: '{{object.name}}' })}</p>
      {TEMPLATE_LANGUAGES.map((one) => {
        const set = (part: Partial<(typeof templates)['en']>): void =>
          change({ templates: { ...templates, [one]: { ...templates[one], ...part } } })
        return (
          <fieldset key={one}>
            <legend>{languages.of(one)}</legend>
            <TextField
              label={t('notifications.subject')}
              value={templates[one].subject}
              onValue={(subject) => set({ subject })}
              error={failure?.at(`/templates/${one}/subject`)}
            />
            <Field label={t('notifications.text')} error={failure?.at(`/templates/${one}/text`)}>
              {(attributes) => (
                <textarea
                  class="input"
                  rows={4}
                  value={templates[one].text}
                  onInput={(event) => set({ text: event.currentTarget.value })}
                  {...attributes}
                />
              )}
            </Field>
          </fieldset>
        )
      })}
    </>
  )
}
