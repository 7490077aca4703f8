import { describe, expect, test } from 'bun:test'

import { Refusal } from '../../src/lib/errors.ts'
import type { Outcome, Parcel } from '../../src/ports/job-actors.ts'
import type { Environment } from '../../workers/edge/environment.ts'
import { jobActorsInObjects, JOBS_PER_CALL_MAX } from '../../workers/edge/job-actors.ts'
import { ANYBODY, deliveryWith } from '../keeper/rules.ts'

const DELIVERED = {
  accepted: 1,
  timestampAt: 0,
  late: false,
  state: 'ok',
  errorCode: 0,
  deadlineAt: null,
} as const

/** Objects that take everything, but for those that break, and write down how often they were called. */
function objects(broken: ReadonlySet<string> = new Set()) {
  const calls: string[] = []
  const errors: unknown[] = []
  const namespace = {
    idFromName: (name: string) => name,
    get: (name: string) => ({
      deliverAll(parcels: readonly Parcel[]) {
        calls.push(name)
        if (broken.has(name)) return Promise.reject(new Error('The object is gone.'))
        return Promise.resolve({ ok: true, value: parcels.map(() => ({ ok: true, value: DELIVERED })) })
      },
    }),
  } as unknown as Environment['JOB']
  const log = { info() {}, warn() {}, error: (_: string, cause: unknown) => void errors.push(cause) }
  return { actors: jobActorsInObjects(namespace, log), calls, errors }
}

const parcel = (jobId: number): Parcel => ({ jobId, sent: { delivery: deliveryWith() }, repeat: null })
const codesOf = (outcomes: readonly Outcome[]) =>
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
