import type { Transition } from '../../../domain/transition.ts'
import type { Log } from '../../../ports/log.ts'

const TRANSITIONS_PER_BATCH = 500

/** Committed transitions on their way up: told in order, again and again until they were taken. */
export class TransitionOutbox {
  readonly #follow: (transitions: readonly Transition[]) => Promise<void>
  readonly #log: Log
  #waiting: Transition[] = []
  #delivering: Promise<boolean> | null = null
  #redeliversOnReplay = false

  constructor(follow: (transitions: readonly Transition[]) => Promise<void>, log: Log) {
    // A listener that throws before it returns a promise is one that rejects.
    this.#follow = async (transitions) => follow(transitions)
    this.#log = log
  }

  /** True when nothing waits. */
  get isDrained(): boolean {
    return this.#waiting.length === 0
  }

  /** True from what was told until a flush: an engine that opens on the journal before that tells it again. */
  get redeliversOnReplay(): boolean {
    return this.#redeliversOnReplay
  }

  /** A flush begins: what was told so far is not told again once it has ended. */
  willFlush(): void {
    this.#redeliversOnReplay = false
  }

  add(transitions: readonly Transition[]): void {
    for (const transition of transitions) this.#waiting.push(transition)
  }

  /** Tells everything that waits; false when the listener is away and it must be tried again later. */
  deliver(): Promise<boolean> {
    if (this.isDrained) return Promise.resolve(true)
    this.#delivering ??= this.#deliverAll()
    return this.#delivering
  }

  async #deliverAll(): Promise<boolean> {
    // Those of one job are in the order of time already. Those of many come in that order, too, so that what is above them
    // has a past that agrees with theirs.
    this.#waiting.sort((a, b) => a.at - b.at)
    try {
      while (this.#waiting.length > 0) {
        const told = this.#waiting.slice(0, TRANSITIONS_PER_BATCH)
        // A failure that passes at once must not show: who delivered is answered after this, and finds the change everywhere.
        await this.#follow(told).catch(() => this.#follow(told))
        this.#waiting.splice(0, told.length)
        this.#redeliversOnReplay = true
      }
      return true
    } catch (error) {
      const waiting = this.#waiting.length
      this.#log.error('engine: processing state transitions failed; they are kept, retrying', error, {
        waiting,
      })
      return false
    } finally {
      this.#delivering = null
    }
  }
}
