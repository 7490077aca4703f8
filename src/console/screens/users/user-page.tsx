import type { ComponentChildren, JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user as signedIn } from '../../api/session.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, KeyValues, PageHead } from '../../kit/data.tsx'
import { Note, Show, Skeleton } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { Identity } from './identity.tsx'
import type { User } from './rights.ts'
import { SecondFactor } from './second-factor.tsx'
import { Sessions, Tokens } from './sessions.tsx'
import { UserForm } from './user-form.tsx'

/** One user: the access to the service, the second factor, the identity at a provider, sessions and tokens. */
export function UserPage({ id }: { readonly id: number }): JSX.Element {
  const one = useGet('/users/{id}', { path: { id } })
  return (
    <Show isPage resource={one} what={t('users.failed')} skeleton={<Skeleton lines={6} height="20rem" />}>
      {(user) => (
        <>
          <PageHead
            crumbs={[{ text: t('users.title'), href: linkTo('users') }]}
            title={user.fullname || user.username}
            badge={<Access user={user} />}
            sentence={t(`users.roleText.${user.role}`)}
            actions={<Actions user={user} />}
          />
          <div class="body">
            {signedIn.value?.role === 'administrator' ? (
              <div class="two-up">
                <div class="col spread">
                  <Facts user={user} />
                  <Sessions userId={id} />
                  <Identity user={user} />
                </div>
                <div class="col spread">
                  <SecondFactor userId={id} />
                  <Tokens userId={id} />
                </div>
              </div>
            ) : (
              <Note icon="lock">{t('users.needsAdministrator')}</Note>
            )}
          </div>
        </>
      )}
    </Show>
  )
}

function Access({ user: { disabled } }: { readonly user: User }): JSX.Element {
  return <State state={disabled ? 'no_data' : 'ok'} text={t(disabled ? 'users.disabled' : 'users.enabled')} />
}

type Open = 'edit' | 'disable' | 'delete' | null

function Actions({ user }: { readonly user: User }): JSX.Element {
  const { route } = useLocation()
  const [open, setOpen] = useState<Open>(null)
  const close = (): void => setOpen(null)
  const me = signedIn.value
  const refused = me?.role === 'administrator' ? undefined : t('users.needsAdministrator')
  const isMe = user.id === me?.id
  const name = user.username
  const cannotDisable = user.type === 'LDAP_MANAGED' ? t('users.directoryDecides') : undefined
  const setDisabled = async (disabled: boolean): Promise<void> => {
    await call('patch', '/users/{id}', { path: { id: user.id }, body: { disabled } })
    invalidate('/users', '/sessions', '/session/personal-tokens')
    toast({ text: t(disabled ? 'users.isDisabled' : 'users.isEnabled', { name }) })
  }
  return (
    <>
      <a class="btn" href={linkTo('users/explain', { userId: user.id })}>
        {t('users.section.explain')}
      </a>
      <Button icon="edit" refused={refused} onClick={() => setOpen('edit')}>
        {t('users.edit')}
      </Button>
      <Button
        icon="lock"
        refused={refused ?? cannotDisable ?? (isMe ? t('users.notDisableYourself') : undefined)}
        onClick={() => setOpen('disable')}
      >
        {t(user.disabled ? 'users.enable' : 'users.disable')}
      </Button>
      <Button
        kind="danger"
        refused={refused ?? (isMe ? t('users.notYourself') : undefined)}
        onClick={() => setOpen('delete')}
      >
        {t('users.delete')}
      </Button>
      {open === 'edit' && <UserForm user={user} onClose={close} />}
      {open === 'disable' && (
        <Confirm
          title={t(user.disabled ? 'users.enableName' : 'users.disableName', { name })}
          effect={t(user.disabled ? 'users.enableEffect' : 'users.disableEffect', { name })}
          submit={t(user.disabled ? 'users.enable' : 'users.disable')}
          onConfirm={() => setDisabled(!user.disabled)}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <Confirm
          title={t('users.delete')}
          effect={t('users.deleteEffect', { name })}
          submit={t('users.delete')}
          onConfirm={async () => {
            await call('delete', '/users/{id}', { path: { id: user.id } })
            invalidate('/userGroups')
            toast({ text: t('users.deleted', { name }) })
            route(linkTo('users'), true)
          }}
          onClose={close}
        />
      )}
    </>
  )
}

function Facts({ user }: { readonly user: User }): JSX.Element {
  const language = new Intl.DisplayNames(user.language, { type: 'language' })
  const rows: (readonly [name: string, value: ComponentChildren])[] = [
    [t('users.username'), user.username],
    [t('users.role'), t(`users.role.${user.role}`)],
    [t('users.kind'), t(`users.type.${user.type}`)],
    [t('users.email'), user.email || t('users.none')],
    [t('users.phone'), user.phone || t('users.none')],
    [t('setup.language'), language.of(user.language) ?? user.language],
    [t('users.timeZone'), user.timeZone],
  ]
  return (
    <Card title={t('users.details')}>
      <div class="pad">
        <KeyValues rows={rows} />
      </div>
    </Card>
  )
}
