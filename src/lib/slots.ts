import { Refusal } from './errors.ts'

/** Lets a few tasks run at the same time, lets a few more wait, and refuses the rest. */
export class Slots {
  readonly #atOnce: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, waitingMax: number) {
    this.#atOnce = atOnce
    this.#waitingMax = waitingMax
  }

  /** @throws {Refusal} overloaded when too many wait already */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running++
    else await this.#wait()
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      // Whoever waits takes the place over.
      if (next) next()
      else this.#running--
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax)
      throw new Refusal('overloaded', 'Too many wait for the same. Come again in a moment.')
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
