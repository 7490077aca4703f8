import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { anyDelivery, anyRound, anyRun, deliveryItem, roundItem, seriesItem } from './items.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 5_000)

const instants = fc.oneof(
  fc
    .date({ min: new Date(-1e13), max: new Date(1e14), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-03-02T09:00:00Z',
    '2026-02-29T09:00:00Z',
    '2026-02-31T00:00:00Z',
    '2026-03-02T24:00:00Z',
    '2026-03-02T23:59:60Z',
    '2026-13-02T09:00:00Z',
    '0000-01-01T00:00:00Z',
    '1000-01-01T00:00:00.001Z',
    '9999-12-28T23:59:59.999Z',
    '2026-03-02T09:00:00.5Z',
    '2026-03-02T09:00:00+01:00',
    '2026-03-02 09:00:00Z',
    ' 2026-03-02T09:00:00Z',
    '2026-03-02T09:00:00Z\n',
  ),
)
const key = fc.constantFrom(
  'returnValue1',
  'returnValue2',
  'returnValue64',
  'returnValue65',
  'returnValue01',
  'returnValue',
  'stringValue1',
  'stringValue64',
  'stringValue0',
  'errorCode',
  'timestamp',
  'message',
  'ttl',
  'signal',
  'runId',
  'constructor',
  'toString',
  '__proto__',
  'jobId',
)
const value = fc.oneof(
  fc.double(),
  fc.constantFrom(
    0,
    -0,
    1,
    12.5,
    -1,
    2_147_483_647,
    2_147_483_648,
    1e308,
    Number.POSITIVE_INFINITY,
    Number.NaN,
  ),
  fc.constantFrom<unknown>(
    null,
    true,
    undefined,
    [],
    {},
    '',
    'result',
    'PT5M',
    'x'.repeat(4_096),
    'x'.repeat(4_097),
  ),
  fc.string(),
  instants,
)
const jobId = fc.constantFrom<unknown>(1, 1, 1, 830, 0, -1, 1.5, '1', null, 2 ** 53, undefined)

/** Values of any kind that JSON can have, and more. */
const items = fc.tuple(jobId, fc.array(fc.tuple(key, value), { maxLength: 4 })).map(([id, fields]) => {
  const item: Record<string, unknown> = { jobId: id }
  for (const [name, one] of fields)
    Object.defineProperty(item, name, { value: one, enumerable: true, configurable: true, writable: true })
  return item
})

/** Items that are valid except for one field, or completely. */
const fitting = fc.record(
  {
    jobId: fc.constant(7),
    returnValue1: fc.double({ noNaN: true, noDefaultInfinity: true }),
    stringValue2: fc.string(),
    errorCode: fc.nat(),
    timestamp: instants,
  },
  { requiredKeys: ['jobId'] },
)

const series = fc
  .record({
    jobId,
    key: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('returnValue1', 'stringValue1') },
      { weight: 1, arbitrary: key },
    ),
    timestamps: fc.array(fc.oneof({ weight: 9, arbitrary: fc.integer() }, { weight: 1, arbitrary: value }), {
      maxLength: 3,
    }),
    values: fc.array(fc.oneof(fc.double({ noNaN: true }), fc.string(), value), { maxLength: 3 }),
  })
  .chain((whole) =>
    fc.constantFrom<unknown>(
      whole,
      whole,
      whole,
      { ...whole, more: 1 },
      { ...whole, values: 1 },
      [whole],
      null,
    ),
  )

/** Series that are valid, or have one value of another kind. */
const fittingSeries = fc
  .tuple(fc.constantFrom('returnValue1', 'stringValue64'), fc.integer({ min: 1, max: 5 }))
  .chain(([name, length]) => {
    const fits = name === 'returnValue1' ? fc.double({ noNaN: true }) : fc.string()
    const one = fc.oneof({ weight: 9, arbitrary: fits }, { weight: 1, arbitrary: value })
    return fc.record({
      jobId: fc.constant(7),
      key: fc.constant(name),
      timestamps: fc.array(fc.integer(), { minLength: length, maxLength: length }),
      values: fc.array(one, { minLength: length, maxLength: length }),
    })
  })

describe('an item of a bulk delivery', () => {
  test('the fast reader and the schema agree on deliveries', () => {
    let accepted = 0
    const all = fc.oneof(items, fitting, fc.constantFrom(null, 1, 'x', []))
    fc.assert(
      fc.property(all, (input) => {
        const item = deliveryItem(input)
        expect(JSON.stringify(item)).toBe(JSON.stringify(anyDelivery(input)))
        expect(item).toEqual(anyDelivery(input))
        accepted += Number('content' in item)
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    )
    expect(accepted).toBeGreaterThan(RUNS / 10)
  })

  test('the fast reader and the schema agree on series', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.oneof(series, fittingSeries), (input) => {
        const item = seriesItem(input)
        expect(item).toEqual(anyRun(input))
        accepted += Number('content' in item)
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    )
    expect(accepted).toBeGreaterThan(RUNS / 10)
  })

  test('a series has at most 10,000 samples and 262,144 characters', () => {
    const of = (count: number, text?: string) => {
      const timestamps = Array.from({ length: count }, (_, index) => index)
      const values = timestamps.map((at) => text ?? at)
      return seriesItem({
        jobId: 1,
        key: text === undefined ? 'returnValue1' : 'stringValue1',
        timestamps,
        values,
      })
    }
    expect('content' in of(10_000)).toBe(true)
    expect('content' in of(10_001)).toBe(false)
    expect('content' in of(64, 'x'.repeat(4_096))).toBe(true)
    expect('content' in of(65, 'x'.repeat(4_096))).toBe(false)
  })

  test('the fast reader and the schema agree on rounds', () => {
    let accepted = 0
    // Series with other names of columns, an additional timestamp, or additional fields.
    const rounds = fc
      .tuple(fc.oneof(series, fittingSeries), fc.oneof(fc.constantFrom(1, 830), jobId), value)
      .chain(([one, id, stamp]) => {
        if (typeof one !== 'object' || one === null || Array.isArray(one)) return fc.constant<unknown>(one)
        const { jobId: _, timestamps, ...rest } = one as { jobId: unknown; timestamps: unknown }
        const jobIds = Array.isArray(timestamps)
          ? timestamps.map((_at, index) => (index === 0 ? id : 7))
          : timestamps
        return fc.constantFrom<unknown>(
          { ...rest, jobIds },
          { ...rest, jobIds, timestamp: 5 },
          { ...rest, jobIds, timestamp: stamp },
          { ...rest, jobIds, timestamp: undefined },
        )
      })
    fc.assert(
      fc.property(rounds, (input) => {
        const item = roundItem(input)
        expect(JSON.stringify(item)).toBe(JSON.stringify(anyRound(input)))
        expect(item).toEqual(anyRound(input))
        accepted += Number(!(item instanceof Error))
      }),
      { numRuns: RUNS },
    )
    expect(accepted).toBeGreaterThan(RUNS / 20)
  })
})
