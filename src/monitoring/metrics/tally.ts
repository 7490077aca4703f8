import type { Fault } from '../../lib/errors.ts'
import type { Point } from './points.ts'

/** Reasons that are listed; the others are only counted. */
const REASONS_TOLD = 10

type Reason = { readonly text: string; readonly first: Point; count: number }

/** Counts the rejected and skipped points of one request. */
export class Tally {
  readonly #reasons = new Map<string, Reason>()
  readonly #pointCount: number
  rejected = 0
  skipped = 0

  constructor(pointCount: number) {
    this.#pointCount = pointCount
  }

  /** Counts a point without a number, which has nothing to store. */
  skip(): void {
    this.skipped++
  }

  reject(point: Point, why: string): void {
    this.rejected++
    const isId = point.job !== null && /^\d{1,15}$/.test(point.job)
    const text = isId ? `job ${point.job}: ${why}` : why
    const reason = this.#reasons.get(text)
    if (reason) reason.count++
    else this.#reasons.set(text, { text, first: point, count: 1 })
  }

  /** The samples that were not stored and the reasons, on one line; empty if everything was stored. */
  get message(): string {
    const parts: string[] = []
    if (this.rejected > 0) {
      const reasons = [...this.#reasons.values()]
      const told = reasons.slice(0, REASONS_TOLD).map(({ text, count }) => `${text} (${count})`)
      const more = reasons.length > told.length ? [`and ${reasons.length - told.length} more reasons`] : []
      const which = `${this.rejected} of ${this.#pointCount} data points were rejected`
      parts.push(`${which}: ${[...told, ...more].join('; ')}.`)
    }
    if (this.skipped > 0) parts.push(`${this.skipped} without a number (NaN, stale) were skipped.`)
    return parts.join(' ')
  }

  /** The listed reasons, each with a pointer to the first series that it is about. */
  faults(pointerTo: (series: number) => string): readonly Fault[] {
    const told = [...this.#reasons.values()].slice(0, REASONS_TOLD)
    return told.map(({ text, first }) => ({ pointer: pointerTo(first.series), message: text }))
  }
}
