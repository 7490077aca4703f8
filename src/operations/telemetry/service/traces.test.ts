import { expect, test } from 'bun:test'

import type { Span, TraceParent } from '../../../ports/traces.ts'
import { BATCH_MAX, openTraces, WAITING_MAX } from './traces.ts'

const SETTINGS = { url: 'http://127.0.0.1:4318/v1/traces', headers: { authorization: 'Bearer x' }, ratio: 1 }
const SPAN: Span = {
  name: 'a',
  kind: 'internal',
  startedAt: 1,
  endedAt: 2,
  attributes: {},
  failure: null,
}
const TRACE = 'a'.repeat(32)
const caller = (isSampled: boolean) => ({ traceId: TRACE, spanId: 'b'.repeat(16), isSampled, state: '' })
type Sent = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly { readonly traceId: string; readonly spanId: string }[]
    }[]
  }[]
}

/** Traces with an endpoint that answers by `answer`. */
function traced(answer: () => Promise<Response>, ratio = 1) {
  const requests: {
    readonly spans: Sent['resourceSpans'][0]['scopeSpans'][0]['spans']
    readonly headers: Headers
  }[] = []
  const warnings: unknown[] = []
  const inBackground: Promise<unknown>[] = []
  const traces = openTraces(
    { ...SETTINGS, ratio },
    {
      clock: { now: () => 1_000, monotonic: () => 0 },
      inBackground: (work) => void inBackground.push(work),
      log: { info: () => {}, warn: (...args) => void warnings.push(args), error: () => {} },
      network: {
        addressOf: () => '',
        takesLong: () => {},
        fetchOutside: answer,
        fetch: async (request) => {
          const { resourceSpans } = (await request.json()) as Sent
          requests.push({ spans: resourceSpans[0]?.scopeSpans[0]?.spans ?? [], headers: request.headers })
          return answer()
        },
      },
      secrets: {
        key: new Uint8Array(32),
        formerKeys: [],
        hmac: () => '',
        random: (sizeBytes) => crypto.getRandomValues(new Uint8Array(sizeBytes)),
        scrypt: () => Promise.resolve(new Uint8Array()),
      },
    },
  )
  if (!traces) throw new TypeError('There are no traces.')
  const record = (parent: TraceParent | null = null) => {
    const place = traces.place(parent)
    if (place) traces.record(place, SPAN)
  }
  return { traces, record, requests, warnings, inBackground }
}

const taken = () => Promise.resolve(new Response('{}'))

test('without settings no traces are made', () => {
  expect(openTraces(null, {} as never)).toBeNull()
})

test('spans are sent together, with ids of their own, and the trace of a caller is continued', async () => {
  const { traces, record, requests, inBackground } = traced(taken)
  record()
  record()
  record(caller(true))
  expect(inBackground).toHaveLength(1)
  await traces.flush()
  const [{ spans, headers } = { spans: [], headers: new Headers() }, ...others] = requests
  expect(others).toEqual([])
  expect(headers.get('authorization')).toBe('Bearer x')
  expect(headers.get('content-type')).toBe('application/json')
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3)
  expect(spans[2]?.traceId).toBe(TRACE)
  expect(traces.figures()).toEqual({ sent: 3, dropped: 0 })
  await Promise.all(inBackground)
})

test('spans past the bound are dropped and counted, and the others are sent in several requests', async () => {
  const { traces, record, requests } = traced(taken)
  for (let index = 0; index < WAITING_MAX + 3; index++) record()
  expect(traces.figures().dropped).toBe(3)
  await traces.flush()
  expect(traces.figures()).toEqual({ sent: WAITING_MAX, dropped: 3 })
  expect(requests.length).toBe(8)
})

test.each([
  ['refuses', () => Promise.resolve(new Response('', { status: 500 }))],
  ['is away', () => Promise.reject(new Error('The connection was refused.'))],
] as const)('an endpoint that %s costs the spans of a request and one warning', async (_, answer) => {
  const { traces, record, warnings } = traced(answer)
  for (let index = 0; index < 3; index++) {
    record()
    await traces.flush()
  }
  expect(traces.figures()).toEqual({ sent: 0, dropped: 3 })
  expect(warnings).toHaveLength(1)
})

test('spans behind a request that fails are sent without a further span', async () => {
  let failures = 1
  const answer = () => Promise.resolve(new Response('{}', { status: failures-- > 0 ? 500 : 200 }))
  const { traces, record, inBackground } = traced(answer)
  for (let index = 0; index < BATCH_MAX + 3; index++) record()
  // Each send adds the next one to the list.
  for (const work of inBackground) await work
  expect(traces.figures()).toEqual({ sent: 3, dropped: BATCH_MAX })
})

test('the ratio decides where no caller does', async () => {
  const none = traced(taken, 0)
  const half = traced(taken, 0.5)
  for (let index = 0; index < 1_000; index++) {
    none.record()
    half.record()
  }
  none.record(caller(true))
  await Promise.all([none.traces.flush(), half.traces.flush()])
  expect(none.traces.figures().sent).toBe(1)
  expect(half.traces.figures().sent).toBeWithin(350, 650)

  const all = traced(taken)
  all.record(caller(false))
  await all.traces.flush()
  expect(all.traces.figures().sent).toBe(0)
})
