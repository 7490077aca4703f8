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
  /** Lower and upper bounds of the buckets, by level. */
  readonly levels: Readonly<Record<string, readonly (readonly [lower: number, upper: number])[]>>
}
