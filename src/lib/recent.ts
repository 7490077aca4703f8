import { refusalIn } from './errors.ts'

type Entry<Value> = { value: Promise<Value | null>; untilAt: number; foundAt: number }

const ENTRIES_MAX = 10_000
/** While nobody can be asked, what was found within this time is taken for what is still so: nobody can change it
 * meanwhile but in another process. */
const AWAY_MAX_MS = 3_600_000
/** How long nobody is asked again who could not be. */
const AWAY_PAUSE_MS = 5_000

/** What was found a moment ago, so that it need not be asked for again. Null, which is nothing found, and failures are
 * not remembered; but when the one who is asked is away (refusal `unavailable`), what was found before goes on. */
export class Recent<Value> {
  readonly #keepMs: number
  readonly #entries = new Map<string, Entry<Value>>()

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  find(key: string, now: number, ask: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.#entries.get(key)
    if (known && known.untilAt > now) return known.value
    if (this.#entries.size >= ENTRIES_MAX) this.#entries.clear()
    const asked = ask()
    const entry: Entry<Value> = { value: asked, untilAt: now + this.#keepMs, foundAt: now }
    if (known) entry.value = asked.catch((error: unknown) => keepOn(entry, known, error))
    this.#entries.set(key, entry)
    entry.value.then(
      (value) => value === null && this.#drop(key, entry),
      () => this.#drop(key, entry),
    )
    return entry.value
  }

  clear(): void {
    this.#entries.clear()
  }

  #drop(key: string, entry: Entry<Value>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }
}

/** What was known before, when nobody can say what it is now. */
function keepOn<Value>(entry: Entry<Value>, known: Entry<Value>, error: unknown): Promise<Value | null> {
  const askedAt = entry.foundAt
  if (refusalIn(error)?.code !== 'unavailable' || askedAt - known.foundAt > AWAY_MAX_MS) throw error
  entry.foundAt = known.foundAt
  entry.untilAt = askedAt + AWAY_PAUSE_MS
  return known.value
}
