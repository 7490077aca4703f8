import type { Value } from './delivery.ts'
import type { State, Level } from './state.ts'

/** The configuration of a job as its actor needs it. A later `revision` replaces an earlier one, never the reverse. */
export type JobRules = {
  readonly revision: number
  /** When the job's history begins, epoch ms; absent for the creation of its actor. */
  readonly createdAt?: number
  /** The user whose deliveries the job takes; 0 for any collector. */
  readonly collectorId: number
  readonly timeoutMs: number | null
  /** How long a run may last after `signal: start`; null leaves starts without effect on the deadline. */
  readonly graceMs: number | null
  readonly intervalMs: number
  /** Whether any value ends error code 5. */
  readonly healsOnData: boolean
  /** One divisor for each numeric value, `returnValue1` first. */
  readonly divisors: readonly number[]
  /** How many string values are defined. */
  readonly textCount: number
  readonly thresholds: Thresholds
  readonly stopped: boolean
  readonly forced: State | null
  readonly retention: Retention
  /** Null switches flap detection off. */
  readonly flapping: FlappingLimits | null
}

/** Percentages of how often the state changes, above which a job flaps and below which it does no longer. */
export type FlappingLimits = { readonly startPercent: number; readonly endPercent: number }

/** How long single samples are kept, then cells of five minutes, then cells of an hour; none shorter than those before. */
export type Retention = { readonly rawMs: number; readonly minutesMs: number; readonly hoursMs: number }

/** The limits of one job, worst level first. */
export type Thresholds = readonly {
  readonly level: Level
  readonly mode: 'or' | 'and'
  readonly conditions: readonly Condition[]
}[]

export type Condition = {
  /** `returnValueN`, `stringValueN` or `errorCode`. */
  readonly key: string
  readonly operator: Operator
  readonly value: Value
  /** How many values in a row must breach before the condition holds; 0 counts as 1. */
  readonly repetition: number
  /** Whether the limit is predicted or adaptive. Without `ahead`, `adaptive` and `forecast` such a condition is false. */
  readonly predicted: boolean
  /** The condition compares predicted values instead of received ones. */
  readonly ahead?: LookAhead
  /** The condition compares values with a band of usual values instead of `value`. */
  readonly adaptive?: Adaptive
  /** The condition compares values with the bounds of a forecast instead of `value`. */
  readonly forecast?: ForecastLimit
  /** Once held, the condition stays until `repetition` values in a row no longer breach this value. */
  readonly recovery: { readonly value: Value; readonly repetition: number } | null
}

/** How far a condition looks ahead, and the time before it whose values make the prediction. */
export type LookAhead = { readonly withinMs: number; readonly windowMs: number }

/** How the band of usual values of a condition is made from the history of its value. */
export type Adaptive = {
  readonly windowMs: number
  readonly season: 'none' | 'day' | 'week'
  /** The width of a cell of the season. */
  readonly bucketMs: number
  /** The zone on whose clock the season is. */
  readonly timeZone: string
  /** The distance of a bound from the median, in deviations. */
  readonly factor: number
  /** The side of the band on which a value breaches it. */
  readonly side: 'both' | 'above' | 'below'
  /** The least number of samples in a cell. */
  readonly minSamples: number
  /** The least distance between the bounds. */
  readonly minWidth: number
  /** How far beyond a bound a value has to be. */
  readonly offset: number
  /** Whether values during maintenance count as usual. */
  readonly learnsMaintenance: boolean
}

/** The bounds of a forecast as the band of a condition. */
export type ForecastLimit = {
  readonly forecastId: number
  /** The share of values, in percent, that the bounds are to hold. */
  readonly level: number
  readonly side: Adaptive['side']
  readonly minWidth: number
  readonly offset: number
  /** The condition compares `value` with what the forecast says of the time ahead, and not the received value with its bounds. */
  readonly foresees?: Foresight
}

/** How far a condition looks ahead in a forecast, and which of its values it compares. */
export type Foresight = { readonly withinMs: number; readonly bound: 'mean' | 'lower' | 'upper' }

export type Operator =
  | '>'
  | '>='
  | '<'
  | '<='
  | '='
  | '<>'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'ends_with'
  | 'matches'
  | 'not_matches'
