import { expect, test } from 'bun:test'

import { bodyOf, guessed, NO_SOURCE } from './source.ts'

const BOX = [5, 45, 10, 48] as const
const TABLE = { ...NO_SOURCE, source: '3', table: 'plants', lat: 'lat', lon: 'lon' }

test('a request names the table or the data query, and the columns that are chosen', () => {
  expect(bodyOf({ ...TABLE, state: 'state' }, BOX, 7) as unknown).toEqual({
    points: { dataSourceId: 3, table: 'plants', lat: 'lat', lon: 'lon', state: 'state' },
    bbox: [5, 45, 10, 48],
    zoom: 7,
  })
  expect(bodyOf({ ...NO_SOURCE, query: '9', lat: 'a', lon: 'b' }, BOX, 0) as unknown).toEqual({
    points: { queryId: 9, parameters: {}, lat: 'a', lon: 'b' },
    bbox: [5, 45, 10, 48],
    zoom: 0,
  })
})

test('links need the key of the places, and both ends', () => {
  const links = { ...TABLE, linkTable: 'lines', from: 'a', to: 'b' }
  expect(bodyOf(links, BOX, 0)).not.toHaveProperty('links')
  expect(bodyOf({ ...links, key: 'id', to: '' }, BOX, 0)).not.toHaveProperty('links')
  expect(bodyOf({ ...links, key: 'id' }, BOX, 0)).toHaveProperty('links', {
    dataSourceId: 3,
    table: 'lines',
    from: 'a',
    to: 'b',
  })
})

test('nothing is asked before the places are known', () => {
  expect(bodyOf(NO_SOURCE, BOX, 0)).toBeNull()
  expect(bodyOf({ ...TABLE, table: '' }, BOX, 0)).toBeNull()
  expect(bodyOf({ ...TABLE, lat: '' }, BOX, 0)).toBeNull()
})

test('columns of places are guessed by their names, in any letter case', () => {
  expect(guessed(['ID', 'Latitude', 'lng', 'Status', 'x'])).toEqual({
    lat: 'Latitude',
    lon: 'lng',
    key: 'ID',
    state: 'Status',
  })
  expect(guessed(['a'])).toEqual({ lat: '', lon: '', key: '', state: '' })
})
