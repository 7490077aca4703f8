import type { Clock, SteadyClock } from '../../../ports/clock.ts'

/** Clocks of machines that replace each other differ by less; a deadline that is late by this is on time. */
const JITTER_MS = 1_000

/** The service's clock, which notices at each reading whether it was set back. */
export class WatchedClock implements Clock {
  readonly #clock: SteadyClock
  readonly #wasSetBack: (byMs: number, now: number) => void
  /** The latest reading since the clock was set back last. */
  #latestAt = Number.NEGATIVE_INFINITY
  /** The latest reading of all; no stored value has a later stamp of this clock. */
  #greatestAt = Number.NEGATIVE_INFINITY
  /** Wall clock minus monotonic clock, ms; null while it is not known. */
  #offsetMs: number | null = null

  /** `wasSetBack` is called before the reading is returned, with the time by which the clock was set back (at most 0, and 0
   * where it is not known), and the reading. */
  constructor(clock: SteadyClock, wasSetBack: (byMs: number, now: number) => void) {
    this.#clock = clock
    this.#wasSetBack = wasSetBack
  }

  now(): number {
    const now = this.#clock.now()
    this.notice(now)
    return now
  }

  /** As `now`, for a reading that the host has just made. */
  notice(now: number): void {
    if (now >= this.#latestAt) this.#latestAt = now
    else if (this.#latestAt - now >= JITTER_MS) this.#goBack(now)
  }

  /** Remembers how far the wall clock is ahead of the monotonic clock, so that a set-back can be measured. */
  measure(now: number): void {
    this.#offsetMs = now - this.#clock.monotonic()
  }

  /** The milliseconds by which the clock was set ahead between `measure` and this reading; 0 where it is not known. */
  aheadMs(now: number): number {
    if (this.#offsetMs === null) return 0
    return Math.max(0, Math.round(now - this.#clock.monotonic() - this.#offsetMs))
  }

  /** A stored value was stamped at this instant. */
  hasStored(at: number): void {
    this.#latestAt = Math.max(this.#latestAt, at)
  }

  /** The effects of the set-back were lost: the next reading reports it again, with an unknown time. */
  reportAgain(): void {
    this.#greatestAt = Math.max(this.#greatestAt, this.#latestAt)
    this.#offsetMs = null
    this.#latestAt = Number.POSITIVE_INFINITY
  }

  /** The milliseconds by which the clock is behind the stored values; 0 where it is not. */
  get behindMs(): number {
    const behindMs = this.#greatestAt - this.#clock.now()
    return behindMs >= JITTER_MS ? behindMs : 0
  }

  #goBack(now: number): void {
    const monotonic = this.#clock.monotonic()
    const byMs = this.#offsetMs === null ? 0 : Math.min(0, Math.round(now - monotonic - this.#offsetMs))
    if (Number.isFinite(this.#latestAt)) this.#greatestAt = Math.max(this.#greatestAt, this.#latestAt)
    this.#latestAt = now
    this.#offsetMs = now - monotonic
    this.#wasSetBack(byMs, now)
  }
}
