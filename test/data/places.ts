/** A point of the tests of maps. */
export type Place = {
  readonly id: number
  readonly lat: number | null
  readonly lon: number | null
  readonly state: string | null
  readonly load: number | null
}

const STATES = ['ok', 'OK', 'minor', 'major', 'unknown', null]

/** Numbers between 0 and 1 that are the same in each run. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const next = numbersFrom(20_261_126)
const around = (middle: number, width: number) => Number((middle + (next() - 0.5) * width).toFixed(5))

/** Groups of places that are far from each other, one of them across the date line. */
export const GROUPS = [
  [47.37, 8.54],
  [46.95, 7.44],
  [52.52, 13.4],
  [-17.8, 179.999],
  [-33.87, 151.2],
  [64.15, -21.94],
  [-54.8, -68.3],
  [40.7, -74],
  [1.35, 103.8],
  [84.9, 30],
] as const

const grouped = GROUPS.flatMap(([lat, lon], group) =>
  Array.from({ length: 8 + group * 3 }, () => {
    const east = around(lon, 0.02)
    return [around(lat, 0.02), east > 180 ? Number((east - 360).toFixed(5)) : east] as const
  }),
)
/** The poles, both sides of the date line, and coordinates of no place. */
const odd: readonly (readonly [number | null, number | null])[] = [
  [90, 0],
  [-90, 120],
  [90, -180],
  [0, 180],
  [0, -180],
  [0, 0],
  [null, 8],
  [47, null],
  [91, 8],
  [-90.1, 8],
  [47, 180.5],
  [47, -181],
]

export const PLACES: readonly Place[] = [...grouped, ...odd].map(([lat, lon], id) => ({
  id,
  lat,
  lon,
  state: STATES[id % STATES.length] ?? null,
  load: id % 5 === 0 ? null : id + 0.5,
}))

export type Box = readonly [west: number, south: number, east: number, north: number]

/** Whether a place is in a box, evaluated in the plainest way. */
export function isInBox({ lat, lon }: Place, [west, south, east, north]: Box): boolean {
  if (lat === null || lon === null || Math.abs(lat) > 90 || Math.abs(lon) > 180) return false
  if (lat < south || lat > north) return false
  const meridians = Math.abs(lon) === 180 ? [180, -180] : [lon]
  return meridians.some((one) => (west <= east ? one >= west && one <= east : one >= west || one <= east))
}

export const BOXES: readonly Box[] = [
  [-180, -90, 180, 90],
  [5, 45, 11, 48],
  [170, -30, -170, 0],
  [179.999, -17.81, -179.999, -17.79],
  [180, -90, 180, 90],
  [-180, -90, -180, 90],
  [-90, -90, 90, -60],
  [0, 0, 0, 0],
  [8.54, 47.37, 8.54, 47.37],
  [100, 89, 101, 90],
  ...Array.from({ length: 6 }, (): Box => {
    const [south, north] = [around(0, 170), around(0, 170)].sort((one, other) => one - other) as [
      number,
      number,
    ]
    return [around(0, 350), south, around(0, 350), north]
  }),
]
