/** The centre of a map in degrees, and its zoom: at 0 the world has 512 pixels. */
export type MapPlace = { readonly lon: number; readonly lat: number; readonly zoom: number }
export type Size = { readonly width: number; readonly height: number }
/** West, south, east and north in degrees. */
export type Box = readonly [west: number, south: number, east: number, north: number]

const WORLD_PX = 512
const ZOOM_MAX = 16
/** Beyond it Mercator's map has no end. */
const LAT_MAX = 85.05

/** The place of degrees on the map, from 0 to 1. */
export function project(lon: number, lat: number): readonly [x: number, y: number] {
  const sine = Math.sin((clamp(lat, -LAT_MAX, LAT_MAX) * Math.PI) / 180)
  return [(lon + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)]
}

export function unproject(x: number, y: number): readonly [lon: number, lat: number] {
  return [x * 360 - 180, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI]
}

export const worldPx = (zoom: number): number => WORLD_PX * 2 ** zoom

/** A place that the map can show. */
export function withinWorld({ lon, lat, zoom }: MapPlace): MapPlace {
  return { lon: clamp(lon, -180, 180), lat: clamp(lat, -LAT_MAX, LAT_MAX), zoom: clamp(zoom, 0, ZOOM_MAX) }
}

/** The place after a move by pixels. */
export function movedBy(place: MapPlace, right: number, down: number): MapPlace {
  const [x, y] = project(place.lon, place.lat)
  const px = worldPx(place.zoom)
  const [lon, lat] = unproject(x + right / px, clamp(y + down / px, 0, 1))
  return withinWorld({ lon, lat, zoom: place.zoom })
}

/** The box that a map shows. */
export function boxOf({ lon, lat, zoom }: MapPlace, { width, height }: Size): Box {
  const [x, y] = project(lon, lat)
  const [halfX, halfY] = [width / 2 / worldPx(zoom), height / 2 / worldPx(zoom)]
  const [west, north] = unproject(Math.max(0, x - halfX), Math.max(0, y - halfY))
  const [east, south] = unproject(Math.min(1, x + halfX), Math.min(1, y + halfY))
  return [west, south, east, north]
}

/** The greatest zoom at which a map shows all of a box. */
export function fitted([west, south, east, north]: Box, { width, height }: Size, zoomMax = 12): MapPlace {
  const [left, top] = project(west, north)
  const [right, bottom] = project(east, south)
  const [lon, lat] = unproject((left + right) / 2, (top + bottom) / 2)
  const margin = 0.8
  const zoom = Math.min(
    zoomMax,
    Math.log2((width * margin) / Math.max(1e-9, right - left) / WORLD_PX),
    Math.log2((height * margin) / Math.max(1e-9, bottom - top) / WORLD_PX),
  )
  return withinWorld({ lon, lat, zoom: Math.floor(zoom * 2) / 2 })
}

/** The box around points; null without points. */
export function boxAround(points: readonly { readonly lon: number; readonly lat: number }[]): Box | null {
  if (points.length === 0) return null
  const lons = points.map(({ lon }) => lon)
  const lats = points.map(({ lat }) => lat)
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)]
}

/** Whether a nearer map can show the points of a cluster apart. */
export function canSplit({ box }: { readonly box: Box | null }, { zoom }: MapPlace): boolean {
  return box !== null && zoom < ZOOM_MAX && (box[0] !== box[2] || box[1] !== box[3])
}

/** A place as the address of the page has it: latitude, longitude, zoom. */
export const placeText = ({ lon, lat, zoom }: MapPlace): string =>
  `${lat.toFixed(4)},${lon.toFixed(4)},${zoom.toFixed(1)}`.replaceAll(/\.?0+(?=,|$)/g, '')

/** @returns null for another text */
export function placeOfText(text: string): MapPlace | null {
  const [lat, lon, zoom, ...more] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (lat === undefined || lon === undefined || zoom === undefined || more.length > 0) return null
  if (![lat, lon, zoom].every((part) => Number.isFinite(part))) return null
  return withinWorld({ lon, lat, zoom })
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))
