import { describe, expect, test } from 'bun:test'

import fc from 'fast-check'

import { readOtlpJson } from './otlp-json.ts'
import { plainPoint } from './plain-point.ts'
import type { Point } from './points.ts'

const TIME = '1772442000123999999'
const EXPORTED = {
  attributes: [
    { key: 'tidemark.job', value: { stringValue: '7' } },
    { key: 'host', value: { stringValue: 'a' } },
  ],
  startTimeUnixNano: '1772441000000000000',
  timeUnixNano: TIME,
  asDouble: 21.5,
}

/** @param point the text of a data point of a gauge */
function read(point: string): readonly Point[] {
  const request = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[${point}]}}]}]}]}`
  return readOtlpJson(new TextEncoder().encode(request))
}

describe('a plain point', () => {
  test('is what exporters write', () => {
    const naming = { job: '7', value: null }
    const point = { naming, at: 1_772_442_000_123, number: 21.5, count: 0, sum: null, flags: 0 }
    expect(plainPoint(EXPORTED)).toEqual(point)
    expect(plainPoint({ ...EXPORTED, attributes: undefined, flags: 0 })).toEqual({
      ...point,
      naming: { job: null, value: null },
    })
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['a text', 'point'],
    ['a list', []],
    ['a time that is a number', { ...EXPORTED, timeUnixNano: 1 }],
    ['a time of other digits', { ...EXPORTED, timeUnixNano: '1772442000' }],
    ['a time beyond 64 bits', { ...EXPORTED, timeUnixNano: '18446744073709551616' }],
    ['no time', { ...EXPORTED, timeUnixNano: undefined }],
    ['a number that is a text', { ...EXPORTED, asDouble: '1' }],
    ['a number without bounds', { ...EXPORTED, asDouble: Number.POSITIVE_INFINITY }],
    ['an integer as well', { ...EXPORTED, asInt: null }],
    ['flags', { ...EXPORTED, flags: 1 }],
    ['attributes that are an object', { ...EXPORTED, attributes: {} }],
    ['an attribute that is null', { ...EXPORTED, attributes: [null] }],
    ['an attribute without a key', { ...EXPORTED, attributes: [{ value: { stringValue: '7' } }] }],
    ['an attribute without a value', { ...EXPORTED, attributes: [{ key: 'tidemark.job' }] }],
    ['an attribute that is an integer', { ...EXPORTED, attributes: [{ key: 'a', value: { intValue: 7 } }] }],
  ])('is not %s', (_, given) => {
    expect(plainPoint(given)).toBeNull()
  })

  test('is read as the schema reads it', () => {
    const key = fc.constantFrom('tidemark.job', 'tidemark_job', 'tidemark.value', 'tidemark_value', 'host')
    const attribute = fc.record({ key, value: fc.record({ stringValue: fc.string() }) })
    const point = fc.record(
      {
        attributes: fc.array(attribute, { maxLength: 4 }),
        timeUnixNano: fc.bigInt(10n ** 18n, 10n ** 19n - 1n).map(String),
        asDouble: fc.double({ noNaN: true, noDefaultInfinity: true }),
        flags: fc.constant(0),
      },
      { requiredKeys: ['timeUnixNano', 'asDouble'] },
    )
    fc.assert(
      fc.property(point, (given) => {
        expect(plainPoint(given)).not.toBeNull()
        // A member that is null counts as absent, and is not plain.
        expect(read(JSON.stringify(given))).toEqual(read(JSON.stringify({ ...given, asInt: null })))
      }),
    )
    const beyond = JSON.stringify(EXPORTED).replace('21.5', '1e999')
    expect(read(beyond)).toEqual(read(beyond.replace('1e999', '1e999,"asInt":null')))
  })
})
