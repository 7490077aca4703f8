import { expect, test } from 'bun:test'

import { Refusal } from '../../lib/errors.ts'
import { roundOutcome, roundWithout, withRefusals } from './round.ts'

const FORBIDDEN = { code: 'forbidden', detail: 'You have no right to execute this job.' } as const
const STOPPED = { code: 'job_stopped', detail: 'The job is stopped.' } as const

const round = { key: 'returnValue1', timestampAt: null, jobIds: [7, 8, 9, 8], values: [1, 2, 3, 4] }
const refusals = new Map([[8, new Refusal(FORBIDDEN.code, FORBIDDEN.detail)]])

test('values that were refused beforehand are not sent, and get their answer in place', () => {
  expect(roundWithout(round, refusals)).toEqual({ ...round, jobIds: [7, 9], values: [1, 3] })
  const outcome = {
    accepted: 1,
    late: 0,
    refused: [{ index: 1, ...STOPPED }],
    timeoutsLeft: [0, 1],
  }
  expect(withRefusals(round, refusals, outcome)).toEqual({
    accepted: 1,
    late: 0,
    refused: [
      { index: 1, ...FORBIDDEN },
      { index: 2, ...STOPPED },
      { index: 3, ...FORBIDDEN },
    ],
    timeoutsLeft: [0, 2],
  })
})

test('a round that was sent as items has the indexes of values that left error code 5', () => {
  const kept = {
    accepted: 1,
    timestampAt: 1,
    late: false,
    state: 'ok',
    errorCode: 0,
    deadlineAt: null,
  } as const
  const left = { ...kept, state: 'warning', errorCode: 5, leavesTimeout: true } as const
  const refusal = new Refusal(STOPPED.code, STOPPED.detail)
  expect(roundOutcome([kept, left, refusal, left])).toEqual({
    accepted: 3,
    late: 0,
    refused: [{ index: 2, ...STOPPED }],
    timeoutsLeft: [1, 3],
  })
  expect(roundOutcome([kept])).toEqual({ accepted: 1, late: 0, refused: [] })
})
