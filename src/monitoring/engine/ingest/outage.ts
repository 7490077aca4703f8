import type { IngestGap } from '../../../ports/ingest-health.ts'

/** Refusals that are no further apart belong to one outage: refused senders are told to try again after a second. */
const APART_MAX_MS = 2_000
/** As of a process that stood still: a shorter outage is covered by what is known of each refused job. */
const OUTAGE_MIN_MS = 500

/** A time in which deliveries were refused through no fault of their senders, or would have been. */
export class IngestOutage {
  #fromAt: number | null = null
  #lastAt = Number.NEGATIVE_INFINITY

  /** A delivery was refused at this instant, or a commit failed that began at `sinceAt`. */
  refused(at: number, sinceAt = at): void {
    this.#fromAt ??= sinceAt
    this.#lastAt = at
  }

  /** Whether refusals were noted that no job was credited with yet. */
  get isOpen(): boolean {
    return this.#fromAt !== null
  }

  /** Until then silence may be the service's own fault, and is not judged; epoch ms. */
  get heldUntilAt(): number {
    return this.isOpen ? this.#lastAt + APART_MAX_MS : Number.NEGATIVE_INFINITY
  }

  /** Whether nothing was refused for a while; also where the clock was set back since. */
  isOverAt(now: number): boolean {
    return now >= this.heldUntilAt || now < this.#lastAt
  }

  /** Null where it was too short to be credited to all jobs. */
  get span(): IngestGap | null {
    if (this.#fromAt === null) return null
    return this.#lastAt - this.#fromAt < OUTAGE_MIN_MS ? null : { fromAt: this.#fromAt, toAt: this.#lastAt }
  }

  /** It was credited. */
  end(): void {
    this.#fromAt = null
  }
}
