import { expect, test } from 'bun:test'

import { boxAround, boxOf, fitted, movedBy, placeOfText, placeText, project, unproject } from './mercator.ts'

test('the middle of the map is at 0 degrees, and projections go back', () => {
  expect(project(0, 0)).toEqual([0.5, 0.5])
  const [x, y] = project(6.2, 53.4)
  const [lon, lat] = unproject(x, y)
  expect(lon).toBeCloseTo(6.2, 9)
  expect(lat).toBeCloseTo(53.4, 9)
  expect(project(0, 89)[1]).toBeCloseTo(0, 3)
})

test('a map of the size of the world shows all of it', () => {
  const [west, south, east, north] = boxOf({ lon: 0, lat: 0, zoom: 0 }, { width: 512, height: 512 })
  expect([west, east]).toEqual([-180, 180])
  expect(south).toBeCloseTo(-85.05, 2)
  expect(north).toBeCloseTo(85.05, 2)
})

test('a box is shown whole, in its middle', () => {
  const size = { width: 800, height: 400 }
  const place = fitted([5.9, 45.8, 10.5, 47.8], size)
  const [west, south, east, north] = boxOf(place, size)
  expect([west < 5.9, south < 45.8, east > 10.5, north > 47.8]).toEqual([true, true, true, true])
  expect(place.lon).toBeCloseTo(8.2)
  expect(fitted([8, 47, 8, 47], size).zoom).toBe(12)
})

test('a move by the width of the map shows its neighbour, and ends at the edge of the world', () => {
  const place = { lon: 0, lat: 0, zoom: 1 }
  expect(movedBy(place, 256, 0).lon).toBeCloseTo(90)
  const corner = movedBy(place, 9_999, -9_999)
  expect(corner.lon).toBe(180)
  expect(corner.lat).toBeCloseTo(85.05, 1)
})

test('a place is in the address and back; other texts have no place', () => {
  expect(placeText({ lon: 6.2, lat: 53.4, zoom: 8 })).toBe('53.4,6.2,8')
  expect(placeOfText('53.4,6.2,8')).toEqual({ lon: 6.2, lat: 53.4, zoom: 8 })
  for (const text of ['', '1,2', '1,2,3,4', 'a,2,3', '1,,3']) expect(placeOfText(text)).toBeNull()
})

test('the box around points; none without points', () => {
  expect(boxAround([])).toBeNull()
  expect(
    boxAround([
      { lon: 8, lat: 47 },
      { lon: 7, lat: 48 },
    ]),
  ).toEqual([7, 47, 8, 48])
})
