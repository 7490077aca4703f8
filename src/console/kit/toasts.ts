import { signal } from '@preact/signals'

import { asFailure } from '../api/failure.ts'

/** An action can be undone for this long. */
const UNDO_MS = 10_000
const MESSAGE_MS = 4_000

type Toast = {
  readonly text: string
  readonly isFailure?: boolean
  readonly undo?: () => void | Promise<void>
}
/** The message that is shown. */
export const shownToast = signal<Toast | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a message for a moment; with `undo` for ten seconds. A newer message replaces it. */
export function toast(message: Toast): void {
  clearTimeout(timer)
  shownToast.value = message
  timer = setTimeout(closeToast, message.undo || message.isFailure ? UNDO_MS : MESSAGE_MS)
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
  closeToast()
  underway = Promise.allSettled([underway, action])
  return action
}

/** Undoes what the shown message offers, or the action that goes on, once it is done. */
export async function undoLast(): Promise<void> {
  await underway
  const undo = shownToast.value?.undo
  closeToast()
  try {
    await undo?.()
  } catch (error) {
    toastFailure(error)
  }
}

/** Takes the message away. */
export function closeToast(): void {
  clearTimeout(timer)
  shownToast.value = null
}
