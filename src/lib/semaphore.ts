import { Refusal } from './errors.ts'

/** The first in the queue checks for its turn this often; the further behind, the less often. */
const LOOK_MS = 5
/** A place that has not checked for this long is dropped from the queue. */
const GONE_MS = 2_000
const LOOK_MAX_MS = GONE_MS / 4
/** The maximum wait of a request: soon after it, hosts cut connections without traffic. */
const WAIT_MAX_MS = 15_000
/** The maximum of `Retry-After`, however slow the tasks are. */
const RETRY_MAX_S = 30

type Clock = { readonly now: () => number }

/** The wait of a task that no connection waits for. */
type LongWait = { readonly maxMs: number; readonly signal: AbortSignal }

/** A place in the queue. */
export type Turn = {
  /** Runs a task once, when its turn comes. @throws {Refusal} overloaded when the turn does not come */
  readonly run: <Result>(task: () => Promise<Result>) => Promise<Result>
  readonly leave: () => void
}

/** Runs a few tasks at the same time, queues a few more in order of arrival, and refuses the rest until
 * the queue has moved. A task that has waited 15 seconds is refused as well.
 *
 * Tasks of different requests share only the clock: at the edge a request that waits for another one
 * counts as hung, and one whose client has left stops without returning its slot. */
export class Semaphore {
  readonly #atOnce: number
  readonly #waitingMax: number
  readonly #lostMs: number
  readonly #running = new Set<WaitingTurn>()
  readonly #waiting = new Set<WaitingTurn>()
  /** Duration of the last task that ended. */
  #tookMs = 0

  /** @param lostMs a task that has run for this long loses its slot */
  constructor(atOnce: number, waitingMax: number, lostMs: number) {
    this.#atOnce = atOnce
    this.#waitingMax = waitingMax
    this.#lostMs = lostMs
  }

  /** @throws {Refusal} overloaded when too many wait already. @throws the reason of the signal of a long wait */
  async run<Result>(clock: Clock, task: () => Promise<Result>, wait?: LongWait): Promise<Result> {
    return this.enter(clock, wait).run(task)
  }

  /** A place in the queue, for a caller with work to do before its task can run. The caller leaves it in the end, run or not.
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

  /** Takes a slot when its turn has come. */
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

/** A semaphore for each key, which lives as long as the key. */
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

/** When a task began or last checked for its turn, epoch ms. */
type WaitingTurn = { seenAt: number }

/** After the clock was set back, earlier times are meaningless. */
function forget(places: Set<WaitingTurn>, now: number, afterMs: number): void {
  for (const place of places) if (Math.abs(now - place.seenAt) > afterMs) places.delete(place)
}
