import type { Transition } from '../../../domain/transition.ts'
import type { Log } from '../../../ports/log.ts'

const TRANSITIONS_PER_BATCH = 500

/** Committed transitions that the state pipeline has not processed: delivered in order, at least once each. */
export class TransitionOutbox {
  readonly #follow: (transitions: readonly Transition[]) => Promise<void>
  readonly #log: Log
  #waiting: Transition[] = []
  #delivering: Promise<boolean> | null = null
  #redeliversOnReplay = false

  constructor(follow: (transitions: readonly Transition[]) => Promise<void>, log: Log) {
    // A listener may throw before it returns a promise.
    this.#follow = async (transitions) => follow(transitions)
    this.#log = log
  }

  /** True when no transition waits. */
  get isDrained(): boolean {
    return this.#waiting.length === 0
  }

  /** True from a delivery until the next flush: an engine that replays the WAL before that delivers again. */
  get redeliversOnReplay(): boolean {
    return this.#redeliversOnReplay
  }

  /** A flush begins: once it has ended, transitions that were delivered before it are not delivered again. */
  willFlush(): void {
    this.#redeliversOnReplay = false
  }

  add(transitions: readonly Transition[]): void {
    for (const transition of transitions) this.#waiting.push(transition)
  }

  /** Delivers all waiting transitions; false when the listener failed, and `deliver` must be called again later. */
  deliver(): Promise<boolean> {
    if (this.isDrained) return Promise.resolve(true)
    this.#delivering ??= this.#deliverAll()
    return this.#delivering
  }

  async #deliverAll(): Promise<boolean> {
    // Transitions of one job are ordered by time already. Those of many jobs are sorted too, so that the history of their
    // parents agrees with theirs.
    this.#waiting.sort((a, b) => a.at - b.at)
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, TRANSITIONS_PER_BATCH)
        // The sender is answered after this and expects the change everywhere, so a short failure is retried at once.
        await this.#follow(batch).catch((error: unknown) => {
          this.#log.error('engine: processing state transitions failed; retrying at once', error, {
            objectId: batch[0]?.objectId ?? null,
            transitions: batch.length,
          })
          return this.#follow(batch)
        })
        this.#waiting.splice(0, batch.length)
        this.#redeliversOnReplay = true
      }
      return true
    } catch (error) {
      const waiting = this.#waiting.length
      this.#log.error('engine: processing state transitions failed; they are kept, retrying', error, {
        objectId: this.#waiting[0]?.objectId ?? null,
        waiting,
      })
      return false
    } finally {
      this.#delivering = null
    }
  }
}
