import { describe, expect, test } from 'bun:test'

import { Refusal } from '../../src/lib/errors.ts'
import type { DeliveryOutcome, BulkItem } from '../../src/domain/delivery.ts'
import type { BucketsAnswer, SeriesName } from '../../src/domain/series.ts'
import type { Environment } from '../../workers/edge/environment.ts'
import { jobActorsInObjects, JOBS_PER_CALL_MAX } from '../../workers/edge/job-actors.ts'
import { refused } from '../../workers/edge/reply.ts'
import type { Reply } from '../../workers/edge/reply.ts'
import { ANYBODY, deliveryWith } from '../engine/rules.ts'
import { rejection } from './rejection.ts'

const DELIVERED = {
  accepted: 1,
  timestampAt: 0,
  late: false,
  state: 'ok',
  errorCode: 0,
  deadlineAt: null,
} as const

const NOTHING: BucketsAnswer = {
  buckets: [],
  aggregate: { min: null, max: null, avg: null, last: null, count: 0, sum: null },
}

/** Objects that take everything, but for those that break, and write down how often they were called. */
function objects(broken: ReadonlySet<string> = new Set()) {
  const calls: string[] = []
  const underWay = { now: 0, most: 0 }
  const errors: unknown[] = []
  const namespace = {
    idFromName: (name: string) => name,
    get: (name: string) => ({
      deliverAll(parcels: readonly BulkItem[]) {
        calls.push(name)
        if (broken.has(name)) return Promise.reject(new Error('The object is gone.'))
        return Promise.resolve({ ok: true, value: parcels.map(() => ({ ok: true, value: DELIVERED })) })
      },
      async bucketsAll(series: readonly SeriesName[]): Promise<Reply<readonly BucketsAnswer[]>> {
        calls.push(name)
        underWay.most = Math.max(underWay.most, ++underWay.now)
        await Bun.sleep(1)
        underWay.now--
        if (broken.has(name)) return refused(new Refusal('not_found', name))
        const answer = { ...NOTHING, aggregate: { ...NOTHING.aggregate, last: Number(name) } }
        return { ok: true, value: series.map(() => answer) }
      },
    }),
  } as unknown as Environment['JOB']
  const log = { info() {}, warn() {}, error: (_: string, cause: unknown) => void errors.push(cause) }
  return { actors: jobActorsInObjects(namespace, log), calls, errors, underWay }
}

const parcel = (jobId: number): BulkItem => ({ jobId, sent: { delivery: deliveryWith() }, repeat: null })
const codesOf = (outcomes: readonly DeliveryOutcome[]) =>
  outcomes.map((outcome) => (outcome instanceof Refusal ? outcome.code : 'kept'))
const jobs = (count: number) => Array.from({ length: count }, (_, index) => parcel(index + 1))

describe('one call at the edge', () => {
  test('asks each job once, for as many as a request may have subrequests', async () => {
    const { actors, calls } = objects()
    const twice = [...jobs(JOBS_PER_CALL_MAX), ...jobs(JOBS_PER_CALL_MAX)]
    const outcomes = await actors.deliverAll(twice, ANYBODY)
    expect(new Set(codesOf(outcomes))).toEqual(new Set(['kept']))
    expect(calls).toHaveLength(JOBS_PER_CALL_MAX)
  })

  test('refuses what is for one job more, and takes the rest', async () => {
    const { actors, calls } = objects()
    const codes = codesOf(await actors.deliverAll([...jobs(JOBS_PER_CALL_MAX + 1), parcel(1)], ANYBODY))
    expect(codes.indexOf('too_many_jobs')).toBe(JOBS_PER_CALL_MAX)
    expect(codes.filter((code) => code === 'kept')).toHaveLength(JOBS_PER_CALL_MAX + 1)
    expect(calls).toHaveLength(JOBS_PER_CALL_MAX)
  })

  test('answers for the jobs that answered, and says of another that it did not', async () => {
    const { actors, errors } = objects(new Set(['2']))
    expect(codesOf(await actors.deliverAll([...jobs(3), parcel(2)], ANYBODY))).toEqual([
      'kept',
      'unavailable',
      'kept',
      'unavailable',
    ])
    expect(errors).toHaveLength(1)
  })
})

describe('one read of many jobs at the edge', () => {
  const query = { edges: [0, 1], mode: 'avg' } as const
  const twice = [...Array(100).keys(), ...Array(100).keys()]
  const series = twice.map((jobId) => ({ jobId, key: 'returnValue1' }))

  test('asks each job once, sixteen at a time, and answers in the order asked', async () => {
    const { actors, calls, underWay } = objects()
    const answers = await actors.bucketsAll(series, query)
    expect(answers.map(({ aggregate }) => aggregate.last)).toEqual(twice)
    expect(calls.length).toBe(100)
    expect(underWay).toEqual({ now: 0, most: 16 })
  })

  test('is refused whole by the first job that refuses', async () => {
    const { actors } = objects(new Set(['7']))
    expect(await rejection(actors.bucketsAll(series, query))).toMatchObject({
      code: 'not_found',
      detail: '7',
    })
  })
})
