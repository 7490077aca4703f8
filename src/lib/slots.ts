import { Refusal } from './errors.ts'

/** How often whoever waits looks whether it is its turn. */
const LOOK_MS = 5
/** Who has not looked for so many looks of the others does not wait any more. */
const GONE_LOOKS = 200

/** Lets a few tasks run at the same time, lets a few more wait, in the order in which they came, and refuses the rest.
 *
 * Tasks of different requests know nothing of each other but the time: at the edge a request that waits for another one
 * counts as hung, and one whose sender has left just stops, without giving anything back. */
export class Slots {
  readonly #atOnce: number
  readonly #waitingMax: number
  readonly #lostMs: number
  readonly #running = new Set<Place>()
  readonly #waiting = new Set<Place>()
  /** How often each that waits has looked: the clock of those who wait. */
  #looks = 0

  /** @param lostMs who has run for so long while somebody waits does not run any more */
  constructor(atOnce: number, waitingMax: number, lostMs: number) {
    this.#atOnce = atOnce
    this.#waitingMax = waitingMax
    this.#lostMs = lostMs
  }

  /** @throws {Refusal} overloaded when too many wait already */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    const place: Place = { seenAt: this.#looks }
    if (!this.#take(place)) await this.#wait(place)
    try {
      return await task()
    } finally {
      this.#running.delete(place)
    }
  }

  async #wait(place: Place): Promise<void> {
    if (this.#waiting.size >= this.#waitingMax)
      throw new Refusal('overloaded', 'Too many wait for the same. Come again in a moment.')
    do {
      this.#waiting.add(place)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      this.#looks += 1 / Math.max(1, this.#waiting.size)
    } while (!this.#take(place))
  }

  /** Begins to run where it is its turn. */
  #take(place: Place): boolean {
    place.seenAt = this.#looks
    forget(this.#running, this.#looks - this.#lostMs / LOOK_MS)
    forget(this.#waiting, this.#looks - GONE_LOOKS)
    const [first = place] = this.#waiting
    if (this.#running.size >= this.#atOnce || first !== place) return false
    this.#waiting.delete(place)
    this.#running.add(place)
    return true
  }
}

/** Slots of their own for each key, which live as long as it does. */
export function slotsFor<Key extends WeakKey>(
  ...bounds: ConstructorParameters<typeof Slots>
): (key: Key) => Slots {
  const known = new WeakMap<Key, Slots>()
  return (key) => {
    const slots = known.get(key) ?? new Slots(...bounds)
    known.set(key, slots)
    return slots
  }
}

/** After how many looks a task began, or was last seen to wait. */
type Place = { seenAt: number }

function forget(places: Set<Place>, beforeAt: number): void {
  for (const place of places) if (place.seenAt < beforeAt) places.delete(place)
}
