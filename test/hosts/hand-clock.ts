import type { Clock } from '../../src/ports/clock.ts'

let at = 0

/** Stands in workerd where the platform's clock stood: it stands still until it is moved. */
export const clock: Clock = { now: () => at }

/** Sets the clock for the Worker and for all of its objects, which share one isolate. */
export function setClock(instant: number): void {
  at = instant
}
