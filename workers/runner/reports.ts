import type { Progress } from '../../src/automation/runs/protocol.ts'
import type { AttemptClient } from './client.ts'
import type { JobLog } from './log/job-log.ts'
import { sleep } from './pauses.ts'

/** The time between two reports of a job to the service. */
const REPORT_MS = 1_000
/** The chunks of each report: a flood fills the buffer of the job, and not the service. */
const CHUNKS_A_REPORT = 2

export type ReportingParts = {
  readonly attempt: AttemptClient
  readonly log: JobLog
  /** Reads the progress file of the job; null without one. */
  readonly look: () => Promise<Progress | null>
}

/** Sends the log and the progress of a job in order, one call after the other, until its end. */
export class Reporting {
  readonly #parts: ReportingParts
  readonly #closing = new AbortController()
  readonly #loop: Promise<void>
  #progress: Progress | null = null
  #isNews = false

  constructor(parts: ReportingParts) {
    this.#parts = parts
    this.#loop = this.#report()
    // The caller of `close` gets the failure.
    this.#loop.catch(() => undefined)
  }

  /** Omitted fields stay unchanged. */
  progress({ value, message }: Progress): void {
    const last = this.#progress
    const next = { value: value ?? last?.value ?? null, message: message ?? last?.message ?? null }
    if (next.value === last?.value && next.message === last?.message) return
    this.#progress = next
    this.#isNews = true
  }

  /** Sends the rest. @throws what sending threw */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#loop
    await this.#send(Number.POSITIVE_INFINITY)
  }

  /** Sends nothing more. Resolves when the last call has ended. */
  async abandon(): Promise<void> {
    this.#closing.abort()
    await this.#loop.catch(() => undefined)
  }

  async #report(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#send(CHUNKS_A_REPORT)
      await sleep(REPORT_MS, signal).catch(() => undefined)
    }
  }

  async #send(chunksMax: number): Promise<void> {
    const { attempt, log, look } = this.#parts
    for (let sent = 0; sent < chunksMax; sent++) {
      const chunk = log.take()
      if (!chunk) break
      await attempt.logs(chunk)
      log.sent()
    }
    const found = await look()
    if (found) this.progress(found)
    if (!this.#isNews || !this.#progress) return
    this.#isNews = false
    await attempt.progress(this.#progress)
  }
}
