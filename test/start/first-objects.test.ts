import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { createFirstJob } from '../../src/monitoring/jobs/service/first-job.ts'
import { startServer } from '../../workers/bun/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { FAST_DIR } from '../hosts/fast-dir.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'

const FIRST = { TIDEMARK_FIRST_OBJECTS: 'on' }

test.each([...HOST_NAMES])(
  'the first start of %s makes a device with a job, which takes a value',
  async (name) => {
    const host = await startHost(name, FIRST)
    try {
      const { request } = await connectAdministrator(host)
      const job = await good<{ name: string; deviceId: number }>(request('GET', '/jobs/3'))
      expect(job.name).toBe('My first webhook job')
      expect(await good(request('GET', `/devices/${job.deviceId}`))).toMatchObject({
        name: 'My first device',
      })
      const json = { returnValue1: 21.5, errorCode: 0 }
      const delivered = await good(request('POST', '/webcollector/jobs/3/values', { json }))
      expect(delivered).toMatchObject({ accepted: 1, state: 'ok' })
      expect((await request('GET', '/jobs/5')).status).toBe(404)
    } finally {
      await host.close()
    }
  },
  180_000,
)

test.each([...HOST_NAMES])(
  'the first start of %s makes nothing where it is told not to',
  async (name) => {
    const host = await startHost(name)
    try {
      const { request } = await connectAdministrator(host)
      expect((await request('GET', '/devices/2')).status).toBe(404)
    } finally {
      await host.close()
    }
  },
  180_000,
)

test('of several that start at once, one makes the first objects', async () => {
  const dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-first-'))
  const variables = { TIDEMARK_DATA_DIR: dataDir, TIDEMARK_PORT: '0', TIDEMARK_FIRST_OBJECTS: 'off' }
  const server = await startServer(readServerSettings(variables), { log: jsonLog(() => undefined) })
  try {
    const made = await Promise.all([1, 2, 3].map(() => createFirstJob(server.ports)))
    expect(made.filter((id) => id !== null)).toEqual([3])
  } finally {
    await server.close()
    await rm(dataDir, { recursive: true })
  }
})
