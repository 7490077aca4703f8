import type { JSX } from 'preact'

import { t } from '../language/t.ts'
import { Button, IconButton, Kbd } from './controls.tsx'
import { Icon } from './icons.tsx'
import { closeToast, shownToast, undoLast } from './toasts.ts'

/** The message of the last action, with the way to undo it. */
export function ToastLine(): JSX.Element {
  const message = shownToast.value
  return (
    <div role="status" aria-live="polite">
      {message && (
        <div class={message.isFailure ? 'toast failed' : 'toast'}>
          <Icon name={message.isFailure ? 'info' : 'check'} />
          <span>{message.text}</span>
          {message.undo && (
            <Button small action={undoLast}>
              {t('kit.undo')} <Kbd>Z</Kbd>
            </Button>
          )}
          <IconButton small icon="close" label={t('kit.close')} onClick={closeToast} />
        </div>
      )}
    </div>
  )
}
