import type { SteadyClock } from '../../src/ports/clock.ts'

/** The platform's clock. */
export const clock: SteadyClock = { now: () => Date.now(), monotonic: () => performance.now() }
