import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { callVersioned } from '../../api/client.ts'
import type { Answer, Call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, SelectField, TextField } from '../../kit/controls.tsx'
import { Code } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { Dialog, FormDialog } from '../../kit/overlays.tsx'
import { timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { bodyOf, draftOf } from './recipient-draft.ts'
import type { RecipientDraft } from './recipient-draft.ts'
import { Duty } from './recipient-duty.tsx'
import { Templates, What, When } from './recipient-rules.tsx'
import { TargetFields, TargetText } from './recipient-target.tsx'
import { KINDS, targetOf } from './recipients.ts'
import type { Recipient } from './recipients.ts'

type Props = { readonly recipient?: Recipient; readonly onClose: () => void }

/** Creates a recipient, or changes one. A stored target is shown without its secrets and replaced as a whole. */
export function RecipientForm({ recipient, onClose }: Props): JSX.Element {
  const zone = timeZone.value
  const others = useGet('/alarmrecipients', {})
  const stored = useGet('/alarmrecipients/{id}', recipient ? { path: { id: recipient.id } } : null)
  const [draft, setDraft] = useState<RecipientDraft>(() => draftOf(recipient, zone))
  const [secret, setSecret] = useState<string | null>(null)
  const change = (part: Partial<RecipientDraft>): void => setDraft({ ...draft, ...part })
  const hasTarget = draft.target === null || targetOf(draft.type, draft.target) !== null
  const isReady = draft.name.trim() !== '' && hasTarget
  const save = async (): Promise<void> => {
    const made = await send(recipient, draft, { zone, etag: stored.etag })
    invalidate('/alarmrecipients')
    if (typeof made.secret === 'string') setSecret(made.secret)
    else onClose()
  }
  if (secret !== null)
    return (
      <Dialog title={t('notifications.secret')} onClose={onClose}>
        <div class="col">
          <Note kind="warning">{t('notifications.secretOnce')}</Note>
          <Code text={secret} label={t('notifications.secret')} />
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={recipient ? t('notifications.editName', { name: recipient.name }) : t('notifications.new')}
      submit={t('notifications.save')}
      wide
      refused={isReady ? undefined : t('notifications.incomplete')}
      onSubmit={save}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {(failure) => {
        const rules = { draft, change, failure }
        return (
          <div class="col">
            <div class="form-grid">
              <TextField
                label={t('notifications.name')}
                value={draft.name}
                onValue={(name) => change({ name })}
                error={failure?.at('/name')}
              />
              {draft.target !== null && (
                <SelectField
                  label={t('notifications.by')}
                  value={draft.type}
                  onValue={(type) => change({ type, target: {} })}
                  options={KINDS.map((value) => ({ value, text: t(`notifications.kind.${value}`) }))}
                />
              )}
              {draft.target === null ? (
                <div class="field">
                  <span class="lab">{t(`notifications.kind.${draft.type}`)}</span>
                  <span class="row wrap">
                    <span class="wrapped grow">{recipient && <TargetText recipient={recipient} />}</span>
                    <Button small onClick={() => change({ target: {} })}>
                      {t('notifications.changeTarget')}
                    </Button>
                  </span>
                </div>
              ) : (
                <TargetFields
                  kind={draft.type}
                  texts={draft.target}
                  failure={failure}
                  onTexts={(target) => change({ target })}
                />
              )}
            </div>
            <What {...rules} />
            <Part title={t('notifications.when')} isOpen={draft.hasTimes || draft.vacations.length > 0}>
              <When {...rules} />
            </Part>
            <Part
              title={t('notifications.duty')}
              isOpen={draft.hasReminder || draft.escalation.length > 0 || draft.rotation !== ''}
            >
              <Duty {...rules} others={(others.data?.items ?? []).filter(({ id }) => id !== recipient?.id)} />
            </Part>
            <Part title={t('notifications.templates')} isOpen={false}>
              <Templates {...rules} />
            </Part>
          </div>
        )
      }}
    </FormDialog>
  )
}

/** Rules that most recipients leave as they are; folded until they are wanted. */
function Part({
  title,
  isOpen,
  children,
}: {
  readonly title: string
  readonly isOpen: boolean
  readonly children: JSX.Element
}): JSX.Element {
  const [wasOpen] = useState(isOpen)
  return (
    <details class="part" open={wasOpen}>
      <summary>{title}</summary>
      <div class="col">{children}</div>
    </details>
  )
}

type SaveOptions = { readonly zone: string; readonly etag: string | undefined }

async function send(
  recipient: Recipient | undefined,
  draft: RecipientDraft,
  { zone, etag }: SaveOptions,
): Promise<Answer<'/alarmrecipients', 'post'>> {
  const body = bodyOf(draft, zone)
  if (!recipient) return (await callVersioned('post', '/alarmrecipients', { body })).data
  const replaced = { path: { id: recipient.id }, body, ifMatch: etag } as Call<'/alarmrecipients/{id}', 'put'>
  return (await callVersioned('put', '/alarmrecipients/{id}', replaced)).data
}
