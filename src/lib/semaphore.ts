import { Refusal } from './errors.ts'

/** How often whoever is next looks whether it is its turn; the further behind, the less often. */
const LOOK_MS = 5
/** Who has not looked for so long does not wait any more. */
const GONE_MS = 2_000
const LOOK_MAX_MS = GONE_MS / 4
/** Who has waited for so long is refused: not long after, hosts cut connections on which nothing moves. */
const WAIT_MAX_MS = 15_000
/** Nobody is sent away for longer, however slow it goes just now. */
const RETRY_MAX_S = 30

type Clock = { readonly now: () => number }

/** The wait of a task that no connection waits for. */
type LongWait = { readonly maxMs: number; readonly signal: AbortSignal }

/** A place among those who wait. */
export type Turn = {
  /** Runs a task as soon as it is its turn, once. @throws {Refusal} overloaded when that does not come */
  readonly run: <Result>(task: () => Promise<Result>) => Promise<Result>
  readonly leave: () => void
}

/** Lets a few tasks run at the same time, lets a few more wait, in the order in which they came, and refuses the rest until
 * those will have had their turn. Who has waited in vain for 15 seconds is refused as well.
 *
 * Tasks of different requests know nothing of each other but the time: at the edge a request that waits for another one
 * counts as hung, and one whose sender has left just stops, without giving anything back. */
export class Semaphore {
  readonly #atOnce: number
  readonly #waitingMax: number
  readonly #lostMs: number
  readonly #running = new Set<WaitingTurn>()
  readonly #waiting = new Set<WaitingTurn>()
  /** How long the task took that ended last. */
  #tookMs = 0

  /** @param lostMs who has run for so long does not run any more */
  constructor(atOnce: number, waitingMax: number, lostMs: number) {
    this.#atOnce = atOnce
    this.#waitingMax = waitingMax
    this.#lostMs = lostMs
  }

  /** @throws {Refusal} overloaded when too many wait already. @throws the reason of the signal of a long wait */
  async run<Result>(clock: Clock, task: () => Promise<Result>, wait?: LongWait): Promise<Result> {
    return this.enter(clock, wait).run(task)
  }

  /** A place among those who wait, for who has something to do before its task can run. To be left in the end, run or not.
   * @throws {Refusal} overloaded when too many wait already */
  enter(clock: Clock, wait?: LongWait): Turn {
    const enteredAt = clock.now()
    const waitMaxMs = wait?.maxMs ?? WAIT_MAX_MS
    const place: WaitingTurn = { seenAt: enteredAt }
    this.#forget(place.seenAt)
    const roomFor = this.#atOnce - this.#running.size + this.#waitingMax
    if (this.#waiting.size >= roomFor) throw this.#refusal()
    this.#waiting.add(place)
    return {
      run: async (task) => {
        try {
          while (!this.#take(place, clock.now())) {
            wait?.signal.throwIfAborted()
            if (place.seenAt - enteredAt > waitMaxMs) throw this.#refusal()
            this.#waiting.add(place)
            await new Promise((resolve) => setTimeout(resolve, this.#lookAfterMs(place)))
          }
          const result = await task()
          this.#tookMs = clock.now() - place.seenAt
          return result
        } finally {
          this.#leave(place)
        }
      },
      leave: () => this.#leave(place),
    }
  }

  #refusal(): Refusal {
    const before = this.#running.size + this.#waiting.size
    const untilFreeS = Math.ceil((before * this.#tookMs) / this.#atOnce / 1_000)
    const retryAfterS = Math.min(RETRY_MAX_S, Math.max(1, untilFreeS))
    return new Refusal('overloaded', 'Too many concurrent requests. Try again shortly.', [], retryAfterS)
  }

  #lookAfterMs(place: WaitingTurn): number {
    const before = [...this.#waiting].indexOf(place)
    return Math.min(LOOK_MAX_MS, LOOK_MS * (1 + Math.floor(before / this.#atOnce)))
  }

  /** Begins to run where it is its turn. */
  #take(place: WaitingTurn, now: number): boolean {
    place.seenAt = now
    this.#forget(now)
    const [first = place] = this.#waiting
    if (this.#running.size >= this.#atOnce || first !== place) return false
    this.#waiting.delete(place)
    this.#running.add(place)
    return true
  }

  #leave(place: WaitingTurn): void {
    this.#waiting.delete(place)
    this.#running.delete(place)
  }

  #forget(now: number): void {
    forget(this.#running, now, this.#lostMs)
    forget(this.#waiting, now, GONE_MS)
  }
}

/** Slots of their own for each key, which live as long as it does. */
export function semaphoreFor<Key extends WeakKey>(
  ...bounds: ConstructorParameters<typeof Semaphore>
): (key: Key) => Semaphore {
  const known = new WeakMap<Key, Semaphore>()
  return (key) => {
    const slots = known.get(key) ?? new Semaphore(...bounds)
    known.set(key, slots)
    return slots
  }
}

/** When a task began, or was last seen to wait, in epoch milliseconds. */
type WaitingTurn = { seenAt: number }

/** A clock that was set back tells nothing of who was seen before. */
function forget(places: Set<WaitingTurn>, now: number, afterMs: number): void {
  for (const place of places) if (Math.abs(now - place.seenAt) > afterMs) places.delete(place)
}
