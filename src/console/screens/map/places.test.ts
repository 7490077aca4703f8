import { expect, test } from 'bun:test'

import { clustered, linksOf, placesOf, stateOf } from './places.ts'
import type { Place } from './places.ts'

const point = (id: string, lon: number, state: string | null): Place => ({
  id,
  lon,
  lat: 50,
  count: 1,
  state,
  states: {},
  name: id,
  box: null,
  expandsAt: null,
})
const FEATURES = [
  {
    type: 'Feature' as const,
    id: 'p:7',
    geometry: { type: 'Point' as const, coordinates: [8, 47] },
    properties: { cluster: false as const, key: '7', state: 'OK', aggregates: {} },
  },
  {
    type: 'Feature' as const,
    id: 'c5-1-1',
    geometry: { type: 'Point' as const, coordinates: [9, 48] },
    properties: {
      cluster: true as const,
      cluster_id: 'c5-1-1',
      point_count: 12,
      point_count_abbreviated: '12',
      expansion_zoom: 7,
      bbox: [8.9, 47.9, 9.1, 48.1],
      worstState: 'major',
      states: { major: 1, ok: 11 },
      aggregates: {},
    },
  },
  {
    type: 'Feature' as const,
    id: 'l:1',
    geometry: {
      type: 'LineString' as const,
      coordinates: [
        [8, 47],
        [9, 48],
      ],
    },
    properties: { link: true as const, from: 'p:7', to: 'c5-1-1', count: 3, worstState: 'minor' },
  },
] as unknown as Parameters<typeof placesOf>[0]['features']

test('the places of an answer, the worst first; its links apart', () => {
  const places = placesOf({ features: FEATURES })
  expect(places.map(({ id, count, state }) => [id, count, state])).toEqual([
    ['c5-1-1', 12, 'major'],
    ['p:7', 1, 'OK'],
  ])
  expect(linksOf({ features: FEATURES })).toEqual([
    { id: 'l:1', from: [8, 47], to: [9, 48], count: 3, state: 'minor', ends: ['p:7', 'c5-1-1'] },
  ])
})

test('a state is known in any letter case, another text has no state', () => {
  expect([stateOf('Major'), stateOf('broken'), stateOf(null)]).toEqual(['major', undefined, undefined])
})

test('points in one cell are one place with the worst state', () => {
  const places = clustered([point('a', 8.1, 'ok'), point('b', 8.3, 'minor'), point('c', 20, null)], 1)
  expect(places.map(({ count, state, states, name }) => ({ count, state, states, name }))).toEqual([
    { count: 2, state: 'minor', states: { ok: 1, minor: 1 }, name: null },
    { count: 1, state: null, states: {}, name: 'c' },
  ])
  expect(places[0]?.lon).toBeCloseTo(8.2)
})
