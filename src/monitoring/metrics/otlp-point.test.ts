import { describe, expect, test } from 'bun:test'

import fc from 'fast-check'
import { PbfReader, PbfWriter } from 'pbf'

import { codeOf } from '../../../test/refusals.ts'
import { partialSuccess, statusMessage } from './otlp-answer.ts'
import { readOtlpJson } from './otlp-json.ts'
import { readOtlpProtobuf } from './otlp-protobuf.ts'
import { PARTS_MAX, POINTS_MAX } from './points.ts'
import type { Point } from './points.ts'

// Requests that the exporters of @opentelemetry/exporter-metrics-otlp-http and -proto 0.223.0 sent: a gauge and a histogram, of a
// job that the resource names, and a counter that names job and value itself.
const SENT_JSON =
  '{"resourceMetrics":[{"resource":{"attributes":[{"key":"tidemark.job","value":{"intValue":3}}],"droppedAttributesCount":0},"scopeMetrics":[{"scope":{"name":"test","version":""},"metrics":[{"name":"temp","description":"","unit":"","gauge":{"dataPoints":[{"attributes":[],"startTimeUnixNano":"1795263594248000000","timeUnixNano":"1795263594249000000","asDouble":21.5}]}},{"name":"req","description":"","unit":"","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{"attributes":[{"key":"tidemark.job","value":{"stringValue":"4"}},{"key":"tidemark.value","value":{"stringValue":"returnValue2"}}],"startTimeUnixNano":"1795263594248000000","timeUnixNano":"1795263594249000000","asDouble":7}]}},{"name":"lat","description":"","unit":"","histogram":{"aggregationTemporality":2,"dataPoints":[{"attributes":[],"bucketCounts":[0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"explicitBounds":[0,5,10,25,50,75,100,250,500,750,1000,2500,5000,7500,10000],"count":1,"sum":0.25,"min":0.25,"max":0.25,"startTimeUnixNano":"1795263594248000000","timeUnixNano":"1795263594249000000"}]}}]}]}]}'
const SENT_PROTOBUF =
  'Cu4DChYKEgoMdGlkZW1hcmsuam9iEgIYAxAAEtMDCgYKBHRlc3QSJQoEdGVtcCodChsRwPLnL7oO6hgZADX3L7oO6hghAAAAAACANUASXwoDcmVxOlgKUhEANfcvug7qGBkANfcvug7qGCEAAAAAAAAcQDoTCgx0aWRlbWFyay5qb2ISAwoBNDogCg50aWRlbWFyay52YWx1ZRIOCgxyZXR1cm5WYWx1ZTIQAhgBEsACCgNsYXRKuAIKswIRADX3L7oO6hgZADX3L7oO6hghAQAAAAAAAAApAAAAAAAA0D8ygAEAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADp4AAAAAAAAAAAAAAAAAAAUQAAAAAAAACRAAAAAAAAAOUAAAAAAAABJQAAAAAAAwFJAAAAAAAAAWUAAAAAAAEBvQAAAAAAAQH9AAAAAAABwh0AAAAAAAECPQAAAAAAAiKNAAAAAAACIs0AAAAAAAEy9QAAAAAAAiMNAWQAAAAAAANA/YQAAAAAAANA/EAI='

const jsonBody = new TextEncoder().encode(SENT_JSON)
const protobufBody = Uint8Array.from(atob(SENT_PROTOBUF), (character) => character.charCodeAt(0))

const short = ({ metric, job, value, numbers }: Point) => [
  metric,
  job,
  value,
  numbers.map(({ suffix, number }) => `${suffix}=${number}`).join(),
]

const EXPECTED = [
  ['temp', '3', null, '=21.5'],
  ['req', '4', 'returnValue2', '=7'],
  ['lat', '3', null, '_count=1,_sum=0.25'],
]

describe('a request of the OpenTelemetry SDK', () => {
  test.each([
    ['JSON', readOtlpJson(jsonBody)],
    ['protobuf', readOtlpProtobuf(protobufBody)],
  ])('as %s contains every data point', (_, points) => {
    expect(points.map(short)).toEqual(EXPECTED)
    expect(points.map(({ series }) => series)).toEqual([0, 1, 2])
    expect(
      points.every(({ at, fault }) => Math.abs((at ?? 0) - Date.UTC(2026, 10, 21, 12)) < 3_600_000 && !fault),
    ).toBe(true)
  })
})

