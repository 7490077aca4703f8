import { refusalIn } from './errors.ts'
import type { MaybePromise } from './maybe-promise.ts'

type Entry<Value> = { readonly value: Value; readonly foundAt: number; untilAt: number }
/** Somebody who asks, since when, and what came of it. */
type PendingFetch<Value> = { readonly since: number; outcome: (() => Value | null) | null }

const ENTRIES_MAX = 10_000
/** Who has asked for so long may have left without an answer. */
const GONE_MS = 2_000
/** How often those who know nothing yet look whether there is an answer. */
const LOOK_MS = 5
/** While nobody can be asked, what was found within this time is taken for what is still so: nobody can change it
 * meanwhile but in another process. */
const AWAY_MAX_MS = 3_600_000
/** How long nobody is asked again who could not be. */
const AWAY_PAUSE_MS = 5_000

/** What was found a moment ago, so that it need not be asked for again: by one at a time, whose answer or failure is that of
 * all who come meanwhile; where it asks ahead of time, they go on with what is known. Null, which is nothing found, and
 * failures are not remembered; but when the one who is asked is away (refusal `unavailable`), what was found before goes on.
 *
 * Nobody waits for the promise of somebody else: at the edge a request that does counts as hung, and one whose sender has
 * left just stops. */
export class TtlCache<Value, Key extends string | number = string> {
  readonly #keepMs: number
  readonly #aheadMs: number
  readonly #inBackground: ((work: Promise<unknown>) => void) | null
  #entries = new Map<Key, Entry<Value>>()
  readonly #askers = new Map<Key, PendingFetch<Value>>()

  /** @param keepMs nothing that was found longer ago is answered, while somebody can be asked
   * @param aheadMs so long before that somebody asks anew, and the others go on with what is known meanwhile
   * @param inBackground lets the one who asks ahead of time go on as well; it keeps the work alive after the answer */
  constructor(keepMs: number, aheadMs = 0, inBackground: ((work: Promise<unknown>) => void) | null = null) {
    this.#keepMs = keepMs
    this.#aheadMs = aheadMs
    this.#inBackground = inBackground
  }

  find(key: Key, now: number, ask: () => Promise<Value | null>): MaybePromise<Value | null> {
    const known = this.#entries.get(key)
    return known && known.untilAt - this.#aheadMs > now ? known.value : this.#join(key, now, ask)
  }

  async #join(key: Key, now: number, ask: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.#entries.get(key)
    const asker = this.#askers.get(key)
    const isMine = !asker || Math.abs(now - asker.since) >= GONE_MS
    if (known && known.untilAt > now && (!isMine || this.#inBackground)) {
      // A failure is for the next one who asks.
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
    // Not emptied: whoever asks now puts what it finds, which may be of before, among the entries of before.
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

/** What was known before, when nobody can say what it is now. */
function keptOn<Value>(known: Entry<Value> | undefined, now: number, error: unknown): (() => Value) | null {
  if (!known || refusalIn(error)?.code !== 'unavailable' || now - known.foundAt > AWAY_MAX_MS) return null
  known.untilAt = now + AWAY_PAUSE_MS
  return () => known.value
}
