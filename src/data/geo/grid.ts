/** A box on the globe in degrees; west is greater than east where it crosses the date line. */
export type Box = {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** The pixels of a tile, which has the whole world at zoom 0. */
const TILE_PIXELS = 512
/** A cell has this latitude at most: Web Mercator has no poles. */
export const LATITUDE_MAX = 85.05112877

/** The cells in a row around the world. All of them have the same width. */
export function cellsAround(zoom: number, radius: number): number {
  return Math.max(1, Math.round((2 ** zoom * TILE_PIXELS) / radius))
}

/** A box whose longitudes are between -180 and 180. A wider box than the world is the world. */
export function normalBox([west, south, east, north]: readonly [number, number, number, number]): Box {
  if (east - west >= 360) return { west: -180, south, east: 180, north }
  return { west: wrapped(west), south, east: wrapped(east), north }
}

/** A longitude between -180 and 180, which both remain. */
export function wrapped(longitude: number): number {
  if (longitude >= -180 && longitude <= 180) return longitude
  return ((((longitude + 180) % 360) + 360) % 360) - 180
}

/** A place on the map, from 0 to 1 in both directions, from the north-west. */
export function projected({ lon, lat }: { readonly lon: number; readonly lat: number }): {
  readonly x: number
  readonly y: number
} {
  const sine = Math.sin((Math.min(Math.max(lat, -LATITUDE_MAX), LATITUDE_MAX) * Math.PI) / 180)
  return { x: lon / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) }
}
