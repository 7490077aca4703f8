import { signal } from '@preact/signals'
import type { JSX } from 'preact'

import { Dialog } from '../kit/overlays.tsx'
import { Icon } from '../kit/icons.tsx'
import { linkTo } from '../kit/location.ts'
import { t } from '../language/t.ts'
import { entriesOfUser } from './navigation.ts'

const isOpen = signal(false)

/** Opens the command palette. */
export function openPalette(): void {
  isOpen.value = true
}

/** Search and jump: screens for now. */
export function Palette(): JSX.Element | null {
  if (!isOpen.value) return null
  const close = (): void => {
    isOpen.value = false
  }
  return (
    <Dialog title={t('shell.jump')} onClose={close}>
      <ul>
        {entriesOfUser().map(({ name, icon, screen }) => (
          <li key={name}>
            <a class="row" href={linkTo(screen)} onClick={close}>
              <Icon name={icon} />
              {t(`nav.${name}`)}
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
