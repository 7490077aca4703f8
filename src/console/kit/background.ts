import { toastFailure } from './toasts.tsx'

/** Lets a promise run on. Its failure is shown to the user. */
export function background(work: Promise<unknown>): void {
  work.catch((error: unknown) => toastFailure(error))
}
