import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import { costPage, costsOf } from '../bench/cost-page.ts'
import { sumOf } from '../bench/prices.ts'
import { Session } from '../faults/session.ts'
import type { Counts } from '../hosts/counts.ts'
import { startCountingEdge } from '../hosts/request-counts.ts'

setDefaultTimeout(180_000)
/** With two flushes. */
const DELIVERIES = 520
const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const CRON = '*/5 * * * *'
/** The page has the mean of more deliveries, with other flushes among them. */
const FLUSHES_DIFFER_BY = 0.01

let edge: Awaited<ReturnType<typeof startCountingEdge>>
let session: Session
beforeAll(async () => {
  edge = await startCountingEdge()
  session = await Session.open(edge.host.url)
})
afterAll(() => edge.close())

const createJobs = (count: number, timeout: string) => session.createJobs(edge.host.url, count, { timeout })
const deliver = async (jobId: number, errorCode = 0) => {
  const answer = await session.deliver(edge.host.url, jobId, { returnValue1: 1, errorCode })
  expect(answer.status).toBe(200)
}

/** Compares what was counted for an operation that happened so many times with its row in the page of the cost. */
function expectPage(operation: string, times: number, counts: Counts): void {
  const figures = costsOf(costPage).get(operation)
  if (!figures) throw new Error(`The page has no operation "${operation}".`)
  const { JOB, ...others } = counts.objectRequests
  const counted = {
    workerRequests: counts.workerRequests,
    jobCalls: JOB,
    otherCalls: sumOf(others),
    alarms: sumOf(counts.alarms),
    d1Calls: counts.d1Calls,
    d1RowsRead: counts.d1RowsRead,
    d1RowsWritten: counts.d1RowsWritten,
    objectRowsRead: counts.objectRowsRead,
    objectRowsWritten: counts.objectRowsWritten,
    setAlarms: sumOf(counts.setAlarms),
  }
  const differing = Object.entries(counted).flatMap(([name, value]) => {
    const { value: expected, rounding } = figures[name as keyof typeof counted]
    const isEqual = Math.abs(value / times - expected) <= rounding + FLUSHES_DIFFER_BY
    return isEqual ? [] : [`${name} ${value / times} instead of ${expected}`]
  })
  expect([operation, ...differing]).toEqual([operation])
}

test('a delivery writes 1.1 rows at most with its flushes, and reads few', async () => {
  const [job = 0] = await createJobs(1, 'PT5M')
  await deliver(job)
  await edge.counts()
  for (let sent = 0; sent < DELIVERIES; sent++) {
    await edge.passMs(1_000)
    await deliver(job)
  }
  const counts = await edge.counts()
  expectPage('a delivery each second, flushes included', DELIVERIES, counts)
  const { objectRequests, objectRowsWritten, objectRowsRead, setAlarms, alarms } = counts
  expect(objectRequests.JOB).toBe(DELIVERIES)
  expect(objectRowsWritten / DELIVERIES).toBeLessThanOrEqual(1.1)
  expect(objectRowsWritten).toBeGreaterThanOrEqual(DELIVERIES)
  expect(objectRowsRead / DELIVERIES).toBeLessThan(6)
  // One in each five minutes.
  expect(setAlarms.JOB).toBeLessThanOrEqual(4)
  expect(alarms.JOB).toBeLessThanOrEqual(4)
})

test('a silent job costs an alarm a day, and tells its silence once', async () => {
  const jobs = await createJobs(3, 'PT5M')
  for (const job of jobs) await deliver(job)
  // Its silence, and the day of its first tidying.
  await edge.passMs(6 * MINUTE_MS)
  await edge.passMs(DAY_MS)
  await edge.counts()
  for (let hour = 0; hour < 24; hour++) {
    await edge.cool()
    await edge.passMs(60 * MINUTE_MS, CRON)
  }
  const { objectRequests, setAlarms, alarms, objectRowsWritten } = await edge.counts()
  const all = jobs.length + 2
  // Cron itself settles it.
  expect(objectRequests.FLOW).toBeLessThanOrEqual(24)
  expect(alarms.JOB).toBeLessThanOrEqual(all)
  expect(setAlarms.JOB).toBeLessThanOrEqual(all)
  // Each run of cron asks five jobs, or a 24th of many.
  expect(objectRequests.JOB).toBeLessThanOrEqual(24 * 5)
  expect(objectRowsWritten).toBeLessThanOrEqual(4 * all)
})

