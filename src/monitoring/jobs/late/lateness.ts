/** A job that waits for its next delivery. Times are epoch ms. */
export type Wait = {
  /** The last sign of life, or the start of the job. */
  readonly heardAt: number
  /** When the job times out. */
  readonly deadlineAt: number
}

/** When the wait becomes late: halfway between the usual next delivery and the timeout. */
export function lateAtOf({ heardAt, deadlineAt }: Wait, usualMs: number): number {
  return Math.ceil((heardAt + usualMs + deadlineAt) / 2)
}

/** When the wait becomes late at the earliest: with a usual interval of zero. */
export function earliestLateAt(wait: Wait): number {
  return lateAtOf(wait, 0)
}

/** The median distance of these instants, which ascend; equal instants count once. Null for fewer than two instants.
 * @returns whole seconds, and at least one */
export function usualDistanceMs(instants: readonly number[]): number | null {
  const distances = instants
    .slice(1)
    .map((at, index) => at - (instants[index] ?? at))
    .filter((ms) => ms > 0)
    .sort((a, b) => a - b)
  const median = distances[Math.floor(distances.length / 2)]
  return median === undefined ? null : Math.max(1, Math.round(median / 1000)) * 1000
}
