import type { Log } from '../../src/ports/log.ts'

const FIRST_MS = 10_000
const LONGEST_MS = 3_600_000

/** Logs faults between a runner and its service: the first at once, others after pauses of 10 seconds, 20 seconds, and so on,
 * up to an hour. */
export class Complaints {
  readonly #log: Log
  readonly #now: () => number
  #nextAt = 0
  #pauseMs = FIRST_MS

  /** @param now in milliseconds; it never decreases */
  constructor(log: Log, now = () => performance.now()) {
    this.#log = log
    this.#now = now
  }

  /** Logs a warning if the pause after the last warning has ended. */
  warn(message: string, about: Readonly<Record<string, string | number>>): void {
    const now = this.#now()
    if (now < this.#nextAt) return
    this.#log.warn(message, about)
    this.#nextAt = now + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_MS)
  }

  /** Logs the end of a fault. The next fault is logged at once. */
  over(): void {
    if (this.#nextAt === 0) return
    this.#log.info('runner: the service accepts requests of this runner again')
    this.#nextAt = 0
    this.#pauseMs = FIRST_MS
  }
}
