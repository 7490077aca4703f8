import type { SinglePoint } from './cells.ts'
import { projected, wrapped } from './grid.ts'
import type { Cluster, Values } from './merge.ts'
import type { ClusterView } from './answers.ts'
import type { Aggregate, ClusterBody } from './schema.ts'

export type Feature = ClusterView['features'][number]
export type PlaceFeature = Extract<Feature, { geometry: { type: 'Point' } }>

/** The part of a request that features need. */
export type Style = Pick<ClusterBody, 'zoom' | 'maxZoom' | 'states'> & {
  readonly aggregates: readonly Aggregate[]
  /** The place of the column of each aggregate among the values. */
  readonly valueNumber: (column: string) => number
  /** The cells around the world. */
  readonly around: number
}

export function clusterId({ x, y }: Pick<Cluster, 'x' | 'y'>, zoom: number): string {
  return `c${zoom}-${x}-${y}`
}

export function clusterFeature(cluster: Cluster, style: Style): PlaceFeature {
  const { count, lon, lat, west, south, east, north } = cluster
  const id = clusterId(cluster, style.zoom)
  const { zoom, states } = style
  const named = states.flatMap((state, at): [string, number][] => {
    const points = cluster.states.get(at + 1)
    return points === undefined ? [] : [[state, points]]
  })
  return {
    type: 'Feature',
    id,
    geometry: { type: 'Point', coordinates: [wrapped(lon), lat] },
    properties: {
      cluster: true,
      cluster_id: id,
      point_count: count,
      point_count_abbreviated: abbreviated(count),
      expansion_zoom: Math.min(expansionZoom(cluster, style), Math.max(style.maxZoom, zoom) + 1),
      bbox: [wrapped(west), south, wrapped(east), north],
      worstState: named[0]?.[0] ?? null,
      states: Object.fromEntries(named),
      aggregates: aggregatesOf(style, cluster.values),
    },
  }
}

/** The first zoom at which the points of a cluster are further from each other than the width of a cell. */
function expansionZoom({ west, south, east, north }: Cluster, { zoom, around }: Style): number {
  const [first, last] = [projected({ lon: west, lat: north }), projected({ lon: east, lat: south })]
  const span = Math.max(last.x - first.x, last.y - first.y)
  if (span <= 0) return Number.POSITIVE_INFINITY
  return Math.max(zoom + 1, zoom + Math.ceil(Math.log2(1 / (span * around))))
}

/** Features of single points. Points of one key or place are numbered. */
export function pointFeatures(points: readonly SinglePoint[], style: Style): readonly PlaceFeature[] {
  const seen = new Map<string, number>()
  return points.map((point) => {
    const { lon, lat, key, state, values } = point
    const plain = pointId(point)
    const number = (seen.get(plain) ?? 0) + 1
    seen.set(plain, number)
    return {
      type: 'Feature',
      id: number === 1 ? plain : `${plain}#${number}`,
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: {
        cluster: false,
        key,
        state: style.states[state - 1] ?? null,
        aggregates: aggregatesOf(
          style,
          values.map((value) => ({ sum: value ?? 0, count: value === null ? 0 : 1, min: value, max: value })),
        ),
      },
    }
  })
}

function pointId({ key, lon, lat }: Pick<SinglePoint, 'key' | 'lon' | 'lat'>): string {
  return key === null ? `p:${lon},${lat}` : `p:${key}`
}

function aggregatesOf(
  { aggregates, valueNumber }: Style,
  values: readonly Values[],
): Record<string, number | null> {
  return Object.fromEntries(
    aggregates.map(({ fn, column }) => [`${fn}:${column}`, aggregated(fn, values[valueNumber(column)])]),
  )
}

function aggregated(fn: Aggregate['fn'], value: Values | undefined): number | null {
  if (!value) return null
  if (fn === 'COUNT') return value.count
  if (fn === 'MIN' || fn === 'MAX') return fn === 'MIN' ? value.min : value.max
  if (value.count === 0 || value.sum === null) return null
  return fn === 'SUM' ? value.sum : value.sum / value.count
}

/** As Supercluster abbreviates numbers of points. */
function abbreviated(count: number): string {
  if (count >= 10_000) return `${Math.round(count / 1_000)}k`
  return count >= 1_000 ? `${Math.round(count / 100) / 10}k` : String(count)
}
