import { afterAll, beforeAll, expect, test } from 'bun:test'

import { applyChanges } from '../../src/monitoring/job-config/service.ts'
import { connectAdministrator } from '../api/client.ts'
import type { Request } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { startBun } from '../hosts/bun.ts'
import type { Host } from '../hosts/host.ts'
import type { Ports } from '../../src/ports/index.ts'

const TEST_MAX_MS = 180_000

let host: Host
let ports: Ports
let hasRoom = true
beforeAll(async () => {
  host = await startBun(
    {},
    {
      values: (values) => ({
        ...values,
        commit: async (statements) => {
          if (!hasRoom) throw new Error('The disk has no room.')
          await values.commit(statements)
        },
      }),
      fetch: (fetch, opened) => {
        ports = opened
        return fetch
      },
    },
  )
}, TEST_MAX_MS)
afterAll(() => host.close())

type Bulk = {
  readonly results: readonly { readonly status: number }[]
  readonly rounds: readonly { readonly refused: readonly object[] }[]
}

test(
  'a job whose first configuration is not stored answers 503 to deliveries, and an unknown one 404',
  async () => {
    const { request } = await connectAdministrator(host)
    const make = (path: string, json: object) => good<{ id: number }>(request('POST', path, { json }))
    const group = await make('/groups?parentId=1', { name: 'unready' })
    const device = await make(`/devices?parentId=${group.id}`, { name: 'unready' })
    const parameters = { returnValue: [{ valueName: 'value' }] }
    hasRoom = false
    const job = await make(`/jobs?parentId=${device.id}`, { name: 'unready', parameters })
    hasRoom = true

    const deliver = (id: number, sent: Request = { json: { returnValue1: 1 } }) =>
      request('POST', `/webcollector/jobs/${id}/values`, sent)
    const unknown = job.id + 1
    const refused = await deliver(job.id)
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await deliver(job.id, { json: { returnValue: [1] } })).status).toBe(503)
    const once = { json: { returnValue1: 1 }, headers: { 'idempotency-key': 'unready-1' } }
    expect((await deliver(job.id, once)).status).toBe(503)
    expect((await deliver(unknown)).status).toBe(404)
    expect((await deliver(unknown, once)).status).toBe(404)

    const values = [job.id, unknown].map((jobId) => ({ jobId, returnValue1: 1 }))
    const bulk = (json: object) => good<Bulk>(request('POST', '/webcollector/values', { json }))
    const { results } = await bulk({ deliveries: values })
    expect(results.map(({ status }) => status)).toEqual([503, 404])
    const rounds = [{ key: 'returnValue1', jobIds: [job.id, unknown], values: [1, 2] }]
    expect((await bulk({ rounds })).rounds[0]?.refused).toEqual([
      { index: 0, code: 'unavailable' },
      { index: 1, code: 'not_found' },
    ])

    await applyChanges(ports)
    expect((await deliver(job.id)).status).toBe(200)
    expect((await deliver(job.id, once)).status).toBe(200)
  },
  TEST_MAX_MS,
)
