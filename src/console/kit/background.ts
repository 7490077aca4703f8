import { useRef, useState } from 'preact/hooks'

import { toastFailure } from './toasts.tsx'

/** Lets a promise run on. Its failure is shown to the user. */
export function background(work: Promise<unknown>): void {
  work.catch((error: unknown) => toastFailure(error))
}

/** An action of the user in the background, which is not started again while it goes on. */
export function useAction<A extends readonly unknown[]>(
  action: (...given: A) => Promise<unknown>,
): { readonly isBusy: boolean; readonly start: (...given: A) => void } {
  const [isBusy, setBusy] = useState(false)
  const isRunning = useRef(false)
  const run = async (given: A): Promise<void> => {
    isRunning.current = true
    setBusy(true)
    try {
      await action(...given)
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return { isBusy, start: (...given) => isRunning.current || background(run(given)) }
}
