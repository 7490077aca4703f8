/** Finite numbers as their count and their sum. Where the sum is beyond the range of a double, it is null and the mean is kept
 * instead; null for a mean that is unknown. */
export type Total = { count: number; sum: number | null; mean: number | null }

/** Adds the numbers of another total; their order changes no more than the rounding. */
export function addTotal(total: Total, more: Readonly<Total>): void {
  const sum = total.sum === null || more.sum === null ? Infinity : total.sum + more.sum
  if (Number.isFinite(sum)) {
    total.sum = sum
    total.count += more.count
  } else addMeans(total, more)
}

/** As `addTotal` of one number. */
export function addNumber(total: Total, number: number): void {
  const sum = total.sum === null ? Infinity : total.sum + number
  if (Number.isFinite(sum)) {
    total.sum = sum
    total.count++
  } else addMeans(total, { count: 1, sum: number, mean: null })
}

/** The mean of the numbers; null without a number. */
export function meanOf({ count, sum, mean }: Readonly<Total>): number | null {
  if (sum === null) return mean
  return count === 0 ? null : sum / count
}

/** The total of some numbers. */
export function totalOf(numbers: readonly number[]): Total {
  const total: Total = { count: 0, sum: 0, mean: null }
  for (const number of numbers) addNumber(total, number)
  return total
}

function addMeans(total: Total, more: Readonly<Total>): void {
  const [one, other] = [meanOf(total), meanOf(more)]
  const { count } = total
  total.count += more.count
  total.sum = null
  total.mean = null
  // An empty total has no mean, and a total without a known mean makes the mean of both unknown.
  if ((one === null && count > 0) || other === null) return
  const mean = clamped((one ?? 0) * (count / total.count) + other * (more.count / total.count))
  const sum = mean * total.count
  if (Number.isFinite(sum)) total.sum = sum
  else total.mean = mean
}

/** Rounding can push a mean of the largest numbers past them. */
function clamped(mean: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, mean))
}
