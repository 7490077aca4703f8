import { HandTime } from './hand-time.ts'

/** Stands in workerd where the platform's clock stood: it stands still until it is moved. */
export const clock = new HandTime(0)

/** Sets the clock for the Worker and for all of its objects, which share one isolate. */
export function setClock(instant: number): void {
  clock.moveTo(instant)
}
