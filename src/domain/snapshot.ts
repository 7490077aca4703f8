import type { Value } from './delivery.ts'
import type { Level, State } from './state.ts'

export type Snapshot = {
  readonly revision: number
  readonly state: State
  readonly sinceAt: number
  readonly errorCode: number
  readonly message: string | null
  readonly silentSinceAt: number | null
  readonly deadlineAt: number | null
  readonly lastReceivedAt: number | null
  /** The last sign of life, or the start of the job, on the clock from which its deadline counts. */
  readonly heardAt: number
  readonly isFlapping: boolean
  /** One for each condition that looks ahead, worst level first. */
  readonly predictions: readonly Prediction[]
  /** Newest raw values by key. */
  readonly current: Readonly<Record<string, { readonly value: Value; readonly at: number }>>
}

/** The prediction of a condition; `index` is its place in its level. */
export type Prediction = {
  readonly level: Level
  readonly index: number
  /** The predicted value at `at`, the end of the look-ahead, and when the limit is first breached; null while it is
   * unknown. */
  readonly predicted: {
    readonly at: number
    readonly value: number
    readonly crossesAt: number | null
  } | null
}
