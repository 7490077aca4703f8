type Entry<Value> = { readonly value: Promise<Value | null>; readonly untilAt: number }

const ENTRIES_MAX = 10_000

/** What was found a moment ago, so that it need not be asked for again. Null, which is nothing found, and failures are
 * not remembered. */
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
    const entry = { value: ask(), untilAt: now + this.#keepMs }
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
