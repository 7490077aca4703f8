import type { FlappingLimits } from '../../domain/job-rules.ts'

/** How often the state of an object has changed lately. */
export type Flapping = {
  /** One bit for each of the last 20 results, the newest lowest: whether it changed the state. */
  readonly flips: number
  readonly isFlapping: boolean
}

/** What has never changed. */
export const STEADY: Flapping = { flips: 0, isFlapping: false }

const RESULTS = 20

/** One more result, after Icinga's algorithm: of the last 20 those that changed the state weigh 0.8 for the oldest to 1.18
 * for the newest. An object flaps once their share of 20 is above `startPercent`, until it is below `endPercent`. */
export function flappingAfter(before: Flapping, isFlip: boolean, limits: FlappingLimits): Flapping {
  if (!isFlip && before.flips === 0 && !before.isFlapping) return before
  const flips = ((before.flips << 1) | (isFlip ? 1 : 0)) & (2 ** RESULTS - 1)
  const percent = flappingPercent(flips)
  const isFlapping = before.isFlapping ? percent >= limits.endPercent : percent > limits.startPercent
  return { flips, isFlapping }
}

/** The weighed share of results that changed the state, 0 to 99. */
export function flappingPercent(flips: number): number {
  // In hundredths, so that limits are met exactly.
  let weight = 0
  for (let age = 0; age < RESULTS; age++) if ((flips >> age) & 1) weight += 118 - 2 * age
  return weight / RESULTS
}