type Fields = {
  readonly attributes?: readonly Attribute[]
  readonly timeUnixNano?: string
  readonly asDouble?: number | string
  readonly asInt?: string
  readonly count?: string
  readonly sum?: number
  readonly flags?: number
}
type Attribute = { readonly key: string; readonly value: object }

const NS = 1_772_442_000_123_999_999n
const MS = 1_772_442_000_123
const ATTRIBUTES_AT = { gauge: 7, sum: 7, histogram: 9, exponentialHistogram: 1, summary: 7 }
const FLAGS_AT = { gauge: 8, sum: 8, histogram: 10, exponentialHistogram: 10, summary: 8 }
const DATA_AT = { gauge: 5, sum: 7, histogram: 9, exponentialHistogram: 10, summary: 11 }
type Kind = keyof typeof DATA_AT

type Asked = { readonly kind: Kind; readonly point: Fields; readonly resource?: readonly Attribute[] }

function asJson({ kind, point, resource = [] }: Asked): Uint8Array {
  const metric = { name: 'm', unit: 'By', [kind]: { aggregationTemporality: 2, dataPoints: [point] } }
  const request = {
    resourceMetrics: [
      { resource: { attributes: resource }, scopeMetrics: [{ scope: { name: 's' }, metrics: [metric] }] },
    ],
    somethingNew: { deep: [1] },
  }
  return new TextEncoder().encode(JSON.stringify(request))
}

/** The same in protobuf, with the naming fields last. */
function asProtobuf({ kind, point, resource = [] }: Asked): Uint8Array {
  const bytes = (write: (pbf: PbfWriter) => void) => {
    const pbf = new PbfWriter()
    write(pbf)
    return pbf.finish()
  }
  const attribute = ({ key, value }: Attribute) =>
    bytes((pbf) => {
      pbf.writeStringField(1, key)
      const any = new PbfWriter()
      if ('stringValue' in value) any.writeStringField(1, String(value.stringValue))
      if ('boolValue' in value) any.writeBooleanField(2, Boolean(value.boolValue))
      if ('intValue' in value) any.writeVarintField(3, Number(value.intValue))
      pbf.writeBytesField(2, any.finish())
    })
  const fixed64 = (pbf: PbfWriter, field: number, value: bigint) => {
    const block = new DataView(new ArrayBuffer(8))
    block.setBigInt64(0, value, true)
    pbf.writeTag(field, 1)
    for (let index = 0; index < 8; index++) pbf.writeVarint(0)
    pbf.buf.set(new Uint8Array(block.buffer), pbf.pos - 8)
  }
  const dataPoint = bytes((pbf) => {
    if (point.timeUnixNano !== undefined) fixed64(pbf, 3, BigInt(point.timeUnixNano))
    if (point.asDouble !== undefined) pbf.writeDoubleField(4, Number(point.asDouble))
    if (point.asInt !== undefined) fixed64(pbf, 6, BigInt(point.asInt))
    if (point.count !== undefined) fixed64(pbf, 4, BigInt(point.count))
    if (point.sum !== undefined) pbf.writeDoubleField(5, point.sum)
    if (point.flags !== undefined) pbf.writeVarintField(FLAGS_AT[kind], point.flags)
    for (const one of point.attributes ?? []) pbf.writeBytesField(ATTRIBUTES_AT[kind], attribute(one))
  })
  const metric = bytes((pbf) => {
    pbf.writeBytesField(
      DATA_AT[kind],
      bytes((data) => data.writeBytesField(1, dataPoint)),
    )
    pbf.writeStringField(1, 'm')
  })
  const resourceMetrics = bytes((pbf) => {
    pbf.writeBytesField(
      2,
      bytes((scope) => scope.writeBytesField(2, metric)),
    )
    pbf.writeBytesField(
      1,
      bytes((inner) => resource.forEach((one) => inner.writeBytesField(1, attribute(one)))),
    )
  })
  return bytes((pbf) => pbf.writeBytesField(1, resourceMetrics))
}

