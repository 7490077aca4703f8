import type { SteadyClock } from '../../src/ports/clock.ts'

/** A clock that stands still until it is moved. An earlier instant sets it back: then no time has passed. */
export class HandTime implements SteadyClock {
  #now: number
  #passedMs = 0

  constructor(now: number) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#passedMs
  }

  moveTo(at: number): void {
    this.#passedMs += Math.max(0, at - this.#now)
    this.#now = at
  }
}
