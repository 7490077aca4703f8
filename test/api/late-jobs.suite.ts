import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { createDevice, createGroup, createJob } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Late = {
  readonly object: { readonly id: number; readonly name: string; readonly path: string }
  readonly usualInterval: string
  readonly lastReceivedAt: string
  readonly lateSince: string
  readonly nextTimeoutAt: string
}
type LateJobs = { readonly items: readonly Late[]; readonly nextCursor: string | null }

const ROOT = 1
const TIMEOUT_MS = 14_000
const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'late' })
  const device = await createDevice(client, group, { name: 'device' })
  return { group, device }
})

const WRONG: readonly (readonly [query: string, pointer: string])[] = [
  ['before=soon', '?before'],
  ['limit=0', '?limit'],
  ['limit=201', '?limit'],
  ['cursor=x', '?cursor'],
  ['cursor=WzEsMiwzXQ', '?cursor'],
  ['begin=2026-01-01T00:00:00Z', '?begin'],
]
const RIGHT = ['limit=1', 'limit=200', 'before=2026-01-01T00:00:00Z']

const rows: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: 'GET /group/{group}/late-jobs',
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'no such object', call: 'GET /group/999999/late-jobs', answers: 'not_found' },
  { title: 'another type', call: 'GET /job/{group}/late-jobs', answers: 'not_found' },
  ...WRONG.map(([query, pointer]): Row => ({
    title: 'wrong',
    call: `GET /group/{group}/late-jobs?${query}`,
    answers: 'invalid',
    pointers: [pointer],
  })),
  ...RIGHT.map((query): Row => ({
    title: 'right',
    call: `GET /groups/{group}/late-jobs?${query}`,
    answers: 200,
  })),
]

async function deliver(client: Client, job: number, json: object): Promise<void> {
  await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json: { errorCode: 0, ...json } }))
}

const answers: readonly Scenario[] = [
  {
    title: 'jobs are late halfway between their usual interval and their timeout, until they deliver',
    decidedAbovePorts: 'late jobs',
    async run(client) {
      const { group, device } = await stage(client)
      const parameters = {
        timeout: `PT${TIMEOUT_MS / 1_000}S`,
        returnValue: [{ valueName: 'load' }],
      }
      const fixed = await createJob(client, device, { name: 'fixed', interval: 'PT1S', parameters })
      const learned = await createJob(client, device, { name: 'learned', parameters })
      const unknown = await createJob(client, device, { name: 'unknown', parameters })
      const now = Date.now()
      for (const ms of [6_000, 4_000, 2_000]) {
        const timestamp = new Date(now - ms).toISOString()
        await deliver(client, learned, { returnValue1: 1, timestamp })
      }
      await deliver(client, fixed, { returnValue1: 1 })
      await deliver(client, unknown, {})
      const late = async () => good<LateJobs>(client.request('GET', `/group/${group}/late-jobs`))
      expect((await late()).items).toEqual([])
      let items: readonly Late[] = []
      while (items.length < 2 && Date.now() < now + TIMEOUT_MS) {
        await Bun.sleep(100)
        ;({ items } = await late())
      }
      // Both were heard within a moment, so that their deadlines can be the same.
      const longFirst = items.toSorted((a, b) => b.usualInterval.localeCompare(a.usualInterval))
      const named = ({ object, usualInterval }: Late) => [object.id, object.path, usualInterval]
      expect(longFirst.map(named)).toEqual([
        [learned, '/late/device/learned', 'PT2S'],
        [fixed, '/late/device/fixed', 'PT1S'],
      ])
      for (const [index, usualMs] of [2_000, 1_000].entries()) {
        const { lastReceivedAt = '', lateSince = '', nextTimeoutAt = '' } = longFirst[index] ?? {}
        const [received, since, due] = [lastReceivedAt, lateSince, nextTimeoutAt].map(Date.parse)
        expect(due).toBe(Number(received) + TIMEOUT_MS)
        expect(since).toBe(Number(received) + (usualMs + TIMEOUT_MS) / 2)
      }
      await deliver(client, learned, { returnValue1: 1 })
      expect((await late()).items.map(({ object }) => object.id)).not.toContain(learned)
    },
  },
]

export const lateJobsSuite: Suite = { name: 'late jobs', scenarios: [...table(stage, rows), ...answers] }
