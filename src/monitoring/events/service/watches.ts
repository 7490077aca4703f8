/** A job whose values somebody reads, or has read a moment ago. */
type Watch = {
  /** The ids from the root down to the job; none while it is not there. */
  above: readonly number[]
  /** All its values after the event of this number were told. */
  readonly since: number
  readers: number
  idleSinceAt: number
}

/** The jobs whose values are told. */
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

  /** How many of these jobs are not watched yet. */
  missing(jobIds: Iterable<number>): number {
    return [...jobIds].filter((jobId) => !this.#jobs.has(jobId)).length
  }

  /** Whether everything of these jobs was told after the event of this number. */
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

  /** A reader of these jobs has gone. They are watched a little longer: it may come back. */
  leave(jobIds: Iterable<number>, now: number): void {
    for (const jobId of jobIds) {
      const watch = this.#jobs.get(jobId)
      if (!watch) continue
      watch.readers--
      watch.idleSinceAt = now
    }
  }

  /** Where these jobs are now; one that is not there any more is nowhere. */
  place(jobIds: readonly number[], paths: ReadonlyMap<number, readonly number[]>): void {
    for (const jobId of jobIds) {
      const watch = this.#jobs.get(jobId)
      if (watch) watch.above = paths.get(jobId) ?? []
    }
  }

  /** Forgets whom nobody came back for. */
  tidy(now: number): void {
    for (const [jobId, { readers, idleSinceAt }] of this.#jobs) {
      if (readers === 0 && Math.abs(now - idleSinceAt) >= this.#lingerMs) this.#jobs.delete(jobId)
    }
  }

  clear(): void {
    this.#jobs.clear()
  }
}