const both = (asked: Asked) => [readOtlpJson(asJson(asked)), readOtlpProtobuf(asProtobuf(asked))]

const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } })

describe('a data point in JSON, as ProtoJSON allows it,', () => {
  const read = (point: string, kind = 'gauge') => {
    const json = `{"resource_metrics":[{"scopeMetrics":[{"metrics":[{"name":"m","${kind}":{"data_points":[${point}]}}]}]}]}`
    return readOtlpJson(new TextEncoder().encode(json))[0]
  }

  test.each<[string, number | null, number]>([
    ['"timeUnixNano":1772442000123000000,"asDouble":1.5', 1_772_442_000_123, 1.5],
    ['"timeUnixNano":1.772442e18,"asDouble":"1.5"', 1_772_442_000_000, 1.5],
    ['"timeUnixNano":"1.772442e+18","asInt":15', 1_772_442_000_000, 15],
    ['"time_unix_nano":"1772442000123000000","as_int":"-3"', 1_772_442_000_123, -3],
    ['"timeUnixNano":null,"asDouble":null,"as_double":"-1e-3","new":{"x":[1]}', null, -0.001],
    ['"asInt":1e3,"flags":"0"', null, 1_000],
    ['"asDouble":"-Infinity"', null, Number.NEGATIVE_INFINITY],
    ['"asDouble":"NaN"', null, Number.NaN],
  ])('{%s}', (fields, at, number) => {
    expect(read(`{${fields}}`)).toMatchObject({ at, numbers: [{ suffix: '', number }], fault: null })
  })

  test('allows every notation of counts, sums and flags, and attributes', () => {
    const job = '{"key":"tidemark.job","value":{"int_value":"3"}}'
    expect(read(`{"count":2e0,"sum":"4.5","attributes":[${job}]}`, 'exponential_histogram')).toMatchObject({
      job: '3',
      numbers: [
        { suffix: '_count', number: 2 },
        { suffix: '_sum', number: 4.5 },
      ],
    })
    expect(read('{"flags":"1"}')?.numbers).toEqual([{ suffix: '', number: Number.NaN }])
  })

  test('has the job of its resource, with any other resource attributes', () => {
    const json =
      '{"resourceMetrics":[{"resource":{"attributes":[{"key":1},{"key":"x","value":{"intValue":"x"}},{"key":"tidemark.job","value":{"intValue":3}}]},"scopeMetrics":[{"metrics":[{"name":"m","sum":{"dataPoints":[{"asInt":1}]}}]}]}]}'
    expect(readOtlpJson(new TextEncoder().encode(json))[0]).toMatchObject({ job: '3', fault: null })
  })
})

