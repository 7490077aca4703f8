import type { FlappingLimits } from '../../domain/job-rules.ts'

/** The recent state changes of an object. */
export type Flapping = {
  /** One bit for each of the last 20 results, the newest lowest: set if the result changed the state. */
  readonly flips: number
  readonly isFlapping: boolean
}

/** An object without state changes. */
export const STEADY: Flapping = { flips: 0, isFlapping: false }

const RESULTS = 20

/** Adds a result, with Icinga's algorithm: of the last 20 results, those that changed the state weigh from 0.8 for the
 * oldest to 1.18 for the newest. An object starts flapping when their share of 20 is above `startPercent`, and stops
 * below `endPercent`. */
export function flappingAfter(before: Flapping, isFlip: boolean, limits: FlappingLimits): Flapping {
  if (!isFlip && before.flips === 0 && !before.isFlapping) return before
  const flips = ((before.flips << 1) | (isFlip ? 1 : 0)) & (2 ** RESULTS - 1)
  const percent = flappingPercent(flips)
  const isFlapping = before.isFlapping ? percent >= limits.endPercent : percent > limits.startPercent
  return { flips, isFlapping }
}

/** The weighted share of results that changed the state, 0 to 99. */
export function flappingPercent(flips: number): number {
  // In hundredths, so that comparisons with limits are exact.
  let weight = 0
  for (let age = 0; age < RESULTS; age++) if ((flips >> age) & 1) weight += 118 - 2 * age
  return weight / RESULTS
}
