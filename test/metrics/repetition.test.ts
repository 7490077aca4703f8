import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { reserveBytes, RESERVED_BYTES_MAX, SMALL_BYTES_MAX } from '../../src/http/body-budget.ts'
import { gaugeRequest, snappyOf, writeRequest } from '../api/metrics-bodies.ts'
import { ADMIN } from '../hosts/host.ts'
import { answering, AWAY, makeJob, openStage } from './stage.ts'
import type { Stage } from './stage.ts'

let stage: Stage
let jobId = 0
beforeAll(async () => {
  stage = await openStage(answering((parcels) => parcels.map(() => AWAY)))
  jobId = await makeJob(stage, ['temp'])
})
afterAll(() => stage.host.close())

const post = (path: string, headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
  fetch(stage.host.url + path, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}`, ...headers },
    body,
  })

/** More than what counts as small. */
const LARGE = 2 * SMALL_BYTES_MAX

describe('while larger bodies take all the room there is for them, larger ones of metrics are refused at once:', () => {
  const write = (sizeBytes: number) => {
    const labels = { __name__: 'x'.repeat(sizeBytes), tidemark_job: String(jobId) }
    const body = snappyOf(writeRequest([{ labels, samples: [[Number.NaN, Date.now()]] }]))
    return post(
      '/api/v1/write',
      { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
      body,
    )
  }
  const otlp = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    post('/otlp/v1/metrics', { 'content-type': 'application/json', ...headers }, body)
  const gzip = { 'content-encoding': 'gzip' }
  const zipped = new Uint8Array(Bun.gzipSync('{}'.padEnd(LARGE)))

  test.each([
    ['a write', () => write(LARGE), () => write(10), 204],
    ['an export', () => otlp('{}'.padEnd(LARGE)), () => otlp('{}'), 200],
    ['an export that gets large', () => otlp(zipped, gzip), () => otlp('{}'), 200],
  ] as const)('%s', async (_, large, small, good) => {
    const release = reserveBytes(RESERVED_BYTES_MAX)
    const refused = await large()
    const taken = await small()
    release()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(taken.status).toBe(good)
    expect((await large()).status).toBe(good)
    // Everything was given back.
    reserveBytes(RESERVED_BYTES_MAX)()
  })
})

describe('what is refused for no fault of the sender may be sent again, and the answer says when:', () => {
  test('remote write', async () => {
    const labels = { __name__: 'temp', tidemark_job: String(jobId) }
    const body = snappyOf(writeRequest([{ labels, samples: [[1, Date.now()]] }]))
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    const answer = await post('/api/v1/write', headers, body)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ code: 'unavailable' })
  })

  test('OTLP', async () => {
    const body = JSON.stringify(gaugeRequest(jobId, 'temp', { asDouble: 1 }))
    const answer = await post('/otlp/v1/metrics', { 'content-type': 'application/json' }, body)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toEqual({ message: AWAY.detail })
  })
})
