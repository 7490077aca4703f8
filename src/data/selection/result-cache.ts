import { Lru } from '../../lib/lru.ts'

/** Of a leader that gives no sign for so long the request has ended: at the edge the work of a caller who left just stops. */
const GONE_MS = 2_000
const SIGN_MS = 500
const LOOK_MIN_MS = 5
const LOOK_MAX_MS = 50
/** A result of a greater share of the cache is not kept. */
const SHARE_MAX = 1 / 4

/** Equal requests have one name. */
export type ResultRequest<Value> = {
  readonly name: string
  /** How long ago the computation of a result may have begun; null for any time. */
  readonly ageMaxMs: number | null
  readonly now: () => number
  /** Fires when the caller leaves. */
  readonly signal: AbortSignal
  readonly compute: () => Promise<Value>
}

export type Found<Value> = {
  readonly value: Value
  /** Whether another request computed it. */
  readonly isShared: boolean
}

type Kept<Value> = { readonly value: Value; readonly beganAt: number }
type Computation<Value> = {
  readonly beganAt: number
  /** Counts the signs of its request. */
  signs: number
  outcome: (() => Value) | null
  isOver: boolean
}

/** Results in memory. Of equal requests at one time the first computes the result or the failure of all. When it leaves, the next
 * one computes. No request waits for a promise of another: at the edge it would count as hung. */
export class ResultCache<Value> {
  readonly #weigh: (value: Value) => number
  readonly #weightMax: number
  readonly #kept: Lru<Kept<Value>>
  readonly #computations = new Map<string, Computation<Value>>()

  constructor(weightMax: number, weigh: (value: Value) => number, countMax?: number) {
    this.#weigh = weigh
    this.#weightMax = weightMax
    this.#kept = new Lru(weightMax, countMax)
  }

  /** The weight of all kept results. */
  get weight(): number {
    return this.#kept.weight
  }

  async find(request: ResultRequest<Value>): Promise<Found<Value>> {
    const { name, signal } = request
    for (;;) {
      signal.throwIfAborted()
      const kept = this.#kept.get(name)
      if (kept && isYoung(kept, request)) return { value: kept.value, isShared: true }
      const computation = this.#computations.get(name)
      if (!computation || !isYoung(computation, request))
        return { value: await this.#compute(request), isShared: false }
      const outcome = await outcomeOf(computation, signal)
      if (outcome) return { value: outcome(), isShared: true }
      if (this.#computations.get(name) === computation) this.#computations.delete(name)
    }
  }

  #keep(name: string, kept: Kept<Value>): void {
    const weight = this.#weigh(kept.value)
    const isOlder = kept.beganAt < (this.#kept.get(name)?.beganAt ?? kept.beganAt)
    if (!isOlder && weight <= this.#weightMax * SHARE_MAX) this.#kept.set(name, kept, weight)
  }

  async #compute(request: ResultRequest<Value>): Promise<Value> {
    const { name, now, signal, compute } = request
    const computation: Computation<Value> = { beganAt: now(), signs: 0, outcome: null, isOver: false }
    this.#computations.set(name, computation)
    const signs = setInterval(() => void (computation.signs += 1), SIGN_MS)
    try {
      const value = await compute()
      computation.outcome = () => value
      this.#keep(name, { value, beganAt: computation.beganAt })
      return value
    } catch (error) {
      // The failure of a caller who left has no meaning for others.
      if (!signal.aborted)
        computation.outcome = () => {
          throw error
        }
      throw error
    } finally {
      computation.isOver = true
      clearInterval(signs)
      if (this.#computations.get(name) === computation) this.#computations.delete(name)
    }
  }
}

function isYoung(
  { beganAt }: { readonly beganAt: number },
  { ageMaxMs, now }: Pick<ResultRequest<unknown>, 'ageMaxMs' | 'now'>,
): boolean {
  return ageMaxMs === null || Math.abs(now() - beganAt) < ageMaxMs
}

/** The outcome of another request's computation; null when that request is gone. */
async function outcomeOf<Value>(
  computation: Computation<Value>,
  signal: AbortSignal,
): Promise<(() => Value) | null> {
  let lookMs = LOOK_MIN_MS
  for (let [silentMs, signs] = [0, 0]; silentMs < GONE_MS; silentMs += lookMs) {
    if (computation.isOver) return computation.outcome
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    signal.throwIfAborted()
    lookMs = Math.min(LOOK_MAX_MS, lookMs * 2)
    if (computation.signs !== signs) [silentMs, signs] = [0, computation.signs]
  }
  return null
}
