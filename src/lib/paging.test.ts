import { expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { decodeCursor, encodeCursor } from './paging.ts'

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
