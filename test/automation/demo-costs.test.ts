import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { Session } from '../faults/session.ts'
import type { Counts } from '../hosts/counts.ts'
import { startCountingEdge } from '../hosts/request-counts.ts'

setDefaultTimeout(180_000)
const CRON = '*/5 * * * *'
const CRON_MS = 300_000
/** The most subrequests of one invocation of a Worker on a paid plan: queries of D1, and calls of objects. */
const SUBREQUESTS_MAX = 1_000
/** Turns of 15 steps. */
const TURNS = 6

let edge: Awaited<ReturnType<typeof startCountingEdge>>
let session: Session
beforeAll(async () => {
  edge = await startCountingEdge()
  session = await Session.open(edge.host.url)
})
afterAll(() => edge.close())

/** Calls of a turn with those of the objects that it calls. */
function callsOf({ d1Calls, objectRequests }: Counts): number {
  return Object.values(objectRequests).reduce((sum, count) => sum + count, d1Calls)
}

test('the cron trigger makes the plant in turns that fit one invocation, then delivers with one call of each job', async () => {
  await session.send(edge.host.url, '/demo', { seed: 'wadden' })
  const calls: number[] = []
  while (calls.length < TURNS) {
    await edge.passMs(CRON_MS, CRON)
    calls.push(callsOf(await edge.counts()))
  }
  expect(await session.get(edge.host.url, '/demo')).toMatchObject({ state: 'running', progress: 1 })
  expect(Math.max(...calls)).toBeLessThan(SUBREQUESTS_MAX)
  await edge.passMs(CRON_MS, CRON)
  await edge.counts()
  await edge.passMs(CRON_MS, CRON)
  // The jobs that are not silent, and the five that each cron trigger looks after.
  expect((await edge.counts()).objectRequests.JOB).toBeLessThanOrEqual(20 + 5)
})
