import { projected } from './grid.ts'

/** The points in a cell of the grid, or in several cells that were merged. */
export type Cell = {
  readonly x: number
  readonly y: number
  readonly count: number
  /** The mean place. */
  readonly lon: number
  readonly lat: number
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
  /** The number of points by the number of their state. */
  readonly states: ReadonlyMap<number, number>
  readonly values: readonly Values[]
  /** The key of the point, where there is one alone. */
  readonly key: string | null
}

/** The numbers of a column, without nulls. */
export type Values = {
  /** Null beyond the range of a double. */
  readonly sum: number | null
  readonly count: number
  readonly min: number | null
  readonly max: number | null
}

/** Cells that are one cluster, with `x` and `y` of the largest cell. */
export type Cluster = Cell & { readonly members: readonly Cell[] }

/** Merges each cell with its neighbours that are nearer than the width of a cell, the largest cell first. The world is round:
 * the last column of cells is beside the first one.
 * @param around the number of columns */
export function mergedCells(cells: readonly Cell[], around: number): readonly Cluster[] {
  const byPlace = new Map(cells.map((cell) => [placeOf(cell.x, cell.y), cell]))
  const taken = new Set<Cell>()
  const sorted = [...cells].sort(
    (one, other) => other.count - one.count || one.y - other.y || one.x - other.x,
  )
  return sorted.flatMap((seed) => {
    if (taken.has(seed)) return []
    taken.add(seed)
    const members = [seed]
    for (const [x, y] of neighbours(seed, around)) {
      const other = byPlace.get(placeOf(x, y))
      if (!other || taken.has(other) || distance(seed, other) * around > 1) continue
      taken.add(other)
      members.push(other)
    }
    return [{ ...members.slice(1).reduce(sumOf, seed), members }]
  })
}

export const placeOf = (x: number, y: number): string => `${x}-${y}`

function neighbours({ x, y }: Cell, around: number): readonly (readonly [number, number])[] {
  const steps = [-1, 0, 1]
  const all = steps.flatMap((down) =>
    steps.map((right) => [(x + right + around) % around, y + down] as const),
  )
  const seen = new Set([placeOf(x, y)])
  return all.filter(([column, row]) => {
    const place = placeOf(column, row)
    return !seen.has(place) && seen.add(place)
  })
}

/** The distance of the mean places on the map, whose width is 1. */
function distance(one: Cell, other: Cell): number {
  const [from, to] = [projected(one), projected(other)]
  const width = Math.abs(from.x - to.x)
  return Math.hypot(Math.min(width, 1 - width), from.y - to.y)
}

/** Two cells as one. The east of cells that the date line parts may be beyond 180. */
function sumOf(one: Cell, other: Cell): Cell {
  const turn = Math.round((one.lon - other.lon) / 360) * 360
  const count = one.count + other.count
  const mean = (a: number, b: number) => (a * one.count + b * other.count) / count
  const states = new Map(one.states)
  for (const [state, points] of other.states) states.set(state, (states.get(state) ?? 0) + points)
  return {
    x: one.x,
    y: one.y,
    count,
    lon: mean(one.lon, other.lon + turn),
    lat: mean(one.lat, other.lat),
    west: Math.min(one.west, other.west + turn),
    south: Math.min(one.south, other.south),
    east: Math.max(one.east, other.east + turn),
    north: Math.max(one.north, other.north),
    states,
    values: one.values.map((value, at) => sumOfValues(value, other.values[at] ?? value)),
    key: null,
  }
}

/** The numbers of two cells together. */
export function sumOfValues(one: Values, other: Values): Values {
  return {
    sum: finiteSum(one.sum, other.sum),
    count: one.count + other.count,
    min: pickedBy(Math.min, one.min, other.min),
    max: pickedBy(Math.max, one.max, other.max),
  }
}

function finiteSum(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return null
  const sum = one + other
  return Number.isFinite(sum) ? sum : null
}

function pickedBy(
  pick: (one: number, other: number) => number,
  one: number | null,
  other: number | null,
): number | null {
  return one === null || other === null ? (one ?? other) : pick(one, other)
}
