import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { createDevice, createGroup, createJob } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const stage = once(async (client: Client) => {
  const group = await createGroup(client, 1, { name: 'flapping' })
  const device = await createDevice(client, group, { name: 'unsteady' })
  return { device }
})

const JOB = {
  name: 'unsteady',
  parameters: { returnValue: [{ valueName: 'load' }] },
  thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
}

const refused = (flapping: unknown, ...pointers: string[]): Row => ({
  title: `flapping ${JSON.stringify(flapping)}`,
  call: 'POST /jobs?parentType=device&parentId={device}',
  json: { ...JOB, flapping },
  answers: 'invalid',
  pointers: pointers.map((pointer) => `/flapping${pointer}`),
})

const refusals: readonly Row[] = [
  refused(true, ''),
  refused({ startPercent: 100.1 }, '/startPercent'),
  refused({ startPercent: 50, endPercent: -0.1 }, '/endPercent'),
  refused({ startPercent: 50, endPercent: 50.1 }, '/endPercent'),
  refused({ startPercent: 24.9 }, '/endPercent'),
  refused({ window: 20 }, '/window'),
]

const jobOf = (client: Client, job: number) =>
  good<Body>(client.request('GET', `/jobs/${job}?thresholds=true`))
const put = (client: Client, job: number, json: Body) =>
  good<Body>(client.request('PUT', `/jobs/${job}`, { json }))

async function deliver(client: Client, job: number, ...loads: number[]): Promise<void> {
  for (const load of loads) {
    const json = { returnValue1: load, errorCode: 0 }
    await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
  }
}

const scenarios: readonly Scenario[] = [
  {
    title: 'a job flaps after six changes in six results, until fifteen were alike; a stopped job does not',
    decidedAbovePorts: 'limits',
    async run(client) {
      const { device } = await stage(client)
      const job = await createJob(client, device, { ...JOB, flapping: {} })
      const isFlapping = async () => (await jobOf(client, job))['isFlapping']
      const read = await jobOf(client, job)
      expect(read).toMatchObject({ flapping: { startPercent: 30, endPercent: 25 }, isFlapping: false })
      await deliver(client, job, 95, 1, 95, 1, 95)
      expect(await isFlapping()).toBe(false)
      await deliver(client, job, 1)
      expect(await isFlapping()).toBe(true)
      await deliver(client, job, ...Array<number>(14).fill(2))
      expect(await isFlapping()).toBe(true)
      await deliver(client, job, 2)
      expect(await isFlapping()).toBe(false)
      await deliver(client, job, 95, 1, 95, 1, 95, 1)
      expect(await put(client, job, read)).toMatchObject({ isFlapping: true, flapping: read['flapping'] })
      await put(client, job, { ...read, stopped: true })
      expect(await put(client, job, { ...read, stopped: false })).toMatchObject({ isFlapping: false })
      await deliver(client, job, 95, 1, 95, 1, 95, 1)
      expect(await isFlapping()).toBe(true)
      expect(await put(client, job, { ...read, flapping: null })).toMatchObject({
        flapping: null,
        isFlapping: false,
      })
    },
  },
  {
    title: 'a job without flap detection never flaps, nor one without limits; a copy has the same detection',
    decidedAbovePorts: 'limits',
    async run(client) {
      const { device } = await stage(client)
      const plain = await createJob(client, device, JOB)
      const calm = await createJob(client, device, { ...JOB, flapping: { startPercent: 100, endPercent: 0 } })
      for (const job of [plain, calm]) {
        await deliver(client, job, 95, 1, 95, 1, 95, 1, 95, 1)
        expect((await jobOf(client, job))['isFlapping']).toBe(false)
      }
      const copy = await good<{ id: number }>(
        client.request('POST', `/devices/${device}/copy?destinationName=copy&destinationType=none`),
      )
      const { items } = await good<{ items: { id: number }[] }>(
        client.request('GET', `/devices/${copy.id}/children`),
      )
      const copies = await Promise.all(items.map(({ id }) => jobOf(client, id)))
      expect(copies.map(({ flapping }) => flapping)).toContainEqual({ startPercent: 100, endPercent: 0 })
      expect(copies.map(({ flapping }) => flapping)).toContainEqual(null)
    },
  },
]

export const flappingSuite: Suite = { name: 'flapping', scenarios: [...table(stage, refusals), ...scenarios] }
