/** A job with readers of its values, or with readers a moment ago. */
type Watch = {
  /** The ids from the root down to the job; empty if the job does not exist. */
  above: readonly number[]
  /** All values after the event of this number were published. */
  readonly since: number
  readers: number
  idleSinceAt: number
}

/** The jobs whose values are published. */
export class Watches {
  readonly #jobs = new Map<number, Watch>()
  readonly #lingerMs: number

  constructor(lingerMs: number) {
    this.#lingerMs = lingerMs
  }

  get size(): number {
    return this.#jobs.size
  }

  get ids(): readonly number[] {
    return [...this.#jobs.keys()]
  }

  has(jobId: number): boolean {
    return this.#jobs.has(jobId)
  }

  above(jobId: number): readonly number[] {
    return this.#jobs.get(jobId)?.above ?? []
  }

  /** The number of these jobs that are not watched yet. */
  missing(jobIds: Iterable<number>): number {
    return [...jobIds].filter((jobId) => !this.#jobs.has(jobId)).length
  }

  /** Whether all values of these jobs after the event of this number were published. */
  cover(jobIds: Iterable<number>, seq: number): boolean {
    return [...jobIds].every((jobId) => (this.#jobs.get(jobId)?.since ?? Infinity) <= seq)
  }

  add(jobIds: Iterable<number>, since: number): void {
    for (const jobId of jobIds) {
      const watch = this.#jobs.get(jobId)
      if (watch) watch.readers++
      else this.#jobs.set(jobId, { above: [], since, readers: 1, idleSinceAt: 0 })
    }
  }

  /** Removes a reader of these jobs. They are watched a little longer, because the reader may come back. */
  leave(jobIds: Iterable<number>, now: number): void {
    for (const jobId of jobIds) {
      const watch = this.#jobs.get(jobId)
      if (!watch) continue
      watch.readers--
      watch.idleSinceAt = now
    }
  }

  /** Sets the place of these jobs in the tree; a deleted job has none. */
  place(jobIds: readonly number[], paths: ReadonlyMap<number, readonly number[]>): void {
    for (const jobId of jobIds) {
      const watch = this.#jobs.get(jobId)
      if (watch) watch.above = paths.get(jobId) ?? []
    }
  }

  /** Forgets jobs whose readers did not come back. */
  tidy(now: number): void {
    for (const [jobId, { readers, idleSinceAt }] of this.#jobs) {
      if (readers === 0 && Math.abs(now - idleSinceAt) >= this.#lingerMs) this.#jobs.delete(jobId)
    }
  }

  clear(): void {
    this.#jobs.clear()
  }
}
