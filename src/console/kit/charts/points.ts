/** The values of one bucket, or one sample. `at` is in ms since 1970. */
export type Point = {
  readonly at: number
  readonly avg: number
  readonly min: number
  readonly max: number
  readonly count: number
}
/** A span of time in ms since 1970. */
export type Span = { readonly begin: number; readonly end: number }
/** The columns that the plot draws. A row of nulls interrupts the line. */
export type Columns = {
  readonly at: number[]
  readonly avg: (number | null)[]
  readonly min: (number | null)[]
  readonly max: (number | null)[]
}

/** Without a timeout, a silence of this many usual distances between points is a gap. */
const USUAL_DISTANCES = 4
const STEPS = 2.5

/** The distance between two points above which the time between them is a gap.
 * @param stepMs the length of a bucket
 * @param silenceMs the timeout of the sender, null without one */
export function gapLimit(points: readonly Point[], stepMs: number, silenceMs: number | null): number {
  if (silenceMs !== null) return Math.max(silenceMs + stepMs, stepMs * STEPS)
  const distances: number[] = []
  for (let at = 1; at < points.length; at += 1)
    distances.push((points[at]?.at ?? 0) - (points[at - 1]?.at ?? 0))
  distances.sort((a, b) => a - b)
  const usual = distances[Math.floor(distances.length / 2)] ?? 0
  return Math.max(stepMs * STEPS, usual * USUAL_DISTANCES)
}

/** The times without points that are longer than the limit, among them the one up to `now`. */
export function gapsOf(points: readonly Point[], limitMs: number, now: number): readonly Span[] {
  const gaps: Span[] = []
  for (let at = 1; at <= points.length; at += 1) {
    const begin = points[at - 1]?.at ?? 0
    const end = points[at]?.at ?? now
    if (end - begin > limitMs) gaps.push({ begin, end })
  }
  return gaps
}

/** The columns of points, with a row of nulls in each gap, so that no line connects its ends. */
export function columnsOf(points: readonly Point[], gaps: readonly Span[]): Columns {
  const columns: Columns = { at: [], avg: [], min: [], max: [] }
  let gap = 0
  for (const { at, avg, min, max } of points) {
    columns.at.push(at)
    columns.avg.push(avg)
    columns.min.push(min)
    columns.max.push(max)
    if (gaps[gap]?.begin !== at) continue
    columns.at.push((at + (gaps[gap]?.end ?? at)) / 2)
    columns.avg.push(null)
    columns.min.push(null)
    columns.max.push(null)
    gap += 1
  }
  return columns
}

/** The least, mean and greatest value of points; null without points. */
export function extent(
  points: readonly Point[],
): { readonly min: number; readonly mean: number; readonly max: number; readonly count: number } | null {
  if (points.length === 0) return null
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0]
  for (const point of points) {
    min = Math.min(min, point.min)
    max = Math.max(max, point.max)
    sum += point.avg * point.count
    count += point.count
  }
  return { min, max, mean: sum / Math.max(1, count), count }
}

/** The index of the point that is closest to a time; -1 without points. */
export function closest(points: readonly Point[], at: number): number {
  let [low, high] = [0, points.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  const before = points[low - 1]
  const here = points[low]
  if (here === undefined) return -1
  return before && at - before.at < here.at - at ? low - 1 : low
}

/** The indices of values without a neighbour. */
export function isolated(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = []
  for (let at = 0; at < values.length; at += 1)
    if (values[at] != null && values[at - 1] == null && values[at + 1] == null) found.push(at)
  return found
}
