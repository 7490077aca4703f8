import { expect, test } from 'bun:test'

import type { Place, Span, TraceParent } from '../ports/traces.ts'
import { noteRoute, parentOf, withTraces } from './tracing.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const OWN = 'own'

function tracing() {
  const spans: (Span & Place)[] = []
  // It is set back by a second before each reading.
  let now = 2_000
  let steady = 0
  const traces = {
    place: (parent: TraceParent | null) =>
      parent?.isSampled === false ? null : { traceId: parent?.traceId ?? OWN, spanId: OWN, parent },
    record: (place: Place, span: Span) => void spans.push({ ...place, ...span }),
    flush: () => Promise.resolve(),
    figures: () => ({ sent: 0, dropped: 0 }),
  }
  return { spans, ports: { traces, clock: { now: () => (now -= 1_000), monotonic: () => (steady += 5) } } }
}

test('without traces requests are handled by the same function', () => {
  const handle = () => new Response()
  expect(withTraces(handle, { clock: { now: () => 0, monotonic: () => 0 }, traces: null })).toBe(handle)
})

test('a request has a span with its route and without its query and secrets, in the trace of its caller', async () => {
  const { spans, ports } = tracing()
  const handle = withTraces((request) => {
    noteRoute(request, '/webcollector/ping/:token')
    return new Response(null, { status: 503, headers: { 'x-request-id': 'r1' } })
  }, ports)
  const url = 'https://a.example/webcollector/ping/abcdefghijklmnopqrstuvw?password=secret'
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'vendor=1' }
  const response = await handle(new Request(url, { headers }))
  expect(response.status).toBe(503)
  expect(spans).toEqual([
    {
      name: 'GET /webcollector/ping/:token',
      kind: 'server',
      startedAt: 1_000,
      endedAt: 1_005,
      attributes: {
        'http.request.method': 'GET',
        'url.scheme': 'https',
        'url.path': '/webcollector/ping/…',
        'http.route': '/webcollector/ping/:token',
        'http.response.status_code': 503,
        'tidemark.request.id': 'r1',
      },
      failure: 'status 503',
      traceId: TRACE,
      spanId: OWN,
      parent: { traceId: TRACE, spanId: SPAN, isSampled: true, state: 'vendor=1' },
    },
  ])
})

test('a request whose caller does not record its trace has no span', async () => {
  const { spans, ports } = tracing()
  const handle = withTraces(() => new Response(), ports)
  await handle(new Request('http://a.example/', { headers: { traceparent: `00-${TRACE}-${SPAN}-00` } }))
  expect(spans).toEqual([])
})

test('a request of no route, with an unusual method, has a span without a route', async () => {
  const { spans, ports } = tracing()
  const handle = withTraces((request) => {
    noteRoute(request, '/*')
    return new Response(null, { status: 404 })
  }, ports)
  await handle(new Request('http://a.example/x', { method: 'PROPFIND' }))
  expect(spans[0]).toMatchObject({ name: '_OTHER', failure: null, parent: null })
  expect(Object.keys(spans[0]?.attributes ?? {})).not.toContain('http.route')
})

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  [`cc-${TRACE}-${SPAN}-01-what-follows`, true],
  [`00-${TRACE}-${SPAN}-01-more`, null],
  [`ff-${TRACE}-${SPAN}-01`, null],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
  [`00-${TRACE}-${SPAN}`, null],
  ['', null],
])('traceparent %s is read as W3C Trace Context has it', (traceparent, isSampled) => {
  const parent = parentOf(new Headers(traceparent === '' ? {} : { traceparent }))
  expect(parent?.isSampled ?? null).toBe(isSampled)
})

test.each([
  [512, 512],
  [513, 0],
])('a tracestate of %i characters has %i in the span', (length, kept) => {
  const headers = new Headers({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a'.repeat(length) })
  expect(parentOf(headers)?.state.length).toBe(kept)
})
