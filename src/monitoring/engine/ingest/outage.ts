import type { IngestGap } from '../../../ports/ingest-health.ts'

/** Refusals that are no further apart belong to one outage: refused senders get `Retry-After: 1`. */
const APART_MAX_MS = 2_000
/** As for a stalled process. In a shorter outage each refused job is credited by itself. */
const OUTAGE_MIN_MS = 500

/** A time in which deliveries were refused, or would have been, through no fault of their senders. */
export class IngestOutage {
  #fromAt: number | null = null
  #lastAt = Number.NEGATIVE_INFINITY

  /** A delivery was refused at this instant, or a commit failed that began at `sinceAt`. */
  refused(at: number, sinceAt = at): void {
    this.#fromAt ??= sinceAt
    this.#lastAt = at
  }

  /** Whether there were refusals that jobs were not credited with yet. */
  get isOpen(): boolean {
    return this.#fromAt !== null
  }

  /** No job is woken before this time: its silence may be the service's fault. Epoch ms. */
  get heldUntilAt(): number {
    return this.isOpen ? this.#lastAt + APART_MAX_MS : Number.NEGATIVE_INFINITY
  }

  /** Whether there was no refusal for a while; also true where the clock was set back since the last one. */
  isOverAt(now: number): boolean {
    return now >= this.heldUntilAt || now < this.#lastAt
  }

  /** Null where the outage is too short to credit all jobs with it. */
  get span(): IngestGap | null {
    if (this.#fromAt === null) return null
    return this.#lastAt - this.#fromAt < OUTAGE_MIN_MS ? null : { fromAt: this.#fromAt, toAt: this.#lastAt }
  }

  /** The jobs were credited with the outage. */
  end(): void {
    this.#fromAt = null
  }
}
