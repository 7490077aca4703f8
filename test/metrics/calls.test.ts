import { afterAll, beforeAll, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { BulkItem, Round } from '../../src/domain/delivery.ts'
import type { Point } from '../../src/monitoring/metrics/points.ts'
import { takePoints } from '../../src/monitoring/metrics/service.ts'
import { rejection } from '../contract/rejection.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const FIRST_ID = 100
const JOBS = 9_001
const PARAMETERS = JSON.stringify({ returnValue: [{ valueName: 'a' }, { valueName: 'b' }] })
const DELIVERED = {
  accepted: 1,
  late: false,
  timestampAt: 1,
  state: 'ok',
  errorCode: 0,
  deadlineAt: null,
} as const

let opened: Awaited<ReturnType<typeof openPorts>>
beforeAll(async () => {
  opened = await openPorts()
  const ids = sql`with recursive n(id) as (select ${FIRST_ID} union all select id + 1 from n where id + 1 < ${FIRST_ID + JOBS})`
  await opened.ports.database.run(sql`${ids}
    insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type,
      collector_id, version, created_at)
    select id, 'job', 'webcollector', 'job ' || id, 'job ' || id, 1, '/1/' || id || '/', 0, 'none', 0, 1, 0 from n`)
  await opened.ports.database.run(sql`${ids}
    insert into jobs (id, interval, interval_ms, stopped, parameters, thresholds)
    select id, 'PT0S', 0, 0, ${PARAMETERS}, '{}' from n`)
})
afterAll(() => opened.close())

function point(index: number, metric: string): Point {
  const job = String(FIRST_ID + index)
  return { series: 0, metric, job, value: null, at: 1, numbers: [{ suffix: '', number: 1 }], fault: null }
}

/** Delivers two values to the first of so many jobs and one to each other; returns how many jobs each call has. */
async function callsOf(jobCount: number) {
  const calls: { rows: number[]; items: number[] } = { rows: [], items: [] }
  const jobActors = {
    ...opened.ports.jobActors,
    deliverRounds: (rounds: readonly Round[]) => {
      calls.rows.push(new Set(rounds.flatMap(({ jobIds }) => jobIds)).size)
      return Promise.resolve(rounds.map(({ jobIds }) => ({ accepted: jobIds.length, late: 0, refused: [] })))
    },
    deliverAll: (items: readonly BulkItem[]) => {
      calls.items.push(new Set(items.map(({ jobId }) => jobId)).size)
      return Promise.resolve(items.map(() => DELIVERED))
    },
  }
  const points = Array.from({ length: jobCount }, (_, index) => point(index, 'a'))
  const context = administratorOf({ ...opened.ports, jobActors })
  expect((await takePoints(context, [...points, point(0, 'b')])).message).toBe('')
  return calls
}

test('rows and items of 9,000 jobs are two calls; of more jobs they are items in one call', async () => {
  expect(await callsOf(9_000)).toEqual({ rows: [8_999], items: [1] })
  expect(await callsOf(9_001)).toEqual({ rows: [], items: [9_001] })
})

test('of two calls that fail one failure is answered, and the other one is logged', async () => {
  const jobActors = {
    ...opened.ports.jobActors,
    deliverRounds: () => Promise.reject(new Error('the rows are lost')),
    deliverAll: () => Promise.reject(new Error('the items are lost')),
  }
  const context = administratorOf({ ...opened.ports, jobActors })
  const lost = takePoints(context, [point(0, 'a'), point(1, 'a'), point(0, 'b')])
  expect(await rejection(lost)).toMatchObject({ message: 'the rows are lost' })
  expect(opened.logs.filter((line) => line.includes('the items are lost'))).toHaveLength(1)
})
