import type { Clock } from '../../src/ports/clock.ts'

/** The platform's clock. */
export const clock: Clock = { now: () => Date.now() }
