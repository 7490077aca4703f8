import { expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { decodeCursor, encodeCursor, pageOf } from './paging.ts'

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

test('what is no cursor has no place', () => {
  for (const cursor of ['!', 'x', '_w', 'ü']) expect(decodeCursor(cursor)).toBeUndefined()
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
