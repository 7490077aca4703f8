import { afterAll, beforeEach, expect, test } from 'bun:test'

import type { JobValues, Subscribers } from '../../src/monitoring/events/values.ts'
import { rejection } from '../contract/rejection.ts'
import { ANYBODY, BEGIN_AT, deliveryWith, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

const stages = await openStages()
afterAll(() => stages.close())

/** Writes down what it is asked and told. */
class Witness implements Subscribers {
  areThere = false
  asked = 0
  readonly told: JobValues[] = []

  watches(jobId: number): boolean {
    this.asked++
    return jobId === 1
  }

  tell(values: readonly JobValues[]): Promise<void> {
    this.told.push(...values)
    return Promise.resolve()
  }
}

let stage: Stage
let witness: Witness

beforeEach(async () => {
  stage = await stages.open()
  stage.subscribers = witness = new Witness()
  await stage.openEngine()
  for (const jobId of [1, 2]) await stage.engine.configure(jobId, rulesWith())
})

const deliver = (jobId: number, value: number) =>
  stage.engine.deliver(jobId, deliveryWith({ values: { returnValue2: value } }), ANYBODY)
const valuesTold = () =>
  witness.told.map(({ jobId, samples }) => [
    jobId,
    ...samples.flatMap(({ key, value }) => (key === 'returnValue2' ? [value] : [])),
  ])

test('without subscribers, no delivery is looked up', async () => {
  for (let count = 0; count < 100; count++) await deliver(1, count)
  expect([witness.asked, witness.told.length]).toEqual([0, 0])
})

test('values of watched jobs are published in order, as user values, before the delivery is answered', async () => {
  witness.areThere = true
  await deliver(1, 1_000)
  expect(valuesTold()).toEqual([[1, 1]])
  await deliver(2, 2_000)
  const run = { key: 'returnValue2', at: [BEGIN_AT + 1, BEGIN_AT + 2], values: [3_000, 4_000] }
  await stage.engine.deliverAll([{ jobId: 1, sent: { run }, repeat: null }], ANYBODY)
  const round = { key: 'returnValue2', timestampAt: BEGIN_AT + 3, jobIds: [2, 1], values: [5_000, 6_000] }
  await stage.engine.deliverRounds([round], ANYBODY)
  expect(valuesTold()).toEqual([
    [1, 1],
    [1, 3, 4],
    [1, 6],
  ])
})

test('values of a failed commit and replayed values are not published', async () => {
  witness.areThere = true
  await deliver(1, 1_000)
  stage.values.failAt = stage.values.commits + 1
  await rejection(deliver(1, 2_000))
  await stage.crash()
  await deliver(1, 3_000)
  expect(valuesTold()).toEqual([
    [1, 1],
    [1, 3],
  ])
})
