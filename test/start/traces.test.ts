import { afterAll, expect, test } from 'bun:test'

import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { Receiver } from '../notifications/receiver.ts'
import { readUntil } from '../until.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const DELIVER = 'POST /webcollector/jobs/:id/values'

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, string | number | boolean>> }
type Span = {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
}
type Body = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
  }[]
}

const receiver = new Receiver()
afterAll(() => receiver.close())

/** The spans so far, from all requests to the endpoint of traces. */
function spansSoFar(): readonly Span[] {
  return receiver.got
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ json }) => (json as unknown as Body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

const valuesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

test.each([...HOST_NAMES])(
  'spans of requests, commits, notifications and runs of %s are sent, in the traces of callers',
  async (name) => {
    receiver.take()
    const host = await startHost(name, {
      TIDEMARK_TRACES_URL: `${receiver.url}/v1/traces`,
      TIDEMARK_TRACES_HEADERS: 'authorization=Bearer%20of-the-collector',
      TIDEMARK_OUTBOUND_ALLOW: 'localhost',
      TIDEMARK_FIRST_OBJECTS: 'on',
    })
    try {
      const { request } = await connectAdministrator(host)
      const post = (path: string, json: object, headers: Record<string, string> = {}) =>
        good<{ id: number }>(request('POST', path, { json, headers }))
      const recipient = await post('/alarmrecipients', {
        name: 'hook',
        type: 'webhook',
        target: { url: `${receiver.url}/hook` },
      })
      const links = [{ recipientId: recipient.id, minState: 'warning' }]
      await good(request('PUT', '/job/3/alarmLinks', { json: { links } }))
      const { path } = await good<{ path: string }>(
        request('POST', '/jobs/3/pings', { json: { name: 'cron' } }),
      )
      await (await fetch(`${host.url}${path}?returnValue1=1`)).text()
      const unsampled = 'f'.repeat(32)
      const values = '/webcollector/jobs/3/values'
      await post(values, { errorCode: 0 }, { traceparent: `00-${unsampled}-${SPAN}-00` })
      await post(values, { errorCode: 3 }, { traceparent: `00-${TRACE}-${SPAN}-01` })
      const script = await post('/scripts', { name: 'traced' })
      await good(request('PUT', `/scripts/${script.id}/files/main.py`, { text: 'pass\n' }))
      const run = await good<{ id: string }>(request('POST', `/scripts/${script.id}/run`, { json: {} }))
      await good(request('POST', `/scripts/${script.id}/jobs/${run.id}/cancel`))

      const wanted = [DELIVER, 'commit values', 'notify webhook', 'run script']
      const spans = await readUntil(spansSoFar, (all) =>
        wanted.every((one) => all.some((span) => span.name === one)),
      )
      const [delivery, ...others] = spans.filter((span) => span.name === DELIVER)
      // The caller of the other delivery does not record its trace.
      expect(others).toEqual([])
      expect(delivery).toMatchObject({ traceId: TRACE, parentSpanId: SPAN })
      expect(valuesOf(delivery as Span)).toMatchObject({
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'url.path': '/webcollector/jobs/3/values',
      })
      expect(spans.map(({ traceId }) => traceId)).not.toContain(unsampled)
      const ended = spans.find((span) => span.name === 'run script') as Span
      expect(valuesOf(ended)).toMatchObject({
        'tidemark.run.id': run.id,
        'tidemark.script.id': script.id,
        'tidemark.run.state': 'cancelled',
      })
      expect(valuesOf(spans.find((span) => span.name === 'notify webhook') as Span)).toMatchObject({
        'tidemark.recipient.id': recipient.id,
        'tidemark.notification.attempt': 1,
      })
      for (const { startTimeUnixNano, endTimeUnixNano } of spans)
        expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true)

      const sent = receiver.got.filter((got) => got.path === '/v1/traces')
      expect(new Set(sent.map(({ headers }) => headers.get('authorization')))).toEqual(
        new Set(['Bearer of-the-collector']),
      )
      expect(sent.map(({ text }) => text).join('\n')).not.toContain(path.split('/').at(-1))
      expect(spans.map((span) => span.name)).toContain('POST /jobs/:id/pings')
      await readUntil(
        async () => (await request('GET', '/metrics')).text,
        (text) => /^tidemark_trace_spans_total\{outcome="sent"\} [1-9]/m.test(text),
      )
    } finally {
      await host.close()
    }
  },
  180_000,
)
