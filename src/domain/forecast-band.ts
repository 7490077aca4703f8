/** The predicted bounds of a value of a job, as its actor gets them. */
export type ForecastBand = {
  readonly forecastId: number
  readonly key: string
  /** When the history was read: a later band replaces an earlier one. */
  readonly madeAt: number
  /** The begins of the buckets, ascending. */
  readonly begins: readonly number[]
  /** The end of the last bucket. */
  readonly endAt: number
  /** The predicted values of the buckets; absent in bands of earlier releases. */
  readonly means?: readonly (number | null)[]
  /** Lower and upper bounds of the buckets, by level. */
  readonly levels: Readonly<Record<string, readonly (readonly [lower: number, upper: number])[]>>
}
