import { expect, test } from 'bun:test'

import { WRITERS } from '../sql/dialects/writers.ts'
import { bind, boundOf } from '../sql/fragment.ts'
import { bindOf } from './values.ts'

test.each([
  ['2026-03-29T01:00:00Z', '2026-03-29T01:00:00.000000Z'],
  ['2026-03-29T03:00:00.25+02:00', '2026-03-29T01:00:00.250000Z'],
  ['2026-03-28 20:59:59.000001-0400', '2026-03-29T00:59:59.000001Z'],
  ['2026-01-01T00:15+00:30', '2025-12-31T23:45:00.000000Z'],
  ['2026-03-29T01:00', '2026-03-29T01:00:00.000000Z'],
  ['2026-03-29', '2026-03-29T00:00:00.000000Z'],
])('the instant %s is compared as %s', (text, value) =>
  expect(bindOf('datetime', text, 0)).toEqual({ type: 'datetime', value }),
)

test.each([
  ['date', '2023-02-29'],
  ['date', '2026-04-31'],
  ['date', '0000-01-01'],
  ['datetime', '2023-02-29'],
  ['datetime', '2026-02-30T10:00:00Z'],
  ['datetime', '2026-01-01T10:00+14:60'],
  ['datetime', '2026-01-01T10:00+15:00'],
  ['datetime', '0001-01-01T00:00+00:01'],
  ['datetime', '9999-12-31T23:59-00:01'],
] as const)('a column of the type %s is compared with no %s', (type, text) =>
  expect(() => bindOf(type, text, 0)).toThrow('must be a da'),
)

test.each([
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '0001-01-01', '0001-01-01'],
  ['datetime', '2000-02-29T23:59-00:01', '2000-03-01T00:00:00.000000Z'],
  ['datetime', '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
] as const)('a column of the type %s is compared with %s', (type, text, value) =>
  expect(bindOf(type, text, 0)).toEqual({ type, value }),
)

test.each([
  ['123456789.125', 123_456_789.125, 'DOUBLE PRECISION'],
  ['-0.000000000000000000001', -1e-21, 'DOUBLE PRECISION'],
  ['90071992547409.931', '90071992547409.931', 'NUMERIC'],
  [0.1 + 0.2, 0.1 + 0.2, 'DOUBLE PRECISION'],
  ['1e300', 1e300, 'DOUBLE PRECISION'],
  [`${'1'.repeat(31)}`, Number('1'.repeat(31)), 'DOUBLE PRECISION'],
])('the number %p has all of its digits', (given, value, type) => {
  const made = bindOf('number', given, 0)
  expect(Number(made.value)).toBe(Number(value))
  expect(boundOf(bind(made), WRITERS.postgresql).text).toBe(`CAST($1 AS ${type})`)
})

test('an integer beyond 2^53 is taken as text, and refused as a number, which JSON may have rounded', () => {
  expect(bindOf('integer', '9007199254740993', 0)).toEqual({ type: 'integer', value: '9007199254740993' })
  expect(bindOf('integer', Number.MAX_SAFE_INTEGER, 0)).toEqual({
    type: 'integer',
    value: Number.MAX_SAFE_INTEGER,
  })
  expect(() => bindOf('integer', -(2 ** 53), 0)).toThrow('must be text beyond 2^53')
  expect(() => bindOf('integer', 2 ** 63, 0)).toThrow('must be text beyond 2^53')
  expect(bindOf('number', 2 ** 60, 0)).toEqual({ type: 'number', value: 2 ** 60 })
})
