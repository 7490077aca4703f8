import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { Button } from '../../kit/controls.tsx'
import { Icon } from '../../kit/icons.tsx'
import type { IconName } from '../../kit/icons.tsx'
import { Confirm } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { chainOf, objectText, rightsText, subjectText } from './rights.ts'
import type { Explanation, Grant, Place } from './rights.ts'

type ChainProps = {
  readonly explanation: Explanation
  readonly place: Place
  readonly refused: string | undefined
  readonly onChange: () => void
}

/** The role, then the grants from the root down; the grants that decide are marked. */
export function Chain({ explanation, place, refused, onChange }: ChainProps): JSX.Element {
  const [doomed, doom] = useState<Grant | null>(null)
  const { role } = explanation.user
  const links = chainOf(explanation)
  return (
    <>
      <ol class="chain">
        <Step icon="user" isOn title={t('users.chainRole', { role: t(`users.role.${role}`) })}>
          {t(`users.roleText.${role}`)}
        </Step>
        {links.map(({ grant, decides }) => (
          <Step
            key={`${grant.object.id} ${grant.subjectType} ${grant.subjectId}`}
            icon={grant.subjectType === 'user' ? 'user' : 'users'}
            isOn={decides.length > 0}
            title={t('users.chainGrant', { subject: subjectText(grant), object: objectText(grant.object) })}
            badge={
              decides.length > 0 && (
                <span class="chip">
                  <Icon name="check" />
                  {t('users.decides', {
                    rights: decides.map((right) => t(`users.right.${right}`)).join(', '),
                  })}
                </span>
              )
            }
            action={
              <Button
                small
                refused={refused}
                aria-label={t('users.revokeOf', {
                  subject: subjectText(grant),
                  object: objectText(grant.object),
                })}
                onClick={() => doom(grant)}
              >
                {t('users.revoke')}
              </Button>
            }
          >
            {t('users.gives', { rights: rightsText(grant) })}
          </Step>
        ))}
        {!links.some(({ grant }) => !grant.inherited) && (
          <Step icon={place.type === 'slc' ? 'slo' : place.type} isOn={false} title={place.name}>
            {t(links.length === 0 ? 'users.noGrant' : 'users.noOwnGrant')}
          </Step>
        )}
      </ol>
      {doomed && <Revoke grant={doomed} onDone={onChange} onClose={() => doom(null)} />}
    </>
  )
}

type StepProps = {
  readonly icon: IconName
  readonly isOn: boolean
  readonly title: string
  readonly badge?: ComponentChildren
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

function Step({ icon, isOn, title, badge, action, children }: StepProps): JSX.Element {
  return (
    <li>
      <span class={isOn ? 'n' : 'n no'}>
        <Icon name={icon} />
      </span>
      <div class="row wrap">
        <div class="grow">
          <span class="row wrap">
            <b>{title}</b>
            {badge}
          </span>
          <p class="quiet">{children}</p>
        </div>
        {action}
      </div>
    </li>
  )
}

type RevokeProps = { readonly grant: Grant; readonly onDone: () => void; readonly onClose: () => void }

/** Revokes a grant after a confirmation; the grant can be given again from the message. */
function Revoke({ grant, onDone, onClose }: RevokeProps): JSX.Element {
  const { object, subjectType, subjectId, write, execute, maintain } = grant
  const path = { objectType: object.type, objectId: object.id, subjectType, subjectId }
  const route = '/{objectType}/{objectId}/permissions/{subjectType}/{subjectId}'
  const names = { subject: subjectText(grant), object: objectText(object) }
  const restore = async (): Promise<void> => {
    await call('put', route, { path, body: { write, execute, maintain } })
    onDone()
  }
  return (
    <Confirm
      title={t('users.revoke')}
      effect={t('users.revokeEffect', names)}
      submit={t('users.revoke')}
      onConfirm={async () => {
        await call('delete', route, { path })
        onDone()
        toast({ text: t('users.revoked', names), undo: restore })
      }}
      onClose={onClose}
    />
  )
}
