import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { HostProcess } from '../../hosts/process.ts'
import { startEdgeProcess } from '../edge-process.ts'
import { KEPT, Ledger } from '../ledger.ts'
import { until } from '../../until.ts'
import { Session } from '../session.ts'

const TIMEOUT_MS = 1_000
/** As `failing-values.ts` has it: the platform itself gives up after six. */
const FAILURES = 8
/** Longer than the platform waits before it repeats a failed alarm for the first time. */
const PAUSE_MS = 3_000

let failing: Awaited<ReturnType<typeof startEdgeProcess>>
let host: HostProcess
let session: Session
beforeAll(async () => {
  failing = await startEdgeProcess('fails-on-purpose')
  host = failing.host
  session = await Session.open(host.url)
})
afterAll(() => failing.end())

test('an object whose storage fails refuses all that shared the commit, as if it had never come', async () => {
  const [jobId = 0] = await session.createJobs(host.url, 1)
  const path = `/webcollector/jobs/${jobId}/values`
  const ledger = new Ledger()
  let sender = 0
  const deliver = async (message?: string) => {
    // One sender each: what is under way at the same time may arrive in any order.
    const value = ledger.send(jobId, ++sender)
    const answer = await session.ask(host.url, path, {
      returnValue1: value,
      errorCode: message ? 9 : 0,
      message,
    })
    if (answer.status === 200) ledger.acknowledge(jobId, value)
    return answer
  }
  expect(await deliver()).toMatchObject({ status: 200 })
  const before = await session.get(host.url, `/jobs/${jobId}?values=true`)
  expect(await deliver('the storage fails')).toMatchObject({ status: 503, retryAfter: '1' })
  expect(await session.get(host.url, `/jobs/${jobId}?values=true`)).toEqual(before)
  const together = await Promise.all([
    ...Array.from({ length: 20 }, () => deliver()),
    deliver('the storage fails'),
  ])
  expect(new Set(together.map(({ status }) => status)).difference(new Set([200, 503])).size).toBe(0)
  expect(await deliver()).toMatchObject({ status: 200 })
  const verdict = ledger.compare(await session.readHistories(host.url, [jobId]))
  expect(verdict).toMatchObject({ ...KEPT, unacknowledged: 0 })
}, 180_000)

test('an alarm that fails eight times comes again: the silence is noticed, dated at the deadline that had passed before', async () => {
  const [jobId = 0] = await session.createJobs(host.url, 1, { timeout: `PT${TIMEOUT_MS / 1000}S` })
  const answer = await session.deliver(host.url, jobId, { returnValue1: 1, errorCode: 0 })
  const { nextTimeoutAt } = (await answer.json()) as { nextTimeoutAt: string }
  // Only alarms bring the object back: no request reaches it meanwhile.
  await until(async () => (await failedAlarms()) >= FAILURES)
  // Another failure would follow as soon as the others did.
  await Bun.sleep(PAUSE_MS)
  const job = await session.get(host.url, `/jobs/${jobId}`)
  expect(await failedAlarms()).toBe(FAILURES)
  expect(job).toMatchObject({ errorCode: 5 })
  expect(Date.parse(String(job['stateSince']))).toBe(Date.parse(nextTimeoutAt))
  const codes = await session.readSamples(host.url, jobId, 'errorCode')
  expect(codes.map(({ value }) => value)).toEqual([0, 5])
}, 180_000)

/** How many alarms the Worker has logged as failed so far. */
async function failedAlarms(): Promise<number> {
  host.signal('SIGUSR2')
  await Bun.sleep(200)
  return new Set(host.logs.filter((line) => line.includes('waking the job failed'))).size
}
