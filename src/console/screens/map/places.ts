import type { Answer } from '../../api/client.ts'
import type { ApiState } from '../../kit/state.tsx'
import { rankOf } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import type { Box } from './mercator.ts'

export type Clusters = Exclude<Answer<'/gis/cluster', 'post'>, Answer<'/operations/{id}'>>

/** A place on the map: one point, or a cluster of several. */
export type Place = {
  readonly id: string
  readonly lon: number
  readonly lat: number
  readonly count: number
  /** The worst state of its points; null where they have none. */
  readonly state: string | null
  readonly states: Readonly<Record<string, number>>
  readonly name: string | null
  /** The box of the points of a cluster. */
  readonly box: Box | null
  /** The zoom from which on a cluster may be several. */
  readonly expandsAt: number | null
  /** The points of a cluster that the page itself has made. */
  readonly members?: readonly Place[]
}

export type Link = {
  readonly id: string
  readonly from: readonly [lon: number, lat: number]
  readonly to: readonly [lon: number, lat: number]
  readonly count: number
  readonly state: string | null
  /** The ids of the places at its ends. */
  readonly ends: readonly [from: string, to: string]
}

const STATES: ReadonlySet<string> = new Set([
  'major',
  'minor',
  'warning',
  'maintenance_major',
  'maintenance_minor',
  'maintenance_warning',
  'maintenance_ok',
  'ok',
  'no_data',
  'undefined',
] satisfies ApiState[])

/** A text as a state of Tidemark, in any letter case; undefined for another text. */
export function stateOf(text: string | null): ApiState | undefined {
  const state = text?.toLowerCase()
  return state !== undefined && STATES.has(state) ? (state as ApiState) : undefined
}

/** The places of an answer, the worst first, then the most. */
export function placesOf({ features }: Pick<Clusters, 'features'>): readonly Place[] {
  const places = features.flatMap((feature): Place[] => {
    if ('link' in feature.properties || feature.geometry.type !== 'Point') return []
    const [lon, lat] = feature.geometry.coordinates
    const { properties: own } = feature
    if ('point_count' in own)
      return [
        {
          id: feature.id,
          lon,
          lat,
          count: own.point_count,
          state: own.worstState,
          states: own.states,
          name: null,
          box: own.bbox,
          expandsAt: own.expansion_zoom,
        },
      ]
    if (!('key' in own)) return []
    const states = own.state === null ? {} : { [own.state]: 1 }
    return [
      {
        id: feature.id,
        lon,
        lat,
        count: 1,
        state: own.state,
        states,
        name: own.key,
        box: null,
        expandsAt: null,
      },
    ]
  })
  return places.toSorted((a, b) => rankOf(stateOf(b.state)) - rankOf(stateOf(a.state)) || b.count - a.count)
}

/** The links of an answer. */
export function linksOf({ features }: Pick<Clusters, 'features'>): readonly Link[] {
  return features.flatMap((feature): Link[] => {
    if (!('link' in feature.properties)) return []
    const [from, to] = feature.geometry.coordinates as unknown as readonly [
      [number, number],
      [number, number],
    ]
    const { count, worstState, from: a, to: b } = feature.properties
    return [{ id: feature.id, from, to, count, state: worstState, ends: [a, b] }]
  })
}

/** Points that lie near each other as one place, for a map that has all of its points.
 * @param cellDegrees the size of a cell in degrees of longitude */
export function clustered(points: readonly Place[], cellDegrees: number): readonly Place[] {
  const cells = new Map<string, Place[]>()
  for (const point of points) {
    const key = `${Math.floor(point.lon / cellDegrees)} ${Math.floor(point.lat / cellDegrees)}`
    cells.set(key, [...(cells.get(key) ?? []), point])
  }
  const places = [...cells].map(([key, inside]) =>
    inside.length === 1 ? (inside[0] as Place) : merged(key, inside),
  )
  return places.toSorted((a, b) => rankOf(stateOf(b.state)) - rankOf(stateOf(a.state)) || b.count - a.count)
}

function merged(key: string, points: readonly Place[]): Place {
  const states: Record<string, number> = {}
  for (const { state } of points) if (state !== null) states[state] = (states[state] ?? 0) + 1
  const worst = points.reduce((a, b) => (rankOf(stateOf(b.state)) > rankOf(stateOf(a.state)) ? b : a))
  const mean = (of: (point: Place) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [lons, lats] = [points.map(({ lon }) => lon), points.map(({ lat }) => lat)]
  return {
    id: `cell ${key}`,
    lon: mean(({ lon }) => lon),
    lat: mean(({ lat }) => lat),
    count: points.length,
    state: worst.state,
    states,
    name: null,
    box: [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)],
    expandsAt: null,
    members: points,
  }
}

/** How many places there are, and how many are in trouble. */
export function sentenceOf(places: readonly Place[]): string {
  const count = places.reduce((sum, place) => sum + place.count, 0)
  const wrong = places.reduce((sum, { states }) => sum + wrongIn(states), 0)
  return t('map.say', { count, wrong })
}

/** Warnings and worse. */
const WRONG_RANK = 3

function wrongIn(states: Place['states']): number {
  return Object.entries(states).reduce(
    (all, [state, of]) => (rankOf(stateOf(state)) >= WRONG_RANK ? all + of : all),
    0,
  )
}
