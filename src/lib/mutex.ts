/** Runs one task at a time, in the order in which they came. A task that fails does not hinder the next. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** Runs one task of each key at a time, as `Mutex` does. A key takes memory only while a task of it waits or runs. */
export class KeyedMutex<Key> {
  readonly #locks = new Map<Key, { readonly mutex: Mutex; tasks: number }>()

  /** The number of keys whose tasks wait or run. */
  get size(): number {
    return this.#locks.size
  }

  async run<Result>(key: Key, task: () => Promise<Result>): Promise<Result> {
    const lock = this.#locks.get(key) ?? { mutex: new Mutex(), tasks: 0 }
    this.#locks.set(key, lock)
    lock.tasks++
    try {
      return await lock.mutex.run(task)
    } finally {
      if (--lock.tasks === 0) this.#locks.delete(key)
    }
  }
}
