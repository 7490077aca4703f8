import { refusalIn } from './errors.ts'
import type { MaybePromise } from './maybe-promise.ts'

type Entry<Value> = { readonly value: Value; foundAt: number; untilAt: number }
/** A pending fetch: its start and its outcome. */
type PendingFetch<Value> = { readonly since: number; outcome: (() => Value | null) | null }

const ENTRIES_MAX = 10_000
/** A fetch of this age may have stopped with its request. */
const GONE_MS = 2_000
/** Callers without an entry check for the outcome of a pending fetch this often. */
const LOOK_MS = 5
/** While the source is unavailable, entries of this age at most are still served: nothing can change them
 * meanwhile but in another process. */
const AWAY_MAX_MS = 3_600_000
/** The pause after a fetch from an unavailable source. */
const AWAY_PAUSE_MS = 5_000

/** A TTL cache with single flight: one caller at a time fetches a key, and its outcome is the outcome of
 * all callers that come meanwhile; during a fetch ahead of expiry they get the known value. Null (not found) and
 * failures are not cached; while the source is away (refusal `unavailable`), the former value is served.
 *
 * No request waits for the promise of another one: at the edge such a request counts as hung, and one whose client has
 * left stops. */
export class TtlCache<Value, Key extends string | number = string> {
  readonly #keepMs: number
  readonly #aheadMs: number
  readonly #inBackground: ((work: Promise<unknown>) => void) | null
  #entries = new Map<Key, Entry<Value>>()
  readonly #askers = new Map<Key, PendingFetch<Value>>()

  /** @param keepMs the maximum age of an answer while the source is available
   * @param aheadMs one caller fetches anew this long before expiry, and the others get the known value meanwhile
   * @param inBackground gives the known value to the caller that fetches ahead as well, and keeps its fetch alive after the answer */
  constructor(keepMs: number, aheadMs = 0, inBackground: ((work: Promise<unknown>) => void) | null = null) {
    this.#keepMs = keepMs
    this.#aheadMs = aheadMs
    this.#inBackground = inBackground
  }

  find(key: Key, now: number, ask: () => Promise<Value | null>): MaybePromise<Value | null> {
    const known = this.#entries.get(key)
    return known && this.#isFresh(known, now, this.#aheadMs) ? known.value : this.#join(key, now, ask)
  }

  /** An entry from far ahead is of the time before the clock was set back. */
  #isFresh({ foundAt, untilAt }: Entry<Value>, now: number, aheadMs = 0): boolean {
    return now + aheadMs < untilAt && now > foundAt - this.#keepMs
  }

  async #join(key: Key, now: number, ask: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.#entries.get(key)
    const asker = this.#askers.get(key)
    const isMine = !asker || Math.abs(now - asker.since) >= GONE_MS
    if (known && this.#isFresh(known, now) && (!isMine || this.#inBackground)) {
      // A failure is for the next caller.
      if (isMine) this.#inBackground?.(this.#ask(key, now, ask).catch(() => null))
      return known.value
    }
    if (isMine) return this.#ask(key, now, ask)
    for (let waitedMs = 0; waitedMs < GONE_MS; waitedMs += LOOK_MS) {
      if (asker.outcome) return asker.outcome()
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return this.find(key, now + GONE_MS, ask)
  }

  clear(): void {
    // The map is replaced and not emptied: a pending fetch may store an outdated value, which then goes into the old map.
    this.#entries = new Map()
    this.#askers.clear()
  }

  async #ask(key: Key, now: number, ask: () => Promise<Value | null>): Promise<Value | null> {
    if (this.#entries.size >= ENTRIES_MAX || this.#askers.size >= ENTRIES_MAX) this.clear()
    const entries = this.#entries
    const known = entries.get(key)
    const asker: PendingFetch<Value> = { since: now, outcome: null }
    this.#askers.set(key, asker)
    try {
      const value = await ask()
      if (value === null) entries.delete(key)
      else entries.set(key, { value, foundAt: now, untilAt: now + this.#keepMs })
      asker.outcome = () => value
    } catch (error) {
      asker.outcome = keptOn(known, now, error)
      if (!asker.outcome) entries.delete(key)
      asker.outcome ??= () => {
        throw error
      }
    }
    if (this.#askers.get(key) === asker) this.#askers.delete(key)
    return asker.outcome()
  }
}

/** The former value while the source is unavailable; null without one, or when it is too old. */
function keptOn<Value>(known: Entry<Value> | undefined, now: number, error: unknown): (() => Value) | null {
  if (!known || refusalIn(error)?.code !== 'unavailable' || now - known.foundAt > AWAY_MAX_MS) return null
  known.untilAt = now + AWAY_PAUSE_MS
  known.foundAt = Math.min(known.foundAt, now)
  return () => known.value
}
