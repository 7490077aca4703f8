import type { Stored } from './session.ts'

/** How the histories that a service answers differ from what it acknowledged. Everything but the counts is a broken promise. */
export type Verdict = {
  readonly acknowledged: number
  /** Stored without an acknowledgement that arrived: the process ended between the two. */
  readonly unacknowledged: number
  /** Acknowledged and not there. */
  readonly missing: number
  readonly twice: number
  /** There although nobody sent it. */
  readonly unknown: number
  /** Values of one sender that stand in another order than that in which it sent them. */
  readonly disordered: number
}

/** A verdict of promises kept. */
export const KEPT = { missing: 0, twice: 0, unknown: 0, disordered: 0 } as const

const SENDERS_MAX = 1_000

/** The values that were sent to each job, and the acknowledged ones. Every value is sent only once. */
export class Ledger {
  readonly #sent = new Map<number, Map<number, boolean>>()
  #lastValue = 0
  #isClosed = false

  /** A value that was never sent before; a sender's values ascend. */
  send(jobId: number, sender: number): number {
    const value = ++this.#lastValue * SENDERS_MAX + sender
    const job = this.#sent.get(jobId) ?? new Map<number, boolean>()
    this.#sent.set(jobId, job.set(value, false))
    return value
  }

  acknowledge(jobId: number, value: number): void {
    if (!this.#isClosed) this.#sent.get(jobId)?.set(value, true)
  }

  /** Values that are acknowledged from now on count as sent only, until the ledger is opened again. */
  close(): void {
    this.#isClosed = true
  }

  open(): void {
    this.#isClosed = false
  }

  compare(histories: ReadonlyMap<number, readonly Stored[]>): Verdict {
    const verdict = { acknowledged: 0, unacknowledged: 0, missing: 0, twice: 0, unknown: 0, disordered: 0 }
    for (const [jobId, sent] of this.#sent) {
      const history = (histories.get(jobId) ?? []).map(({ value }) => value)
      const times = Map.groupBy(history, (value) => value)
      for (const [value, isAcknowledged] of sent) {
        const found = times.get(value)?.length ?? 0
        verdict.twice += Number(found > 1)
        verdict.acknowledged += Number(isAcknowledged)
        verdict.missing += Number(isAcknowledged && found === 0)
        verdict.unacknowledged += Number(!isAcknowledged && found > 0)
      }
      verdict.unknown += history.filter((value) => !sent.has(value)).length
      verdict.disordered += countDisordered(history)
    }
    return verdict
  }
}

function countDisordered(history: readonly number[]): number {
  const latest = new Map<number, number>()
  return history.filter((value) => {
    const sender = value % SENDERS_MAX
    const isLate = value < (latest.get(sender) ?? 0)
    latest.set(sender, value)
    return isLate
  }).length
}
