import type { Adaptive, Condition, ForecastLimit, Foresight } from '../../domain/job-rules.ts'

/** Where values are unusual for a condition with a band. */
export type Sides = Pick<Adaptive | ForecastLimit, 'side' | 'offset'>

/** The sides of a condition that compares values with a band. */
export function sidesOf({ adaptive, forecast }: Condition): Sides | undefined {
  return adaptive ?? (forecast?.foresees ? undefined : forecast)
}

/** How a condition looks ahead in a forecast. */
export function foresightOf({ forecast }: Condition): Foresight | undefined {
  return forecast?.foresees
}
