import { test } from 'bun:test'

const IS_TIMED = process.env['TIDEMARK_TEST_TIMED'] === 'true'

/** What a time, a memory or a share is held to. On a machine of its own (`npm run faults:timed`) that is what is promised;
 * anywhere else, where neighbours slow a host down, it is what only a wait, a leak or a collapse explains. */
export function bound(promised: number, anywhere: number): number {
  return IS_TIMED ? promised : anywhere
}

/** Whether all faults are injected, as by `npm run test:faults`, or the first of each kind. */
export const EVERY_FAULT = process.env['TIDEMARK_TEST_EVERY_FAULT'] === 'true'

/** A test that injects the fault that another test detects. `npm run test:faults` runs the controls; `npm test` does not. */
export function control(title: string, run: () => Promise<void> | void, timeoutMs?: number): void {
  if (EVERY_FAULT) test(title, run, timeoutMs)
}
