import { expect, test } from 'bun:test'

import type { RefusedDelivery } from '../../../domain/refused-delivery.ts'
import { RefusalMemory } from './memory.ts'

const refusal = (at: number, more: Partial<RefusedDelivery> = {}): RefusedDelivery => ({
  at,
  code: 'invalid',
  detail: 'x'.repeat(300),
  errors: Array.from({ length: 10 }, () => ({ pointer: 'x'.repeat(300), message: 'x'.repeat(300) })),
  sender: { userId: 1, username: 'a', tokenName: null, address: null, agent: 'x'.repeat(300) },
  excerpt: 'x'.repeat(500),
  isStranger: false,
  ...more,
})

test('a job has its latest 50 refusals and 10 of strangers, latest first', () => {
  const memory = new RefusalMemory()
  for (let at = 0; at < 60; at++) {
    memory.record(3, refusal(at))
    memory.record(3, refusal(at + 0.5, { isStranger: true }))
  }
  const all = memory.read(3)
  expect(all.length).toBe(60)
  expect(all.filter(({ isStranger }) => isStranger).map(({ at }) => at)[9]).toBe(50.5)
  expect(all.filter(({ isStranger }) => !isStranger).at(-1)?.at).toBe(10)
  expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort((a, b) => b - a))
  expect(memory.read(4)).toEqual([])
})

test('the memory of all jobs is bounded, and strangers displace no refusal of a sender', () => {
  const memory = new RefusalMemory()
  memory.record(1, refusal(1))
  for (let jobId = 2; jobId < 2_000; jobId++)
    for (let at = 0; at < 10; at++) memory.record(jobId, refusal(at, { isStranger: true }))
  expect(memory.sizeBytes).toBeLessThanOrEqual(520 * 1024 + 20_000)
  expect(memory.read(1).length).toBe(1)
  for (let jobId = 2; jobId < 2_000; jobId++)
    for (let at = 0; at < 20; at++) memory.record(jobId, refusal(at))
  expect(memory.sizeBytes).toBeLessThanOrEqual(8.5 * 1024 * 1024)
  expect(memory.read(1)).toEqual([])
  expect(memory.read(1_999).length).toBeGreaterThan(0)
})
