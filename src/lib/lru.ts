type LruEntry<Value> = { readonly value: Value; readonly weight: number }

/** Values by name. Beyond a total weight or a count, the least recently used values are removed. */
export class Lru<Value> {
  readonly #weightMax: number
  readonly #countMax: number
  /** A Map iterates in the order of insertion: the first entry is the least recently used one. */
  readonly #held = new Map<string, LruEntry<Value>>()
  #weight = 0

  constructor(weightMax: number, countMax = Number.POSITIVE_INFINITY) {
    this.#weightMax = weightMax
    this.#countMax = countMax
  }

  /** The total weight of all values. */
  get weight(): number {
    return this.#weight
  }

  get(name: string): Value | null {
    const held = this.#held.get(name)
    if (!held) return null
    this.#held.delete(name)
    this.#held.set(name, held)
    return held.value
  }

  set(name: string, value: Value, weight: number): void {
    this.#drop(name)
    this.#held.set(name, { value, weight })
    this.#weight += weight
    for (const oldest of this.#held.keys()) {
      if (this.#weight <= this.#weightMax && this.#held.size <= this.#countMax) break
      this.#drop(oldest)
    }
  }

  #drop(name: string): void {
    this.#weight -= this.#held.get(name)?.weight ?? 0
    this.#held.delete(name)
  }
}
