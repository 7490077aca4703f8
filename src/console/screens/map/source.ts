import type { Call } from '../../api/client.ts'
import type { Box } from './mercator.ts'

export type Body = Call<'/gis/cluster', 'post'>['body']

/** The source of the places, as in the address. */
export type PlaceSource = {
  readonly source: string
  readonly table: string
  readonly query: string
  readonly lat: string
  readonly lon: string
  readonly key: string
  readonly state: string
  readonly linkTable: string
  readonly from: string
  readonly to: string
  readonly linkState: string
}

export const NO_SOURCE: PlaceSource = {
  source: '',
  table: '',
  query: '',
  lat: '',
  lon: '',
  key: '',
  state: '',
  linkTable: '',
  from: '',
  to: '',
  linkState: '',
}
export const FIELDS = Object.keys(NO_SOURCE) as (keyof PlaceSource)[]

/** The request for the places in a box; null while the source is not complete. */
export function bodyOf(from: PlaceSource, bbox: Box, zoom: number): Body | null {
  const { lat, lon, key, state } = from
  if (lat === '' || lon === '') return null
  const shape = { lat, lon, ...(key !== '' && { key }), ...(state !== '' && { state }) }
  const points = sourceOf(from, from.table)
  if (points === null) return null
  const links = linksOf(from)
  return {
    points: { ...points, ...shape },
    ...(links && { links }),
    bbox: [...bbox],
    zoom,
  } as unknown as Body
}

function sourceOf({ source, query }: PlaceSource, table: string) {
  if (query !== '') return { queryId: Number(query), parameters: {} }
  return source === '' || table === '' ? null : { dataSourceId: Number(source), table }
}

function linksOf({ source, key, linkTable, from, to, linkState }: PlaceSource) {
  if (source === '' || key === '' || linkTable === '' || from === '' || to === '') return null
  return {
    dataSourceId: Number(source),
    table: linkTable,
    from,
    to,
    ...(linkState !== '' && { state: linkState }),
  }
}

const GUESSES: Readonly<Record<'lat' | 'lon' | 'key' | 'state', readonly string[]>> = {
  lat: ['lat', 'latitude', 'breite', 'y'],
  lon: ['lon', 'lng', 'long', 'longitude', 'laenge', 'länge', 'x'],
  key: ['id', 'key', 'name', 'code'],
  state: ['state', 'status', 'zustand'],
}

/** The columns that probably have the places, by their names. */
export function guessed(columns: readonly string[]): Pick<PlaceSource, 'lat' | 'lon' | 'key' | 'state'> {
  const find = (names: readonly string[]): string =>
    names.flatMap((name) => columns.find((column) => column.toLowerCase() === name) ?? [])[0] ?? ''
  return {
    lat: find(GUESSES.lat),
    lon: find(GUESSES.lon),
    key: find(GUESSES.key),
    state: find(GUESSES.state),
  }
}