test('nothing that settles reads what it does not need, however many jobs there are', async () => {
  session = await Session.open(edge.host.url)
  await createJobs(30, 'PT1H')
  await edge.passMs(5 * MINUTE_MS, CRON)
  await edge.counts()
  await edge.passMs(5 * MINUTE_MS, CRON)
  const { d1RowsRead } = await edge.counts()
  await createJobs(60, 'PT1H')
  await edge.passMs(5 * MINUTE_MS, CRON)
  await edge.counts()
  await edge.passMs(5 * MINUTE_MS, CRON)
  // What counts the jobs and finds the few whose turn it is.
  expect((await edge.counts()).d1RowsRead - d1RowsRead).toBeLessThanOrEqual(60 * 3)
})

test('a dashboard with those that it embeds is 4 statements, and 20 histories ask the object of each job once', async () => {
  const { url } = edge.host
  const jobs = await createJobs(20, 'PT1H')
  const makeBoard = async (widgets: readonly object[]) => {
    const definition = { widgets: Object.fromEntries(widgets.map((one, index) => [`w${index}`, one])) }
    const answer = await session.send(url, '/dashboards', { name: 'Board', definition })
    return Number(((await answer.json()) as { readonly id: unknown }).id)
  }
  const read = async (path: string) => {
    await edge.counts()
    const body = await session.get(url, path)
    const { d1Calls, objectRequests } = await edge.counts()
    return { body, d1Calls, ofJobs: objectRequests.JOB }
  }
  const value = (jobId = 0) => ({ kind: 'value', source: { type: 'job', jobId } })
  const embedded = (dashboardId: number) => ({ kind: 'dashboard', dashboardId })
  const last = await makeBoard([value(jobs[1]), value(999_999)])
  const second = await makeBoard([embedded(await makeBoard([embedded(last)]))])
  const nested = await read(`/dashboards/${await makeBoard([embedded(second), value(jobs[0])])}/nested`)
  expect([nested.body['children'], nested.body['objects']]).toMatchObject([
    [{ depth: 1 }, { depth: 2 }, { depth: 3 }],
    Object.fromEntries(jobs.slice(0, 2).map((id) => [id, { id }])),
  ])
  // The one of the session among them.
  expect([nested.d1Calls, nested.ofJobs]).toEqual([4, 0])

  const histories = (ids: readonly number[]) => ids.map((jobId) => ({ kind: 'history', series: [{ jobId }] }))
  const one = await read(`/dashboards/${await makeBoard(histories(jobs.slice(0, 1)))}/data`)
  const all = await read(`/dashboards/${await makeBoard(histories(jobs))}/data`)
  const { widgets } = all.body as { readonly widgets: Readonly<Record<string, { readonly status: number }>> }
  expect(Object.values(widgets).map(({ status }) => status)).toEqual(jobs.map(() => 200))
  expect([one.d1Calls, one.ofJobs]).toEqual([4, 1])
  expect([all.d1Calls, all.ofJobs]).toEqual([4, jobs.length])
})

test('reads cost the calls and rows that the page of the cost names', async () => {
  const { url } = edge.host
  const jobs = await createJobs(20, 'PT12H')
  for (const job of jobs) await deliver(job)
  const query = 'key=returnValue1&scale=PT1H'
  const operations: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['floor: the Worker answers', () => fetch(`${url}/healthz`).then((answer) => answer.text())],
    [
      'a dashboard of 20 jobs in one call',
      () => session.get(url, `/value-history?${jobs.map((id) => `jobId=${id}`).join('&')}&${query}`),
    ],
    [
      'the same in 20 calls',
      () => Promise.all(jobs.map((id) => session.get(url, `/jobs/${id}/value-history?${query}`))),
    ],
  ]
  for (const [operation, run] of operations) {
    await edge.counts()
    await run()
    expectPage(operation, 1, await edge.counts())
  }
})