describe('a data point, in both encodings,', () => {
  const KINDS: [Kind, Fields, string][] = [
    ['gauge', { asDouble: -0.5 }, '=-0.5'],
    ['gauge', { asInt: '-9007199254740993' }, '=-9007199254740992'],
    ['gauge', { asDouble: 0 }, '=0'],
    ['gauge', { asDouble: 'NaN' }, '=NaN'],
    ['gauge', { asDouble: '-Infinity' }, '=-Infinity'],
    ['sum', { asInt: '7' }, '=7'],
    ['sum', { asDouble: 5, flags: 1 }, '=NaN'],
    ['sum', { asDouble: 5, flags: 2 }, '=5'],
    ['histogram', { count: '3', sum: 4.5 }, '_count=3,_sum=4.5'],
    ['histogram', { count: '3' }, '_count=3'],
    ['histogram', { count: '3', flags: 1 }, '=NaN'],
    ['histogram', {}, '_count=0'],
    ['exponentialHistogram', { count: '3', sum: -4.5 }, '_count=3,_sum=-4.5'],
    ['exponentialHistogram', { count: '3' }, '_count=3'],
    ['summary', { count: '3', sum: 4.5 }, '_count=3,_sum=4.5'],
    ['summary', {}, '_count=0,_sum=0'],
  ]
  test.each(KINDS)('a %s is read correctly', (kind, fields, numbers) => {
    const attributes = [text('other', 'x'), text('tidemark.job', '7')]
    for (const points of both({ kind, point: { ...fields, attributes, timeUnixNano: String(NS) } })) {
      expect(points.map(short)).toEqual([['m', '7', null, numbers]])
      expect(points[0]).toMatchObject({ at: MS, fault: null })
    }
  })

  test.each<[string, Attribute[], Attribute[], [job: string | null, value: string | null]]>([
    ['the point', [text('tidemark.job', '1')], [text('tidemark.job', '2')], ['1', null]],
    ['the resource', [], [text('tidemark.job', '2')], ['2', null]],
    ['the other spelling', [text('tidemark_job', '1'), text('tidemark_value', 'v')], [], ['1', 'v']],
    ['an integer', [{ key: 'tidemark.job', value: { intValue: '12' } }], [], ['12', null]],
    [
      'an empty text, before the resource',
      [text('tidemark.job', '')],
      [text('tidemark_job', '2')],
      ['2', null],
    ],
    ['a flag, which names none', [{ key: 'tidemark.job', value: { boolValue: true } }], [], [null, null]],
    ['nothing', [], [text('tidemark.value', 'returnValue1')], [null, null]],
  ])('names its job by %s', (_, attributes, resource, [job, value]) => {
    for (const points of both({ kind: 'gauge', point: { attributes, asInt: '1' }, resource }))
      expect(points[0]).toMatchObject({ job, value, at: null })
  })

  test('has a fault without a number', () => {
    for (const points of both({ kind: 'gauge', point: {} }))
      expect(points[0]).toMatchObject({ numbers: [], fault: 'the data point has no number' })
  })
})

const outcomeOf = (read: (body: Uint8Array) => unknown, body: Uint8Array) =>
  codeOf(() => read(body)) ?? 'taken'

describe(`${POINTS_MAX} data points`, () => {
  const ofJson = (count: number) =>
    new TextEncoder().encode(
      `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"sum":{"dataPoints":[${Array<string>(count).fill('{}').join()}]}}]}]}]}`,
    )
  const ofProtobuf = (count: number) => {
    let bytes = Uint8Array.from(Array<number[]>(count).fill([0x0a, 0]).flat())
    for (const field of [7, 2, 2, 1]) {
      const pbf = new PbfWriter()
      pbf.writeBytesField(field, bytes)
      bytes = Uint8Array.from(pbf.finish())
    }
    return bytes
  }

  test('are accepted, and one more is rejected', () => {
    expect(readOtlpJson(ofJson(POINTS_MAX))).toHaveLength(POINTS_MAX)
    expect(readOtlpProtobuf(ofProtobuf(POINTS_MAX))).toHaveLength(POINTS_MAX)
    expect(outcomeOf(readOtlpJson, ofJson(POINTS_MAX + 1))).toBe('too_large')
    expect(outcomeOf(readOtlpProtobuf, ofProtobuf(POINTS_MAX + 1))).toBe('too_large')
  })
})

test(`a request in JSON has at most ${PARTS_MAX} objects and lists`, () => {
  // The request itself and its one list are two.
  const json = (count: number) =>
    new TextEncoder().encode(
      `{"resourceMetrics":[${Array(count - 2)
        .fill('{}')
        .join()}]}`,
    )
  expect(readOtlpJson(json(PARTS_MAX))).toEqual([])
  expect(outcomeOf(readOtlpJson, json(PARTS_MAX + 1))).toBe('too_large')
})

