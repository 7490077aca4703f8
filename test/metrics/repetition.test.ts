import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

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
