import type { Context } from '../../context.ts'
import type { Cell, Column } from '../../domain/table.ts'
import { invalidAt, noSuch } from '../../lib/errors.ts'
import { stopwatch } from '../../ports/clock.ts'
import { conditionOf } from '../filters/filter.ts'
import type { Asking } from '../selection/service/waited.ts'
import { cellsIn, onlyPoint, pointsIn } from './cells.ts'
import type { SinglePoint } from './cells.ts'
import { clusterFeature, clusterId, pointFeatures } from './features.ts'
import type { PlaceFeature, Style } from './features.ts'
import { cellsAround, normalBox } from './grid.ts'
import { mergedCells, placeOf } from './merge.ts'
import type { Cluster } from './merge.ts'
import type { ClusterView, LeavesView } from './answers.ts'
import type { ClusterBody } from './schema.ts'
import { readLinks } from './service/links.ts'
import { columnIn, numbersIn, openRows } from './service/rows.ts'
import type { SourceRows } from './service/rows.ts'
import { cellsStatement, leavesStatement, pointsStatement } from './statement.ts'
import type { Points } from './statement.ts'

const CELLS_MAX = 50_000
const POINTS_MAX = 20_000
const LEAF_COLUMNS_MAX = 90

/** A request, and the place in it of a field of its points. */
export type Asked = { readonly body: ClusterBody; readonly at: (field: string) => string }

/** The points in a box as clusters and single points, and the links between them.
 * @throws {Refusal} not_found, invalid, and the refusals of the ports `databases` and `tables` */
export async function clusterPoints(
  context: Context,
  { body, at }: Asked,
  asking: Asking,
): Promise<ClusterView> {
  const { clock } = context.ports
  if (body.links && body.points.key === undefined) throw invalidAt(at('key'), 'is required with links')
  const rows = await openRows(context, body.points, { at, asking })
  const points = pointsOf(rows, body)
  const elapsedMs = stopwatch(clock)
  const found = await readClusters(rows, points, body)
  const style = styleOf(points, body)
  const places = new Map<string, PlaceFeature>()
  for (const cluster of found.clusters) {
    const feature = clusterFeature(cluster, style)
    for (const { x, y } of cluster.members) places.set(placeOf(x, y), feature)
  }
  const singles = pointFeatures(found.singles, style)
  for (const feature of singles) places.set(feature.id, feature)
  const links = await readLinks(context, { body, rows, points, places }, asking)
  return {
    type: 'FeatureCollection',
    zoom: body.zoom,
    features: [...new Set(places.values()), ...links.features],
    innerLinks: links.inner,
    outerLinks: links.outer,
    truncated: found.isTruncated || links.isTruncated,
    durationMs: elapsedMs(),
  }
}

/** The rows of the points of a cluster.
 * @throws {Refusal} not_found for a cluster that is not in the answer to this request, and as `clusterPoints` */
export async function listLeaves(
  context: Context,
  {
    body,
    at,
    cluster: id,
    limit,
    offset,
  }: Asked & {
    readonly cluster: string
    readonly limit: number
    readonly offset: number
  },
  asking: Asking,
): Promise<LeavesView> {
  const rows = await openRows(context, body.points, { at, asking })
  const points = pointsOf(rows, body)
  const { clusters } = await readClusters(rows, { ...points, state: null, values: [] }, body)
  const cluster = clusters.find((one) => clusterId(one, body.zoom) === id)
  if (!cluster) throw noSuch('cluster')
  const columns = [...rows.columns.values()].slice(0, LEAF_COLUMNS_MAX)
  const names = columns.map(({ name }) => name)
  const asked = { cells: cluster.members, columns: names, limit: limit + 1, offset }
  const found = await rows.read(leavesStatement(points, rows.writer, asked), limit + 1)
  return {
    type: 'FeatureCollection',
    features: found.slice(0, limit).map(([lon = 0, lat = 0, ...cells]) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [Number(lon), Number(lat)] },
      properties: Object.fromEntries(
        columns.map((column, index) => [column.name, valueOf(cells[index], column)]),
      ),
    })),
    truncated: found.length > limit,
  }
}

/** Some dialects have no type for truth values. */
function valueOf(cell: Cell | undefined, { type }: Column): Cell {
  if (cell === undefined || cell === null) return null
  return type === 'boolean' ? Boolean(Number(cell)) : cell
}

/** @throws {Refusal} invalid */
function pointsOf(rows: SourceRows, { points, states, ...map }: ClusterBody): Points {
  const { filter, key, state, aggregates } = points
  const numbers = new Set(aggregates.map(({ column }) => column))
  return {
    from: rows.from,
    filter: filter ? conditionOf(filter, rows.columns, rows.at('filter')) : null,
    lat: numbersIn(rows, 'lat', points.lat),
    lon: numbersIn(rows, 'lon', points.lon),
    key: key === undefined ? null : columnIn(rows, 'key', key),
    state: state === undefined ? null : { name: columnIn(rows, 'state', state), states },
    values: [...numbers].map((column) => numbersIn(rows, 'aggregates', column)),
    box: normalBox(map.bbox),
    around: cellsAround(map.zoom, map.radius),
  }
}

function styleOf({ values, around }: Points, { points, zoom, maxZoom, states }: ClusterBody): Style {
  return {
    zoom,
    maxZoom,
    states,
    aggregates: points.aggregates,
    valueNumber: (column) => values.findIndex(({ name }) => name === column),
    around,
  }
}

type Clusters = {
  readonly clusters: readonly Cluster[]
  readonly singles: readonly SinglePoint[]
  readonly isTruncated: boolean
}

async function readClusters(
  rows: SourceRows,
  points: Points,
  { zoom, maxZoom, minPoints }: ClusterBody,
): Promise<Clusters> {
  if (zoom > maxZoom) return readSingles(rows, points, null)
  const { around } = points
  const statement = cellsStatement(points, rows.writer, CELLS_MAX + 1)
  const found = await rows.read(statement, CELLS_MAX + 1)
  const merged = mergedCells(cellsIn(found.slice(0, CELLS_MAX), around), around)
  const clusters = merged.filter(({ count }) => count >= minPoints)
  const small = merged.filter(({ count }) => count < minPoints)
  const isTruncated = found.length > CELLS_MAX
  if (small.every(({ count }) => count === 1)) return { clusters, singles: small.map(onlyPoint), isTruncated }
  const read = await readSingles(rows, points, minPoints)
  const places = new Set(small.flatMap(({ members }) => members.map(({ x, y }) => placeOf(x, y))))
  const singles = read.singles.filter(({ x, y }) => places.has(placeOf(x, y)))
  return { clusters, singles, isTruncated: isTruncated || read.isTruncated }
}

/** Single points: all of them, or the points of cells with fewer points than `below`. */
async function readSingles(rows: SourceRows, points: Points, below: number | null): Promise<Clusters> {
  const statement = pointsStatement(points, rows.writer, { limit: POINTS_MAX + 1, below })
  const found = await rows.read(statement, POINTS_MAX + 1)
  return {
    clusters: [],
    singles: pointsIn(found.slice(0, POINTS_MAX), points.around),
    isTruncated: found.length > POINTS_MAX,
  }
}
