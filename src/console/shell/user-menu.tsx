import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'

import { signOut, user } from '../api/session.ts'
import { linkTo } from '../kit/location.ts'
import { Menu } from '../kit/overlays.tsx'
import { t } from '../language/t.ts'
import { changeTheme, shownTheme } from './theme.ts'

/** The user of the page: account, appearance, sign-out. */
export function UserMenu(): JSX.Element | null {
  const { route } = useLocation()
  const me = user.value
  if (me === null) return null
  const shown = shownTheme()
  const name = me.fullname || me.username
  return (
    <div class="who">
      <span class="avatar" aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span class="txt cut">{name}</span>
      <span class="end">
        <Menu
          label={t('shell.account', { name })}
          items={[
            { text: t('shell.openAccount'), icon: 'user', run: () => route(linkTo('account')) },
            {
              text: t(shown === 'dark' ? 'shell.light' : 'shell.dark'),
              icon: 'sun',
              run: () => changeTheme(shown === 'dark' ? 'light' : 'dark'),
            },
            { text: t('nav.keys'), icon: 'key', run: () => route(linkTo('keys')) },
            { text: t('shell.signOut'), icon: 'right', action: signOut },
          ]}
        />
      </span>
    </div>
  )
}

/** The first letters of the first and the last part of a name. */
export function initialsOf(name: string): string {
  const parts = name
    .replaceAll(/\(.*?\)/g, '')
    .trim()
    .split(/[\s._-]+/)
  return ((parts[0]?.[0] ?? '') + (parts.length > 1 ? (parts.at(-1)?.[0] ?? '') : '')).toUpperCase()
}
