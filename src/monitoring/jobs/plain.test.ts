import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { plainBody } from './plain.ts'
import { deliveryBody, TEXT_MAX } from './schema.ts'

const key = fc.constantFrom(
  'returnValue1',
  'returnValue64',
  'returnValue65',
  'returnValue01',
  'returnValue',
  'stringValue1',
  'stringValue0',
  'errorCode',
  'timestamp',
  'message',
  'signal',
  'jobId',
  'constructor',
  '__proto__',
)
const value = fc.oneof(
  fc.double(),
  fc.nat(),
  fc.string(),
  fc.constantFrom<unknown>(
    -0,
    2_147_483_648,
    null,
    true,
    [],
    [1],
    {},
    'result',
    'x'.repeat(TEXT_MAX),
    'x'.repeat(TEXT_MAX + 1),
    '2026-03-02T09:00:00Z',
    '2026-02-31T09:00:00Z',
    '2026-03-02T09:00:00+01:00',
  ),
)
const fitting = fc.record(
  {
    returnValue1: fc.double({ noNaN: true, noDefaultInfinity: true }),
    errorCode: fc.nat(),
    stringValue2: fc.string(),
    timestamp: fc.constantFrom('2026-03-02T09:00:00Z', '2026-03-02T09:00:00.125Z'),
  },
  { requiredKeys: [] },
)
const fields = fc.array(fc.tuple(key, value), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs))

test('the fast reader and the schema agree, including the order of fields', () => {
  let plain = 0
  fc.assert(
    fc.property(fc.oneof(fields, fitting, fc.constantFrom<unknown>(null, 1, 'x', [])), (input) => {
      const found = plainBody(input)
      if (found === null) return
      plain += 1
      const { data } = deliveryBody.safeParse(input)
      expect(found).toEqual(data as typeof found)
      expect(JSON.stringify(found)).toBe(JSON.stringify(data))
    }),
    { numRuns: 3_000 },
  )
  expect(plain).toBeGreaterThan(500)
})
