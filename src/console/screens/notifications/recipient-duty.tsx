import type { JSX } from 'preact'

import { Check, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import type { RulesProps } from './recipient-rules.tsx'
import type { Recipient } from './recipients.ts'
import { Rows } from './rows.tsx'

const ROTATIONS = ['', 'turn', 'count', 'interval'] as const

/** Repetition, escalation, and the rotation of a group. */
export function Duty({
  draft,
  change,
  failure,
  others,
}: RulesProps & { readonly others: readonly Recipient[] }): JSX.Element {
  return (
    <>
      {draft.type === 'group' && <Rotation draft={draft} change={change} failure={failure} />}
      <Check
        label={t('notifications.hasReminder')}
        checked={draft.hasReminder}
        onChange={(hasReminder) => change({ hasReminder })}
      />
      {draft.hasReminder && (
        <div class="form-grid">
          <TextField
            label={t('notifications.reminderEvery')}
            unit="min"
            inputMode="decimal"
            value={draft.reminderMinutes}
            onValue={(reminderMinutes) => change({ reminderMinutes })}
            error={failure?.at('/reminder/every')}
          />
          <TextField
            label={t('notifications.reminderTimes')}
            inputMode="numeric"
            value={draft.reminderTimes}
            onValue={(reminderTimes) => change({ reminderTimes })}
            error={failure?.at('/reminder/times')}
          />
        </div>
      )}
      <Rows
        legend={t('notifications.escalation')}
        rows={draft.escalation}
        fresh={{ minutes: '15', recipientId: '' }}
        onRows={(escalation) => change({ escalation })}
      >
        {(row, set, at) => (
          <>
            <TextField
              label={t('notifications.delay')}
              unit="min"
              inputMode="decimal"
              value={row.minutes}
              onValue={(minutes) => set({ minutes })}
              error={failure?.at(`/escalation/${at}/after`)}
            />
            <SelectField
              label={t('notifications.to')}
              value={row.recipientId}
              onValue={(recipientId) => set({ recipientId })}
              options={itemOptions(others, t('notifications.choose'))}
              error={failure?.at(`/escalation/${at}/recipientId`)}
            />
          </>
        )}
      </Rows>
    </>
  )
}

function Rotation({ draft, change, failure }: RulesProps): JSX.Element {
  return (
    <div class="form-grid">
      <SelectField
        label={t('notifications.rotation')}
        value={draft.rotation}
        onValue={(rotation) => change({ rotation })}
        options={ROTATIONS.map((value) => ({ value, text: t(`notifications.rotation.${value || 'none'}`) }))}
        error={failure?.at('/rotation')}
      />
      {draft.rotation === 'count' && (
        <TextField
          label={t('notifications.rotationCount')}
          inputMode="numeric"
          value={draft.rotationCount}
          onValue={(rotationCount) => change({ rotationCount })}
          error={failure?.at('/rotation/count')}
        />
      )}
      {draft.rotation === 'interval' && (
        <>
          <TextField
            label={t('notifications.rotationHours')}
            unit="h"
            inputMode="decimal"
            value={draft.rotationHours}
            onValue={(rotationHours) => change({ rotationHours })}
            error={failure?.at('/rotation/interval')}
          />
          <TextField
            label={t('notifications.rotationBegin')}
            type="datetime-local"
            value={draft.rotationBegin}
            onValue={(rotationBegin) => change({ rotationBegin })}
            error={failure?.at('/rotation/begin')}
          />
        </>
      )}
    </div>
  )
}
