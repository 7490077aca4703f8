import { Session } from '../faults/session.ts'
import { startCountingEdge } from '../hosts/request-counts.ts'
import { cpuMsOfWorkerd, tableOf } from './measure.ts'
import { dollarsOf, sumOf } from './prices.ts'

/** What the operations of the edge cost, counted in workerd with clock and alarms moved by hand, at the public prices of
 * Workers Paid. CPU is that of the whole process of workerd, with the counting and the clock moved by hand; it is not in the
 * dollars, and neither is duration: the platform measures both in its own way. */

const MINUTE_MS = 60_000
const CRON = '*/5 * * * *'
const MINUTELY = '* * * * *'

const edge = await startCountingEdge()
const session = await Session.open(edge.host.url)
const { url } = edge.host
const rows: Record<string, string | number>[] = []

/** Counts an operation that happens so many times. */
async function count(operation: string, times: number, run: () => Promise<unknown>): Promise<void> {
  await edge.counts()
  const cpuBeforeMs = await cpuMsOfWorkerd()
  for (let time = 0; time < times; time++) await run()
  const cpuSpentMs = (await cpuMsOfWorkerd()) - cpuBeforeMs
  const counts = await edge.counts()
  const each = (value: number) => Math.round((1_000 * value) / times) / 1_000
  const { JOB, FLOW, EVENTS, DISPATCH } = counts.objectRequests
  rows.push({
    operation,
    Worker: each(counts.workerRequests),
    'job objects': each(JOB),
    'other objects': each(FLOW + EVENTS + DISPATCH),
    alarms: each(sumOf(counts.alarms)),
    'D1 calls': each(counts.d1Calls),
    'D1 read': each(counts.d1RowsRead),
    'D1 written': each(counts.d1RowsWritten),
    'objects read': each(counts.objectRowsRead),
    'objects written': each(counts.objectRowsWritten),
    setAlarm: each(sumOf(counts.setAlarms)),
    '$ per million': each(dollarsOf(counts)).toFixed(2),
    'CPU ms': each(cpuSpentMs).toFixed(2),
  })
}

const deliver = (jobId: number, body: Record<string, unknown> = {}) =>
  session.deliver(url, jobId, { returnValue1: 1, errorCode: 0, ...body })
const pause = (ms: number) => edge.passMs(ms)

let jobCount = 0

/** Jobs that have had a value; the hand lets hours pass, in which those that are only counted later are not silent. */
async function createJobs(jobs: number, timeout: string): Promise<readonly number[]> {
  const ids = await session.createJobs(url, jobs, { timeout })
  jobCount += jobs
  for (const jobId of ids) await deliver(jobId)
  return ids
}

await count('floor: the Worker answers', 200, () => fetch(`${url}/healthz`).then((answer) => answer.text()))
const [often = 0] = await createJobs(1, 'PT5M')
await count('a delivery each second, flushes included', 768, async () => {
  await pause(1_000)
  await deliver(often)
})
const [seldom = 0] = await createJobs(1, 'PT5M')
await edge.cool()
await count('a delivery each minute to an object that is cold, flushes included', 256, async () => {
  await pause(MINUTE_MS)
  await edge.cool()
  await deliver(seldom)
})
await count('64 deliveries at once to one job', 20, async () => {
  await pause(1_000)
  await Promise.all(Array.from({ length: 64 }, () => deliver(often)))
})
let keys = 0
await count('a delivery with an Idempotency-Key', 256, async () => {
  await pause(1_000)
  const headers = { 'idempotency-key': `key-${++keys}` }
  await session.deliver(url, often, { returnValue1: 1, errorCode: 0 }, headers)
})
const many = await createJobs(100, 'PT12H')
await count('a bulk of 100 jobs', 3, () =>
  session.send(url, '/webcollector/values', {
    deliveries: many.map((jobId) => ({ jobId, returnValue1: 1, errorCode: 0 })),
  }),
)
await count('a series of 100 samples of one job', 10, async () => {
  await pause(1_000)
  const now = edge.now()
  const timestamps = Array.from({ length: 100 }, (_, index) => now - 100 + index)
  await session.send(url, '/webcollector/values', {
    series: [{ jobId: often, key: 'returnValue1', timestamps, values: timestamps.map(() => 1) }],
  })
})
await count('value-history of a day', 10, () =>
  session.get(url, `/jobs/${often}/value-history?key=returnValue1`),
)
const monthAgo = encodeURIComponent(new Date(edge.now() - 30 * 1_440 * MINUTE_MS).toISOString())
await count('value-history of 30 days by hour', 10, () =>
  session.get(url, `/jobs/${often}/value-history?key=returnValue1&scale=PT1H&begin=${monthAgo}`),
)
const shown = many.slice(0, 20)
await count('a dashboard of 20 jobs in one call', 5, () =>
  session.get(
    url,
    `/value-history?${shown.map((id) => `jobId=${id}`).join('&')}&key=returnValue1&scale=PT1H`,
  ),
)
await count('a dashboard of 20 jobs in 20 calls', 5, async () => {
  for (const id of shown) await session.get(url, `/jobs/${id}/value-history?key=returnValue1&scale=PT1H`)
})
await count('a new job', 10, async () => {
  await session.createJobs(url, 1, { timeout: 'PT12H' })
  jobCount++
})
const [ailing = 0] = await createJobs(1, 'PT12H')
await count('a breach that opens an alarm, and its end', 10, async () => {
  await pause(1_000)
  await deliver(ailing, { errorCode: 1 })
  await pause(1_000)
  await deliver(ailing)
})
const [silent = 0] = await createJobs(1, 'PT5M')
await count('a timeout that is noticed, and its end', 5, async () => {
  await pause(6 * MINUTE_MS)
  await deliver(silent)
})
await pause(6 * MINUTE_MS)
await pause(1_440 * MINUTE_MS)
await count(`cron every five minutes, ${jobCount} jobs, all silent and cold`, 24, async () => {
  await edge.cool()
  await edge.passMs(5 * MINUTE_MS, CRON)
})
await count('cron every minute, no refresh is due', 60, () => edge.passMs(MINUTE_MS, MINUTELY))
await count(`a day of ${jobCount} silent jobs, without cron`, 1, () => pause(1_440 * MINUTE_MS))
process.stdout.write(`${tableOf(rows)}\n`)
await edge.close()
