import { expect, test } from 'bun:test'

import type { Sample, Step } from '../jobs/actor.ts'
import { valuesOf } from './values.ts'

const sample = (value: number | string, at = 1): Sample => ({
  key: typeof value === 'string' ? 'stringValue1' : 'returnValue1',
  at,
  value,
})

/** A step of a job whose number has a divisor of ten. */
function stepWith(samples: readonly Sample[], run: readonly number[] | null = null): Step {
  const kept = run && { key: 'returnValue1', at: run, values: run, late: 0, refused: [] }
  const state = { jobId: 7, rules: { divisors: [10] } }
  return { state, samples, run: kept, transitions: [], late: false } as object as Step
}

test('a step without stored samples has no event', () => {
  expect(valuesOf(stepWith([]))).toBeNull()
})

test('an event has user values', () => {
  expect(valuesOf(stepWith([sample(25), sample('x', 2)]))).toEqual({
    jobId: 7,
    samples: [
      { key: 'returnValue1', at: 1, value: 2.5 },
      { key: 'stringValue1', at: 2, value: 'x' },
    ],
    truncated: false,
  })
})

test('an event has the latest hundred samples', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => index)
  const whole = valuesOf(stepWith([], many(100)))
  expect([whole?.samples.length, whole?.truncated]).toEqual([100, false])
  const cut = valuesOf(stepWith([], many(101)))
  expect([cut?.samples[0]?.at, cut?.samples.at(-1)?.at, cut?.truncated]).toEqual([1, 100, true])
})

test('an event has the latest long texts that fit', () => {
  const long = 'x'.repeat(8 * 1024)
  const fits = valuesOf(stepWith([sample(long, 1), sample(long, 2)]))
  expect([fits?.samples.length, fits?.truncated]).toEqual([2, false])
  const cut = valuesOf(stepWith([sample(`${long}x`, 1), sample(long, 2)]))
  expect(cut?.samples.map(({ at }) => at)).toEqual([2])
  expect(cut?.truncated).toBe(true)
})
