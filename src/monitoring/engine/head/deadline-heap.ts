/** Jobs by deadline: a binary heap with one entry for each job. */
export class DeadlineHeap {
  readonly #ats: number[] = []
  readonly #ids: number[] = []
  /** The index of each job's entry in the heap. */
  readonly #places = new Map<number, number>()

  /** The earliest time, or infinity. */
  get nextAt(): number {
    return this.#ats[0] ?? Number.POSITIVE_INFINITY
  }

  get size(): number {
    return this.#ats.length
  }

  /** Enters a job, or moves its entry: a deadline that moves often takes no more memory. */
  set(at: number, id: number): void {
    const known = this.#places.get(id)
    const place = known ?? this.#ats.length
    if (known !== undefined && at > this.#at(known)) this.#sink(place, at, id)
    else this.#rise(place, at, id)
  }

  /** Removes the earliest entry and returns it, when its time is `now` or before. */
  takeDue(now: number): { readonly at: number; readonly id: number } | null {
    const id = this.#ids[0]
    const at = this.nextAt
    if (id === undefined || at > now) return null
    const lastAt = this.#ats.pop() ?? 0
    const lastId = this.#ids.pop() ?? 0
    this.#places.delete(id)
    if (this.#ats.length > 0) this.#sink(0, lastAt, lastId)
    return { at, id }
  }

  #rise(from: number, at: number, id: number): void {
    let hole = from
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (this.#at(parent) <= at) break
      this.#move(parent, hole)
      hole = parent
    }
    this.#set(hole, at, id)
  }

  #sink(from: number, at: number, id: number): void {
    const size = this.#ats.length
    let hole = from
    for (;;) {
      let child = 2 * hole + 1
      if (child >= size) break
      if (child + 1 < size && this.#at(child + 1) < this.#at(child)) child++
      if (this.#at(child) >= at) break
      this.#move(child, hole)
      hole = child
    }
    this.#set(hole, at, id)
  }

  #at(index: number): number {
    return this.#ats[index] ?? Number.POSITIVE_INFINITY
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#at(from), this.#ids[from] ?? 0)
  }

  #set(index: number, at: number, id: number): void {
    this.#ats[index] = at
    this.#ids[index] = id
    this.#places.set(id, index)
  }
}
