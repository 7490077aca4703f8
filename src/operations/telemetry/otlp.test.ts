import { expect, test } from 'bun:test'

import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'

import type { Place, Span } from '../../ports/traces.ts'
import { otlpOf } from './otlp.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const AT = 1_780_000_000_123
const RESOURCE = { 'service.name': 'tidemark', 'service.version': '1.2.3' }
const SPAN: Span = {
  name: 'GET /jobs/:id',
  kind: 'server',
  startedAt: AT,
  endedAt: AT + 4_877,
  attributes: { text: 'a', number: 7, share: 0.5, isIt: true },
  failure: null,
}
const PARENT = { traceId: TRACE, spanId: '00f067aa0ba902b7', isSampled: true, state: 'vendor=1' }
const KINDS = { internal: 0, server: 1, client: 2 }
type Serialized = Parameters<typeof JsonTraceSerializer.serializeRequest>[0]

/** The same span as the library of OpenTelemetry writes it. */
function officialOf(span: Span, { spanId, parent }: Place): unknown {
  const [seconds, nanoseconds] = [(at: number) => Math.floor(at / 1000), (at: number) => (at % 1000) * 1e6]
  const context = (state: string) => ({
    traceId: TRACE,
    traceFlags: 1,
    ...(state === '' ? {} : { traceState: { serialize: () => state } }),
  })
  const { name, kind, startedAt, endedAt, attributes, failure } = span
  const readable = {
    name,
    kind: KINDS[kind],
    spanContext: () => ({ ...context(parent?.state ?? ''), spanId }),
    parentSpanContext: parent && { ...context(''), spanId: parent.spanId, isRemote: true },
    startTime: [seconds(startedAt), nanoseconds(startedAt)],
    endTime: [seconds(endedAt), nanoseconds(endedAt)],
    attributes,
    status: failure === null ? { code: 0 } : { code: 2, message: failure },
    links: [],
    events: [],
    resource: resourceFromAttributes(RESOURCE),
    instrumentationScope: { name: 'tidemark' },
  }
  const bytes = JsonTraceSerializer.serializeRequest([readable] as unknown as Serialized)
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** Without empty lists and numbers of dropped parts that are 0. */
function withoutEmpty(value: unknown): unknown {
  const isEmpty = (key: string, part: unknown) =>
    (Array.isArray(part) && part.length === 0) || (key.startsWith('dropped') && part === 0)
  return JSON.parse(JSON.stringify(value, (key, part: unknown) => (isEmpty(key, part) ? undefined : part)))
}

test.each<[string, Partial<Span>, Place['parent']]>([
  ['of a caller', {}, PARENT],
  ['without a caller', { kind: 'internal' }, null],
  ['that failed', { failure: 'status 500', kind: 'client' }, PARENT],
])('a span %s is written as the library of OpenTelemetry writes it', (_, change, parent) => {
  const span = { ...SPAN, ...change }
  const place = { traceId: TRACE, spanId: '1111111111111111', parent }
  const ours = otlpOf([{ place, span }], RESOURCE)
  expect(withoutEmpty(ours)).toEqual(withoutEmpty(officialOf(span, place)) as object)
})
