import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { bulkBody, plainBulk } from './schema.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 2_000)

const many = Array<number>(10_000).fill(1)
const item = fc.constantFrom<unknown>(
  null,
  1,
  'x',
  [],
  {},
  { timestamps: many },
  { jobIds: many },
  { jobIds: 5 },
)
const list = fc.oneof(
  { weight: 8, arbitrary: fc.array(item, { maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, {}, 'x', many, [...many, 1]) },
)
const name = fc.constantFrom('deliveries', 'series', 'rounds', '__proto__', 'values')
const body = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.tuple(name, list), { maxLength: 2 }).map(Object.fromEntries) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], 'x', 1) },
)

test('the fast reader and the schema agree on bodies', () => {
  let plain = 0
  fc.assert(
    fc.property(body, (input) => {
      const taken = plainBulk(input)
      if (taken === null) return
      plain++
      expect({ success: true, data: taken }).toEqual(bulkBody.safeParse(input) as never)
    }),
    { numRuns: RUNS },
  )
  expect(plain).toBeGreaterThan(RUNS / 10)
})

test('the fast reader accepts one list within the limits only', () => {
  const ten = Array<object>(10).fill({ timestamps: many, jobIds: many })
  for (const fine of [{ deliveries: many }, { series: ten }, { rounds: ten }, { rounds: [] }])
    expect(plainBulk(fine)).toBe(fine as never)
  const more = [...ten, { timestamps: [1], jobIds: [1] }]
  for (const other of [
    {},
    { deliveries: [...many, 1] },
    { series: more },
    { rounds: more },
    { series: [], rounds: [] },
  ])
    expect(plainBulk(other)).toBeNull()
})
