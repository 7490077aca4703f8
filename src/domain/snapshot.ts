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
  /** One for each adaptive condition, worst level first. */
  readonly bands: readonly ShownBand[]
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

/** Why an adaptive limit is unknown: its history is too short, its values do not vary, or its band is too old. */
export type UnknownBand = 'too_few' | 'constant' | 'stale'

/** The usual values of an adaptive condition when it was last judged; `index` is the place of the condition in its
 * level. */
export type ShownBand = {
  readonly level: Level
  readonly index: number
  readonly unknown: UnknownBand | null
  /** Null without a bound. */
  readonly lower: number | null
  readonly upper: number | null
  /** The span of the cell; null without one. */
  readonly fromAt: number | null
  readonly endAt: number | null
  /** When the band was made; null before the first time. */
  readonly madeAt: number | null
}
