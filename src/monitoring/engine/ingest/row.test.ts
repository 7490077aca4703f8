import { expect, test } from 'bun:test'

import { BEGIN_AT, deliveryWith, rulesWith } from '../../../../test/engine/rules.ts'
import { step } from '../../jobs/actor.ts'
import { Head } from '../head/head.ts'
import { Job } from '../head/job.ts'
import { acceptRow } from './row.ts'

const AT = BEGIN_AT + 1_000

test('a row is reverted when one of its values throws an unexpected error', () => {
  const good = [jobWith(1, true), jobWith(2, false), jobWith(3, false)]
  const before = good.map((job) => job.currentState())
  const broken = jobWith(4, false)
  const state = broken.currentState()
  broken.accept({ ...state, rules: { ...state.rules, thresholds: null as never } })
  expect(() => acceptRow(roundOf(1, 1, 2, 2, 3, 4), AT, headOf(...good, broken), null)).toThrow(TypeError)
  expect(good.map((job) => job.currentState())).toEqual(before)
  // The control: without the broken job all of them change.
  acceptRow(roundOf(1, 1, 2, 2, 3), AT, headOf(...good), null)
  for (const [index, job] of good.entries()) {
    expect(job.currentState()).not.toEqual(before[index])
    expect(job.currentState().newestAt).toBe(AT)
  }
})

test('refusals are in the order of the row', () => {
  const taken = acceptRow(roundOf(1, 9, 1, 2, 8), AT, headOf(jobWith(1, true), jobWith(2, false, true)), null)
  expect(taken.places).toEqual([0, 2])
  expect(taken.refused.map(({ index, code }) => [index, code])).toEqual([
    [1, 'not_found'],
    [3, 'job_stopped'],
    [4, 'not_found'],
  ])
})

/** A durable job, which has received a value already or not. */
function jobWith(jobId: number, hasReceived: boolean, stopped = false): Job {
  const rules = rulesWith({ stopped })
  const { state } = step(null, { kind: 'configure', jobId, rules }, BEGIN_AT)
  if (!hasReceived) return new Job(state, 1)
  const delivery = deliveryWith({ values: { returnValue1: 0 } })
  return new Job(step(state, { kind: 'deliver', delivery }, BEGIN_AT).state, 1)
}

function headOf(...jobs: readonly Job[]): Head {
  const head = new Head(() => {})
  for (const job of jobs) head.add(job)
  return head
}

function roundOf(...jobIds: readonly number[]) {
  return { key: 'returnValue1', timestampAt: AT, jobIds, values: jobIds.map(() => 1) }
}
