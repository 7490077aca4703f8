/** The lease of an operation, which its node renews: an operation whose lease has ended is lost. */
export const LEASE_MS = 30_000

/** The reports of a task, and its signal to end. */
export interface Work {
  /** Fires when the work is cancelled or lost. The task ends soon after, and rejects. */
  readonly signal: AbortSignal
  /** Reports that the task runs; until then the operation is queued. */
  begin(): void
  /** @param fraction from 0 to 1 */
  progress(fraction: number): void
  /** @param pid the process of the database server that works for the task; null for none */
  backend(pid: number | null): void
}

/** The end of a task. */
type Settled = { /** @throws what the task threw */ readonly value: () => unknown }

/** A task that runs in this process or isolate. */
export class LiveWork implements Work {
  readonly #controller = new AbortController()
  #settled: Promise<Settled> | null = null
  #hasBegun = false
  #beganAt: number | null = null
  #progress: number | null = null
  #backendPid: number | null = null
  #hasNews = false

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether something changed since `renewal` was called. */
  get hasNews(): boolean {
    return this.#hasNews
  }

  start(task: () => Promise<unknown>): void {
    this.#settled = task().then(
      (value): Settled => ({ value: () => value }),
      (error: unknown): Settled => ({
        value: () => {
          throw error
        },
      }),
    )
  }

  settled(): Promise<Settled> {
    if (!this.#settled) throw new Error('The work has not started.')
    return this.#settled
  }

  /** The end of the task; null if it does not come within this time. */
  async settledWithin(ms: number): Promise<Settled | null> {
    let stop = () => {}
    const late = new Promise<null>((resolve) => {
      const timer = setTimeout(() => resolve(null), ms)
      stop = () => clearTimeout(timer)
    })
    try {
      return await Promise.race([this.settled(), late])
    } finally {
      stop()
    }
  }

  begin(): void {
    this.#hasBegun = true
    this.#hasNews = true
  }

  progress(fraction: number): void {
    this.#progress = Math.min(1, Math.max(0, fraction))
    this.#hasNews = true
  }

  backend(pid: number | null): void {
    this.#backendPid = pid
    this.#hasNews = true
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** The columns that the task decides. */
  renewal(now: number) {
    this.#hasNews = false
    if (this.#hasBegun) this.#beganAt ??= now
    return {
      state: this.#hasBegun ? ('running' as const) : ('queued' as const),
      startedAt: this.#beganAt,
      progress: this.#progress,
      backendPid: this.#backendPid,
    }
  }
}
