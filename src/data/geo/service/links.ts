import type { Context } from '../../../context.ts'
import type { Row } from '../../../domain/table.ts'
import { conditionOf } from '../../filters/filter.ts'
import type { Asking } from '../../selection/service/waited.ts'
import type { Feature, PlaceFeature } from '../features.ts'
import { placeOf } from '../merge.ts'
import type { ClusterBody } from '../schema.ts'
import { keysStatement, linksStatement } from '../statement.ts'
import type { Points } from '../statement.ts'
import { columnIn, openRows } from './rows.ts'
import type { SourceRows } from './rows.ts'

/** Links between two points, of one state. */
const LINKS_MAX = 10_000
const KEYS_AT_ONCE = 2_000

type Stage = {
  readonly body: ClusterBody
  readonly rows: SourceRows
  readonly points: Points
  /** Clusters by the places of their cells, and points by their ids. */
  readonly places: ReadonlyMap<string, PlaceFeature>
}

type LinkFeature = Extract<Feature, { geometry: { type: 'LineString' } }>

type Links = {
  readonly features: readonly LinkFeature[]
  readonly inner: number
  readonly outer: number
  readonly isTruncated: boolean
}

const NONE: Links = { features: [], inner: 0, outer: 0, isTruncated: false }

/** The links between the clusters and points of an answer. @throws {Refusal} as `openRows`, and invalid */
export async function readLinks(context: Context, stage: Stage, asking: Asking): Promise<Links> {
  const { links, states } = stage.body
  if (!links) return NONE
  const rows = await openRows(context, links, { at: (field) => `/links/${field}`, asking })
  const { filter, from, to, state } = links
  const asked = {
    from: rows.from,
    filter: filter ? conditionOf(filter, rows.columns, rows.at('filter')) : null,
    ends: { from: columnIn(rows, 'from', from), to: columnIn(rows, 'to', to) },
    state: state === undefined ? null : { name: columnIn(rows, 'state', state), states },
  }
  const found = await rows.read(linksStatement(asked, rows.writer, LINKS_MAX + 1), LINKS_MAX + 1)
  const kept = found.slice(0, LINKS_MAX)
  const ends = await placesOfKeys(
    stage,
    new Set(kept.flatMap(([one, other]) => [String(one), String(other)])),
  )
  return { ...collapsed(kept, ends, states), isTruncated: found.length > LINKS_MAX }
}

/** The cluster or the point that each key is in. */
async function placesOfKeys(
  { rows, points, places }: Stage,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, PlaceFeature>> {
  const ends = new Map<string, PlaceFeature>()
  const left: string[] = []
  for (const key of keys) {
    const point = places.get(`p:${key}`)
    if (point) ends.set(key, point)
    else left.push(key)
  }
  for (let at = 0; at < left.length; at += KEYS_AT_ONCE) {
    const some = left.slice(at, at + KEYS_AT_ONCE)
    const found = await rows.read(keysStatement(points, rows.writer, some), Number.MAX_SAFE_INTEGER)
    for (const [key, x, y] of found) {
      const cluster = places.get(placeOf(Number(x) % points.around, Number(y)))
      if (cluster) ends.set(String(key), cluster)
    }
  }
  return ends
}

/** Links between the same two features are one, with its worst state. */
function collapsed(
  rows: readonly Row[],
  ends: ReadonlyMap<string, PlaceFeature>,
  states: readonly string[],
): Pick<Links, 'features' | 'inner' | 'outer'> {
  const features = new Map<string, { readonly feature: LinkFeature; readonly worst: number }>()
  let [inner, outer] = [0, 0]
  for (const row of rows) {
    const [from, to] = [ends.get(String(row[0])), ends.get(String(row[1]))]
    const count = Number(row[3])
    if (!from || !to) outer += count
    else if (from === to) inner += count
    else {
      const id = `l:${from.id}:${to.id}`
      const known = features.get(id)
      // 0 stands for no state.
      const state = Number(row[2]) === 0 ? Number.POSITIVE_INFINITY : Number(row[2])
      const worst = Math.min(known?.worst ?? state, state)
      const total = (known?.feature.properties.count ?? 0) + count
      features.set(id, {
        worst,
        feature: linkFeature(id, { from, to }, { count: total, worst: states[worst - 1] }),
      })
    }
  }
  return { features: [...features.values()].map(({ feature }) => feature), inner, outer }
}

function linkFeature(
  id: string,
  { from, to }: { readonly from: PlaceFeature; readonly to: PlaceFeature },
  { count, worst = null }: { readonly count: number; readonly worst?: string | null | undefined },
): LinkFeature {
  return {
    type: 'Feature',
    id,
    geometry: { type: 'LineString', coordinates: [from.geometry.coordinates, to.geometry.coordinates] },
    properties: { link: true, from: from.id, to: to.id, count, worstState: worst },
  }
}
