type Position = readonly [lon: number, lat: number]
/** The parts of TopoJSON that the land has. */
type Topology = {
  readonly transform: { readonly scale: Position; readonly translate: Position }
  readonly arcs: readonly (readonly Position[])[]
  readonly objects: {
    readonly land: { readonly geometries: readonly { readonly type: string; readonly arcs: unknown }[] }
  }
}

/** Degrees by which the outline may differ from Natural Earth, about 2 km. */
const TOLERANCE = 0.02
/** Places of a degree. */
const QUANTUM = 100
const POINTS_MIN = 4

/** The land of Natural Earth at 1:50,000,000 as the map draws it: a ring a line, each point as the difference from the one before,
 * in hundredths of a degree. */
export function landText(topology: Topology): string {
  return ringsOf(topology)
    .flatMap(cutAt180)
    .map((ring) => differences(simplified(ring)))
    .filter((numbers) => numbers.length >= POINTS_MIN * 2)
    .map((numbers) => numbers.join(' '))
    .join('\n')
}

function ringsOf({ transform, arcs, objects }: Topology): readonly (readonly Position[])[] {
  const { scale, translate } = transform
  const decoded = arcs.map((arc) => {
    let [x, y] = [0, 0]
    return arc.map(([dx, dy]): Position => {
      x += dx
      y += dy
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
    })
  })
  // A negative number is the arc backwards.
  const arcOf = (at: number): readonly Position[] =>
    at < 0 ? (decoded[~at] ?? []).toReversed() : (decoded[at] ?? [])
  const ring = (places: readonly number[]): readonly Position[] =>
    places.flatMap((at, first) => arcOf(at).slice(first === 0 ? 0 : 1))
  return objects.land.geometries.flatMap(({ type, arcs: found }) => {
    const polygons = (type === 'Polygon' ? [found] : found) as readonly (readonly (readonly number[])[])[]
    return polygons.flatMap((rings) => rings.map(ring))
  })
}

/** The parts of a ring on one side of the date line each, so that none is drawn across the world. A ring around a pole is closed
 * there. */
function cutAt180(ring: readonly Position[]): readonly (readonly Position[])[] {
  let turns = 0
  const whole = ring.map(([lon, lat], at): Position => {
    const by = at === 0 ? 0 : lon - (ring[at - 1]?.[0] ?? lon)
    if (Math.abs(by) > 180) turns -= Math.sign(by)
    return [lon + turns * 360, lat]
  })
  if (turns === 0 && whole.every(([lon]) => Math.abs(lon) <= 180)) return [ring]
  const pole = (whole[0]?.[1] ?? 0) < 0 ? -90 : 90
  const around =
    turns === 0 ? [] : [whole.at(-1), whole[0]].flatMap((at) => (at ? [[at[0], pole] as const] : []))
  return [-360, 0, 360].flatMap((shift) => {
    const shifted = [...whole, ...around].map(([lon, lat]): Position => [lon + shift, lat])
    const part = beside(beside(shifted, -180, 1), 180, -1)
    const [first] = part
    return first ? [[...part, first]] : []
  })
}

/** The part of a ring on one side of a meridian: east of it for 1, west of it for -1. */
function beside(ring: readonly Position[], meridian: number, side: 1 | -1): readonly Position[] {
  const isIn = ([lon]: Position): boolean => (lon - meridian) * side >= 0
  return ring.flatMap((point, at): readonly Position[] => {
    const before = ring.at(at - 1) ?? point
    if (isIn(point) === isIn(before)) return isIn(point) ? [point] : []
    const share = (meridian - before[0]) / (point[0] - before[0])
    const crossing: Position = [meridian, before[1] + share * (point[1] - before[1])]
    return isIn(point) ? [crossing, point] : [crossing]
  })
}

/** Leaves out points that lie nearer to the line between their neighbours than the tolerance (Douglas and Peucker). */
function simplified(ring: readonly Position[]): readonly Position[] {
  const kept = new Set([0, ring.length - 1])
  const far = farthest(ring, (point) =>
    Math.hypot(point[0] - (ring[0]?.[0] ?? 0), point[1] - (ring[0]?.[1] ?? 0)),
  )
  const open: [from: number, to: number][] = [
    [0, far.at],
    [far.at, ring.length - 1],
  ]
  kept.add(far.at)
  for (let part = open.pop(); part; part = open.pop()) {
    const [from, to] = part
    const [a, b] = [ring[from], ring[to]]
    if (!a || !b || to - from < 2) continue
    const { at, distance } = farthest(ring.slice(from, to), (point) => fromLine(point, a, b))
    if (distance <= TOLERANCE) continue
    kept.add(from + at)
    open.push([from, from + at], [from + at, to])
  }
  return ring.filter((_, at) => kept.has(at))
}

function farthest(points: readonly Position[], distanceOf: (point: Position) => number) {
  let best = { at: 0, distance: -1 }
  for (const [at, point] of points.entries()) {
    const distance = distanceOf(point)
    if (distance > best.distance) best = { at, distance }
  }
  return best
}

function fromLine([x, y]: Position, [ax, ay]: Position, [bx, by]: Position): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = Math.hypot(dx, dy)
  return length === 0 ? Math.hypot(x - ax, y - ay) : Math.abs(dy * (x - ax) - dx * (y - ay)) / length
}

function differences(ring: readonly Position[]): readonly number[] {
  let [x, y] = [0, 0]
  return ring.flatMap(([lon, lat], at) => {
    const [nextX, nextY] = [Math.round(lon * QUANTUM), Math.round(lat * QUANTUM)]
    const by = [nextX - x, nextY - y]
    if (at > 0 && by[0] === 0 && by[1] === 0) return []
    ;[x, y] = [nextX, nextY]
    return by
  })
}
