import { expect, test } from 'bun:test'

import { BEGIN_AT, deliveryWith, rulesWith } from '../../../../test/engine/rules.ts'
import { step } from '../../jobs/actor.ts'
import { Job } from '../head/job.ts'
import { acceptRow } from './row.ts'
import type { JobLookup } from './row.ts'

const AT = BEGIN_AT + 1_000

test('what a round did is taken back when one of its values fails for a reason that nobody foresaw', () => {
  const good = [jobWith(1, true), jobWith(2, false), jobWith(3, false)]
  const before = good.map(({ state }) => state)
  const broken = jobWith(4, false)
  broken.state = { ...broken.state, rules: { ...broken.state.rules, thresholds: null as never } }
  expect(() => acceptRow(roundOf(1, 1, 2, 2, 3, 4), AT, doorOf(...good, broken))).toThrow(TypeError)
  expect(good.map(({ state }) => state)).toEqual(before)
  // The control: without the broken job all of them change.
  acceptRow(roundOf(1, 1, 2, 2, 3), AT, doorOf(...good))
  for (const [index, { state }] of good.entries()) {
    expect(state).not.toEqual(before[index])
    expect(state.newestAt).toBe(AT)
  }
})

test('what is refused is told in the order of the round, whoever refuses it', () => {
  const taken = acceptRow(roundOf(1, 9, 1, 2, 8), AT, doorOf(jobWith(1, true), jobWith(2, false, true)))
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

function doorOf(...jobs: readonly Job[]): JobLookup {
  return { find: (jobId) => jobs.find(({ id }) => id === jobId) ?? null, admit: () => {} }
}

function roundOf(...jobIds: readonly number[]) {
  return { key: 'returnValue1', timestampAt: AT, jobIds, values: jobIds.map(() => 1) }
}
