import { signal } from '@preact/signals'
import type { JSX } from 'preact'

import { t } from '../language/t.ts'
import { asFailure } from '../api/failure.ts'
import { Button, IconButton, Kbd } from './controls.tsx'
import { Icon } from './icons.tsx'

/** An action can be undone for this long. */
const UNDO_MS = 10_000
const MESSAGE_MS = 4_000

type Toast = {
  readonly text: string
  readonly isFailure?: boolean
  readonly undo?: () => void | Promise<void>
}
const current = signal<Toast | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a message for a moment; with `undo` for ten seconds. A newer message replaces it. */
export function toast(message: Toast): void {
  clearTimeout(timer)
  current.value = message
  timer = setTimeout(close, message.undo || message.isFailure ? UNDO_MS : MESSAGE_MS)
}

/** Tells that an action failed and why. */
export function toastFailure(error: unknown, title?: string): void {
  const { message } = asFailure(error)
  toast({ text: title === undefined ? message : `${title} ${message}`, isFailure: true })
}

/** Settles with the actions that have begun and whose messages are still to come. */
let underway: Promise<unknown> = Promise.resolve()

/** Names an action whose message will offer to undo it. Until then nothing can be undone: the key undoes this action when it is
 * done, and not the one before.
 * @returns the action */
export function undoable<T>(action: Promise<T>): Promise<T> {
  close()
  underway = Promise.allSettled([underway, action])
  return action
}

/** Undoes what the shown message offers, or the action that goes on, once it is done. */
export async function undoLast(): Promise<void> {
  await underway
  const undo = current.value?.undo
  close()
  try {
    await undo?.()
  } catch (error) {
    toastFailure(error)
  }
}

function close(): void {
  clearTimeout(timer)
  current.value = null
}

export function Toasts(): JSX.Element {
  const message = current.value
  return (
    <div role="status" aria-live="polite">
      {message && (
        <div class={message.isFailure ? 'toast failed' : 'toast'}>
          <Icon name={message.isFailure ? 'info' : 'check'} />
          <span>{message.text}</span>
          {message.undo && (
            <Button small onClick={() => void undoLast()}>
              {t('kit.undo')} <Kbd>Z</Kbd>
            </Button>
          )}
          <IconButton small icon="close" label={t('kit.close')} onClick={close} />
        </div>
      )}
    </div>
  )
}
