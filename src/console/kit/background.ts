import { useRef, useState } from 'preact/hooks'

import { asFailure } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { toastFailure } from './toasts.ts'
import { useIsGone } from './use-is-gone.ts'

/** Lets a promise run on. Its failure is shown to the user. */
export function background(work: Promise<unknown>): void {
  work.catch((error: unknown) => toastFailure(error))
}

const running = new Set<unknown>()

/** Runs an action of the user unless it still runs: a key that is pressed twice acts once. Its failure is shown.
 * @param of what the action belongs to: actions of different things run beside each other */
export function once(of: unknown, action: () => Promise<unknown>): void {
  if (running.has(of)) return
  running.add(of)
  background(action().finally(() => running.delete(of)))
}

/** An action of the user that runs once at a time, and whether it runs. */
export function useAction<A extends readonly unknown[]>(
  action: (...given: A) => Promise<unknown>,
): { readonly isBusy: boolean; readonly start: (...given: A) => void } {
  const [isBusy, setBusy] = useState(false)
  const self = useRef(null)
  const run = async (given: A): Promise<void> => {
    setBusy(true)
    try {
      await action(...given)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, start: (...given) => once(self, () => run(given)) }
}

/** A form that is sent once at a time. Its failure is for the form, or for a message of the page once the form is gone. */
export function useSubmit(work: () => Promise<void>): {
  readonly failure: Failure | null
  readonly isBusy: boolean
  readonly submit: (event?: Event) => void
  /** Takes the failure away. */
  readonly forget: () => void
} {
  const [failure, setFailure] = useState<Failure | null>(null)
  const isGone = useIsGone()
  const { isBusy, start } = useAction(async () => {
    setFailure(null)
    try {
      await work()
    } catch (error) {
      if (isGone.current) throw error
      setFailure(asFailure(error))
    }
  })
  const submit = (event?: Event): void => {
    event?.preventDefault()
    start()
  }
  return { failure, isBusy, submit, forget: () => setFailure(null) }
}
