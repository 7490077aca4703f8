import { Refusal } from '../../../lib/errors.ts'

const RETRY_LATER_S = 10

export type StreamLimits = { readonly readersMax: number; readonly readersOfUserMax: number }

/** Counts open streams, in total and per user. */
export class StreamLimiter {
  readonly #limits: StreamLimits
  readonly #ofUser = new Map<number, number>()
  #taken = 0

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  get taken(): number {
    return this.#taken
  }

  /** @throws {Refusal} overloaded */
  take(userId: number): void {
    if (this.#taken >= this.#limits.readersMax)
      throw full('Too many event streams are open. Try again later.')
    const own = this.#ofUser.get(userId) ?? 0
    if (own >= this.#limits.readersOfUserMax)
      throw full(
        `A user can have at most ${this.#limits.readersOfUserMax} event streams at once. Close one, or try again later.`,
      )
    this.#ofUser.set(userId, own + 1)
    this.#taken++
  }

  give(userId: number): void {
    const own = (this.#ofUser.get(userId) ?? 1) - 1
    if (own === 0) this.#ofUser.delete(userId)
    else this.#ofUser.set(userId, own)
    this.#taken--
  }
}

/** The refusal of a reader beyond the limits. */
export function full(detail: string): Refusal {
  return new Refusal('overloaded', detail, [], RETRY_LATER_S)
}
