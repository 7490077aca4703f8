/** Counts durations below fixed upper bounds, as Prometheus histograms do. */
export class Histogram {
  /** Upper bounds in seconds, ascending; the last bucket has no bound. */
  static readonly BOUNDS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const
  readonly #counts: number[] = [...Histogram.BOUNDS_S.map(() => 0), 0]
  #count = 0
  #sumMs = 0

  observe(durationMs: number): void {
    let bucket = 0
    while (bucket < Histogram.BOUNDS_S.length && durationMs > (Histogram.BOUNDS_S[bucket] ?? 0) * 1000)
      bucket++
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count++
    this.#sumMs += durationMs
  }

  get count(): number {
    return this.#count
  }

  get sumS(): number {
    return this.#sumMs / 1000
  }

  /** The number of durations up to each bound. */
  cumulative(): readonly number[] {
    let sum = 0
    return Histogram.BOUNDS_S.map((_, bucket) => (sum += this.#counts[bucket] ?? 0))
  }
}