describe('corrupted bytes are read or rejected, and cause no other error,', () => {
  const OUTCOMES = ['taken', 'bad_request']

  test('when a request in protobuf is truncated anywhere', () => {
    for (let end = 1; end < protobufBody.length; end++)
      expect(outcomeOf(readOtlpProtobuf, protobufBody.subarray(0, end))).toBe('bad_request')
  })

  test('when any byte of it is changed', () => {
    for (let at = 0; at < protobufBody.length; at++) {
      for (const flip of [1, 4, 0x80, 0xff]) {
        const other = protobufBody.slice()
        other[at] = (other[at] ?? 0) ^ flip
        expect(OUTCOMES).toContain(outcomeOf(readOtlpProtobuf, other))
      }
    }
  })

  test('when a request in JSON is truncated anywhere', () => {
    for (let end = 0; end < jsonBody.length; end++)
      expect(outcomeOf(readOtlpJson, jsonBody.subarray(0, end))).toBe('bad_request')
  })

  test('when the request is random JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (json) => {
        expect(OUTCOMES).toContain(outcomeOf(readOtlpJson, new TextEncoder().encode(json)))
      }),
    )
  })

  const metric = (json: string) => `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${json}]}]}]}`
  test.each<[string, string]>([
    ['a list', '[]'],
    ['a text', '"x"'],
    ['nothing', ''],
    ['as many brackets as there may be', '['.repeat(PARTS_MAX)],
    ['as many brackets that close', '['.repeat(PARTS_MAX) + ']'.repeat(PARTS_MAX)],
    ['resources that are no list', '{"resourceMetrics":{}}'],
    ['metrics that are no list', '{"resourceMetrics":[{"scopeMetrics":[{"metrics":1}]}]}'],
    ['a number as a name', metric('{"name":1}')],
    ['data points that are no list', metric('{"gauge":{"dataPoints":{}}}')],
  ])('when the request is %s', (_, json) => {
    expect(outcomeOf(readOtlpJson, new TextEncoder().encode(json))).toBe('bad_request')
  })

  test.each<[string, string]>([
    ['a text that is not a number', '{"asDouble":"1,5"}'],
    ['a number beyond the doubles of JSON', '{"asDouble":1e999}'],
    ['a fraction as an integer', '{"asInt":1.5}'],
    ['an integer of 65 bits', '{"asInt":"18446744073709551616"}'],
    ['a time that is not an integer', '{"timeUnixNano":"now","asInt":1}'],
    ['attributes that are no list', '{"attributes":{},"asInt":1}'],
    ['no object', '1'],
  ])('except for a single data point with %s, which has a fault and affects no other point', (_, point) => {
    const json = metric(`{"name":"m","gauge":{"dataPoints":[${point},{"asInt":2}]}}`)
    const [first, second] = readOtlpJson(new TextEncoder().encode(json))
    expect(first).toMatchObject({
      numbers: [],
      fault: expect.stringContaining('does not match the OTLP schema') as string,
    })
    expect(second).toMatchObject({ numbers: [{ suffix: '', number: 2 }], fault: null })
  })

  test('when the text is not UTF-8', () => {
    const bytes = new TextEncoder().encode(metric('{"name":"??"}'))
    expect(outcomeOf(readOtlpJson, bytes)).toBe('taken')
    expect(outcomeOf(readOtlpJson, bytes.with(bytes.indexOf(63), 0xc3))).toBe('bad_request')
  })

  test('when fields are null, which counts as absent', () => {
    const json =
      '{"resourceMetrics":[{"resource":null,"scopeMetrics":[{"metrics":[{"name":null,"sum":null}]}]}]}'
    expect(readOtlpJson(new TextEncoder().encode(json))).toEqual([])
    expect(readOtlpJson(new TextEncoder().encode('{}'))).toEqual([])
    expect(readOtlpProtobuf(new Uint8Array())).toEqual([])
  })
})

describe('an answer in protobuf', () => {
  test.each([
    [0, 'only a word'],
    [1, 'one'],
    [127, 'x'.repeat(127)],
    [128, 'x'.repeat(128)],
    [10_000, 'é'.repeat(20_000)],
  ])('about %d rejected points is read by another implementation', (rejected, message) => {
    const answer = { rejected: 0, message: '' }
    new PbfReader(partialSuccess(rejected, message)).readFields((outer, _, pbf) => {
      expect(outer).toBe(1)
      pbf.readMessage((field, into) => {
        if (field === 1) into.rejected = pbf.readVarint()
        if (field === 2) into.message = pbf.readString()
      }, answer)
    }, null)
    expect(answer).toEqual({ rejected, message })
  })

  test('is empty without rejected points', () => {
    expect(partialSuccess(0, '')).toHaveLength(0)
  })

  test('of a rejected request has its message', () => {
    const status = new PbfReader(statusMessage('no'))
    expect([status.nextField(), status.readString(), status.nextField()]).toEqual([2, 'no', 0])
  })
})
