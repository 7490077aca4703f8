import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { ulid } from './ulid.ts'

test('names sort as their instants do, and as they were made within one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 2 ** 47 }), { minLength: 1, maxLength: 20 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      (instants, chance) => {
        const made = instants
          .sort((a, b) => a - b)
          .flatMap((at) => Array.from({ length: 40 }, () => ulid(at, chance)))
        for (const name of made) expect(name).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
        expect(new Set(made).size).toBe(made.length)
        expect(made.toSorted()).toEqual(made)
      },
    ),
    { numRuns: 50 },
  )
})

test('an instant is written as other libraries write it', () => {
  expect(ulid(1_469_918_176_385, new Uint8Array(16)).slice(0, 10)).toBe('01ARYZ6S41')
})
