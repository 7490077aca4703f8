import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { EventSource } from 'eventsource'
import type { EventSourceFetchInit } from 'eventsource'

import { connect, logIn, PASSWORD } from '../api/client.ts'
import type { Client } from '../api/client.ts'
import { createDevice, createGroup, createJob } from '../api/objects.ts'
import { good } from '../api/suite.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { Ear } from './ear.ts'

const START_MAX_MS = 180_000
const TEST_MAX_MS = 180_000
const STATES = 12
/** Of one user. */
const STREAMS_MAX = 100

describe.each(HOST_NAMES)('streams of events on %s', (name) => {
  let client: Client
  let group = 0
  let job = 0

  beforeAll(async () => {
    client = await connect(await startHost(name))
    group = await createGroup(client, 1, { name: 'streamed' })
    const device = await createDevice(client, group, { name: 'streamed' })
    job = await createJob(client, device, {
      name: 'streamed',
      parameters: { returnValue: [{ valueName: 'load' }] },
      thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 9 }] } },
    })
  }, START_MAX_MS)
  afterAll(() => client.host.close())

  const deliver = async (load: number) => {
    const json = { returnValue1: load, errorCode: 0 }
    await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
  }
  const open = async (path: string, sessionId: string) =>
    new Ear((await fetch(client.host.url + path, { headers: { 'x-session-id': sessionId } })).body)

  test(
    'an independent client gets all events once and in order, in any chunks and over any reconnects',
    async () => {
      const connections: (string | null)[] = []
      const source = new EventSource(`${client.host.url}/events?objectId=${job}&jobId=${job}`, {
        fetch: async (url, init) => {
          connections.push(new Headers(init.headers).get('last-event-id'))
          return piecesOf(
            await fetch(url, withSession(init, client)),
            connections.length === 1 ? 700 : Infinity,
          )
        },
      })
      const seqs: number[] = []
      const loads: number[] = []
      const gaps: unknown[] = []
      const { promise: isReady, resolve: ready } = Promise.withResolvers<void>()
      const { promise: hasAll, resolve: done } = Promise.withResolvers<void>()
      source.addEventListener('ready', () => ready())
      source.addEventListener('gap', ({ data }) => gaps.push(data))
      source.addEventListener('value', ({ data }) => {
        const { samples } = JSON.parse(String(data)) as { samples: { key: string; value: number }[] }
        loads.push(...samples.filter(({ key }) => key === 'returnValue1').map(({ value }) => value))
      })
      source.addEventListener('state', ({ data }) => {
        if (seqs.push((JSON.parse(String(data)) as { seq: number }).seq) === STATES) done()
      })
      await isReady
      for (let count = 0; count < STATES; count++) await deliver(count % 2 === 0 ? 100 + count : count % 10)
      await hasAll
      source.close()
      expect(connections.length).toBeGreaterThan(1)
      expect(connections[0]).toBeNull()
      expect(connections[1]).toMatch(/^\d+-\d+$/)
      expect(seqs).toEqual(Array.from({ length: STATES }, (_, index) => index + 1))
      expect(loads.slice(0, STATES)).toEqual([100, 1, 102, 3, 104, 5, 106, 7, 108, 9, 110, 1])
      expect(gaps).toEqual([])
    },
    TEST_MAX_MS,
  )

  test(
    'a HEAD request takes no seat',
    async () => {
      const headers = { 'x-session-id': client.sessionIds.collector }
      for (let count = 0; count < STREAMS_MAX + 10; count++) {
        const head = await fetch(`${client.host.url}/events`, { method: 'HEAD', headers })
        expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      }
    },
    TEST_MAX_MS,
  )

  // At the edge a connection that has gone is noticed with the beats that follow: `hub.test.ts` shows how.
  if (name === 'bun')
    test(
      'a client that leaves frees its seat',
      async () => {
        for (let count = 0; count < STREAMS_MAX + 10; count++) {
          const ear = await open('/events', client.sessionIds.collector)
          await ear.until(({ heard }) => heard.length === 1)
          await ear.leave()
        }
      },
      TEST_MAX_MS,
    )

  test(
    'an ended session ends its stream, a revoked right hides its objects, and other streams continue',
    async () => {
      const viewer = { username: 'dashboard_viewer', password: PASSWORD }
      const sessionId = await logIn(client, viewer)
      const [ends, narrows, stays] = await Promise.all([
        open('/events', sessionId),
        open(`/events?objectId=${group}&jobId=${job}`, client.sessionIds.dashboard_viewer),
        open('/events', client.sessionIds.administrator),
      ])
      await deliver(1)
      await deliver(99)
      await Promise.all([narrows, stays].map((ear) => ear.until(() => ear.of('state').length >= 3)))
      const headers = { 'x-session-id': sessionId }
      await good(client.request('POST', '/session/logout', { headers, json: { sessionId }, as: null }))
      await ends.ended()
      await good(client.request('DELETE', '/groups/1/permissions/everyone/0'))
      await narrows.until(() => narrows.of('gap').some(({ reason }) => reason === 'rights'))
      const before = narrows.heard.length
      await deliver(1)
      await stays.until(() => stays.of('state').length >= 6)
      expect(narrows.heard.length).toBe(before)
      expect(narrows.hasEnded).toBe(false)
      const back = client.request('PUT', '/groups/1/permissions/everyone/0', {
        json: { write: true, execute: true },
      })
      await good(back)
      await Promise.all([narrows.leave(), stays.leave()])
    },
    TEST_MAX_MS,
  )
})

function withSession({ headers, signal }: EventSourceFetchInit, client: Client): RequestInit {
  const own = { ...headers, 'x-session-id': client.sessionIds.administrator }
  return { headers: own, signal: signal as AbortSignal }
}

/** The same answer in pieces of 1 to 7 bytes, broken off after so many bytes. */
function piecesOf(response: Response, sizeMaxBytes: number): Response {
  let sizeBytes = 0
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (let from = 0, size = 1; from < chunk.length; from += size, size = (size % 7) + 1) {
        sizeBytes += size
        if (sizeBytes > sizeMaxBytes) return controller.terminate()
        controller.enqueue(chunk.slice(from, from + size))
      }
    },
  })
  return new Response(response.body?.pipeThrough(cut), response)
}
