import { Session } from '../faults/session.ts'
import { startCountingEdge } from '../hosts/counting.ts'
import type { Counts } from '../hosts/counts.ts'
import { tableOf } from './measure.ts'

/** What the operations of the edge cost, counted in workerd with clock and alarms moved by hand, at the public prices of
 * Workers Paid. CPU and duration are not in the dollars: neither can be measured here as the platform measures it. */

const MINUTE_MS = 60_000
const CRON = '*/5 * * * *'
/** Dollars for a million. */
const PRICES = { workerRequest: 0.3, objectRequest: 0.15, rowRead: 0.001, rowWritten: 1 }

const edge = await startCountingEdge()
const session = await Session.open(edge.host.url)
const { url } = edge.host
const rows: Record<string, string | number>[] = []

function dollarsOf(counts: Counts): number {
  const objects = Object.values(counts.objectRequests).reduce((sum, one) => sum + one, 0)
  const alarms = counts.alarms.JOB + counts.alarms.FLOW
  const setAlarms = Object.values(counts.setAlarms).reduce((sum, one) => sum + one, 0)
  const read = counts.objectRowsRead + counts.d1RowsRead
  const written = counts.objectRowsWritten + counts.d1RowsWritten + setAlarms
  return (
    counts.workerRequests * PRICES.workerRequest +
    (objects + alarms) * PRICES.objectRequest +
    read * PRICES.rowRead +
    written * PRICES.rowWritten
  )
}

/** Counts an operation that happens so many times. */
async function count(operation: string, times: number, run: () => Promise<unknown>): Promise<void> {
  await edge.counts()
  for (let time = 0; time < times; time++) await run()
  const counts = await edge.counts()
  const each = (value: number) => Math.round((1_000 * value) / times) / 1_000
  const { JOB, FLOW, EVENTS, DISPATCH } = counts.objectRequests
  rows.push({
    operation,
    Worker: each(counts.workerRequests),
    'job objects': each(JOB),
    'other objects': each(FLOW + EVENTS + DISPATCH),
    alarms: each(counts.alarms.JOB + counts.alarms.FLOW),
    'D1 calls': each(counts.d1Calls),
    'D1 read': each(counts.d1RowsRead),
    'D1 written': each(counts.d1RowsWritten),
    'objects read': each(counts.objectRowsRead),
    'objects written': each(counts.objectRowsWritten),
    setAlarm: each(Object.values(counts.setAlarms).reduce((sum, one) => sum + one, 0)),
    '$ per million': each(dollarsOf(counts)).toFixed(2),
  })
}

const deliver = (jobId: number, body: Record<string, unknown> = {}) =>
  session.deliver(url, jobId, { returnValue1: 1, errorCode: 0, ...body })
const pause = (ms: number) => edge.passMs(ms)

/** Jobs that have had a value; the hand lets hours pass, in which those that are only counted later are not silent. */
async function createJobs(jobs: number, timeout: string): Promise<readonly number[]> {
  const ids = await session.createJobs(url, jobs, { timeout })
  for (const jobId of ids) await deliver(jobId)
  return ids
}

const [often = 0] = await createJobs(1, 'PT5M')
await count('a delivery each second, folds included', 768, async () => {
  await pause(1_000)
  await deliver(often)
})
const [seldom = 0] = await createJobs(1, 'PT5M')
await edge.cool()
await count('a delivery each minute to an object that is cold, folds included', 256, async () => {
  await pause(MINUTE_MS)
  await edge.cool()
  await deliver(seldom)
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
const [ailing = 0] = await createJobs(1, 'PT12H')
await count('a breach that opens an alarm, and its end', 10, async () => {
  await pause(1_000)
  await deliver(ailing, { errorCode: 1 })
  await pause(1_000)
  await deliver(ailing)
})
await pause(6 * MINUTE_MS)
await pause(1_440 * MINUTE_MS)
await count('cron every five minutes, 104 jobs, all silent and cold', 24, async () => {
  await edge.cool()
  await edge.passMs(5 * MINUTE_MS, CRON)
})
await count('a day of 104 silent jobs, without cron', 1, () => pause(1_440 * MINUTE_MS))
process.stdout.write(`${tableOf(rows)}\n`)
await edge.close()
