import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { JobEngine } from '../../src/monitoring/engine/service.ts'
import { startBun } from '../hosts/bun.ts'
import type { Host } from '../hosts/host.ts'
import { engineOf } from '../hosts/engine-of.ts'
import { Session } from '../faults/session.ts'

const HOUR_MS = 3_600_000

let host: Host
let engine: JobEngine
let session: Session
beforeAll(async () => {
  host = await startBun(
    {},
    {
      fetch: (fetch, { jobActors }) => {
        engine = engineOf(jobActors)
        return fetch
      },
    },
  )
  session = await Session.open(host.url)
})
afterAll(() => host.close())

test('a repeated notification has the current names of the values', async () => {
  const named = (valueName: string, valueDivisor: number) => ({
    returnValue: [{ valueName, valueDivisor }],
  })
  const [id = 0] = await session.createJobs(host.url, 1, named('first', 10))
  const beginAt = Math.floor(Date.now() / HOUR_MS - 2) * HOUR_MS
  const [begin = '', end = ''] = [beginAt, beginAt + HOUR_MS].map((at) => new Date(at).toISOString())
  const timestamp = new Date(beginAt + 60_000).toISOString()
  await session.deliver(host.url, id, { returnValue1: 200, errorCode: 0, timestamp })
  await engine.flush()
  const query = new URLSearchParams({ timestamp_begin: begin, timestamp_end: end, scale: 'PT1H' })
  const ask = async (more = '') => {
    const path = `/jobs/${id}/value-history?${query.toString()}${more}`
    const { name, values, aggregate } = await session.get(host.url, path)
    return { name, values, aggregate }
  }
  const shown = (name: string, value: number) => ({
    name,
    values: [expect.objectContaining({ value, min: value, max: value, count: 1 })],
    aggregate: { min: value, max: value, avg: value, last: value, count: 1, sum: value },
  })
  expect(await ask()).toEqual(shown('first', 20))
  expect(await ask()).toEqual(shown('first', 20))
  expect(await ask('&values=false')).toEqual({ ...shown('first', 20), values: undefined })
  await session.put(host.url, `/jobs/${id}`, { name: 'job', parameters: named('second', 100) })
  expect(await ask()).toEqual(shown('second', 2))
})
