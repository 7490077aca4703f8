import { expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { decodeCursor, decodeNumbers, encodeCursor, pageOf } from './paging.ts'

test('a cursor gives back its place, and needs no escaping in a URL', () => {
  const place = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.oneof(fc.string(), fc.integer())))
  fc.assert(
    fc.property(place, (given) => {
      const cursor = encodeCursor(given)
      expect(decodeCursor(cursor)).toEqual(given)
      expect(encodeURIComponent(cursor)).toBe(cursor)
    }),
  )
})

test('a text that is not a cursor has no place', () => {
  for (const cursor of ['!', 'x', '_w', 'ü']) expect(decodeCursor(cursor)).toBeUndefined()
})

test('a cursor of numbers has as many safe integers as its list needs', () => {
  expect(decodeNumbers(encodeCursor([1, -2]), 2)).toEqual([1, -2])
  for (const place of [[1], [1, 2, 3], [1, '2'], [1, 2.5], [1, null], 1, null])
    expect(() => decodeNumbers(encodeCursor(place), 2)).toThrow('does not belong to this list')
})

test.each([
  ['an empty list has no next page', [], [], null],
  ['a full last page has no next page', [1, 2], [1, 2], null],
  ['the next page begins after the last row of this one', [1, 2, 3], [1, 2], 2],
])('%s', (_title, rows, shown, place) => {
  const page = pageOf<number>(rows, 2, (last) => last)
  expect(page.shown).toEqual(shown)
  expect(page.next && decodeCursor(page.next)).toBe(place)
})
