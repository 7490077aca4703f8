/** The needs of a forecast at its runner beside its input, as of its order. */
export type ForecastOrder = {
  /** The kind of the model, such as `prophet` or `custom:croston`. */
  readonly kind: string
  /** The name of the forecast. */
  readonly name: string
  /** Seconds; 0 means none. */
  readonly timeoutS: number
  readonly retries: number
  readonly runnerLabels: readonly string[]
  /** How its series were read; absent for a preview. The forecast hears of it with the end of the run. */
  readonly reading?: unknown
}

const OWN = 'custom:'

/** The kinds that a runner must have by a file of its operator, besides the capability. */
export function ownKindOf(kind: string): string | null {
  return kind.startsWith(OWN) ? kind.slice(OWN.length) : null
}
