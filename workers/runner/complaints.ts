import type { Log } from '../../src/ports/log.ts'

const FIRST_MS = 10_000
const LONGEST_MS = 3_600_000

/** Faults between a runner and its service, logged at once and then with growing pauses: after 10 seconds,
 * 20, and so on, up to once an hour. */
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

  /** Logs a warning unless the pause after the last one has not ended. */
  warn(message: string, about: Readonly<Record<string, string | number>>): void {
    const now = this.#now()
    if (now < this.#nextAt) return
    this.#log.warn(message, about)
    this.#nextAt = now + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_MS)
  }

  /** The fault is over. */
  over(): void {
    if (this.#nextAt === 0) return
    this.#log.info('runner: the service accepts requests of this runner again')
    this.#nextAt = 0
    this.#pauseMs = FIRST_MS
  }
}
