import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Check, SelectField, TextField } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { LeastState } from './least-state.tsx'
import { durationOf, numberOf } from './recipient-draft.ts'
import type { AlarmLink } from './recipients.ts'

const EVENTS = ['opened', 'worsened', 'flapping', 'closed'] as const
const MINUTE_MS = 60_000
type Event = (typeof EVENTS)[number]
export type NewLink = Omit<AlarmLink, 'id'> & { readonly id?: number }
/** The names of recipients by id. */
export type Names = ReadonlyMap<number, string>

/** The name of a link's recipient. */
export function recipientText({ recipientId }: Pick<AlarmLink, 'recipientId'>, names: Names): string {
  if (recipientId === null) return t('notifications.noRecipient')
  return names.get(recipientId) ?? `#${recipientId}`
}

type FormProps = {
  readonly link?: AlarmLink
  readonly names: Names
  readonly onSave: (link: NewLink) => Promise<void>
  readonly onClose: () => void
}

/** Creates an alarm link, or changes one. */
export function LinkForm({ link, names, onSave, onClose }: FormProps): JSX.Element {
  const [draft, setDraft] = useState({
    covers: link?.covers ?? ('below' as const),
    recipient: link?.recipientId ? String(link.recipientId) : '',
    minState: link?.minState ?? ('warning' as const),
    minutes: numberOf(link?.delay ?? 'PT0S', MINUTE_MS),
    recoveryMinutes: numberOf(link?.recoveryDelay ?? 'PT0S', MINUTE_MS),
    events: (link?.events ?? EVENTS) as readonly Event[],
  })
  const change = (part: Partial<typeof draft>): void => setDraft({ ...draft, ...part })
  return (
    <FormDialog
      title={
        link ? t('notifications.editLink', { name: recipientText(link, names) }) : t('notifications.newLink')
      }
      submit={t('notifications.save')}
      onSubmit={() =>
        onSave({
          covers: draft.covers,
          minState: draft.minState,
          recipientId: draft.recipient === '' ? null : Number(draft.recipient),
          delay: durationOf(draft.minutes, MINUTE_MS),
          recoveryDelay: durationOf(draft.recoveryMinutes, MINUTE_MS),
          events: [...draft.events],
        })
      }
      onClose={onClose}
    >
      {() => (
        <div class="col">
          <SelectField
            label={t('notifications.to')}
            hint={draft.recipient === '' ? t('notifications.noRecipientHint') : undefined}
            value={draft.recipient}
            onValue={(recipient) => change({ recipient })}
            options={[
              { value: '', text: t('notifications.noRecipient') },
              ...[...names].map(([id, text]) => ({ value: String(id), text })),
            ]}
          />
          <SelectField
            label={t('notifications.covers')}
            value={draft.covers}
            onValue={(covers) => change({ covers })}
            options={(['below', 'object'] as const).map((value) => ({
              value,
              text: t(`notifications.covers.${value}`),
            }))}
          />
          <LeastState value={draft.minState} onValue={(minState) => change({ minState })} />
          <TextField
            label={t('notifications.delay')}
            hint={t('notifications.delayHint')}
            inputMode="decimal"
            unit="min"
            value={draft.minutes}
            onValue={(minutes) => change({ minutes })}
          />
          <TextField
            label={t('notifications.recoveryDelay')}
            hint={t('notifications.recoveryDelayHint')}
            inputMode="decimal"
            unit="min"
            value={draft.recoveryMinutes}
            onValue={(recoveryMinutes) => change({ recoveryMinutes })}
          />
          <fieldset>
            <legend>{t('notifications.events')}</legend>
            {EVENTS.map((event) => (
              <Check
                key={event}
                label={t(`notifications.event.${event}`)}
                checked={draft.events.includes(event)}
                onChange={(on) =>
                  change({
                    events: EVENTS.filter((one) => (one === event ? on : draft.events.includes(one))),
                  })
                }
              />
            ))}
          </fieldset>
        </div>
      )}
    </FormDialog>
  )
}
