import { meanOf, totalOf } from './total.ts'

/** The standard deviation of a normal distribution, in median absolute deviations. */
export const DEVIATIONS_PER_MAD = 1.4826

/** The median; 0 of no values. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  if (sorted.length % 2 === 1) return upper
  return meanOf(totalOf([sorted[middle - 1] ?? 0, upper])) ?? 0
}
