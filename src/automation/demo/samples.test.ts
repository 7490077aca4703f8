import { expect, test } from 'bun:test'
import { JOBS } from './plant.ts'
import { HISTORY_STEPS, sampleAt } from './samples.ts'
import type { PlantSample } from './samples.ts'

/** The samples of all jobs over a span of steps. */
function samplesOf(seed: string, from: number, to: number): (PlantSample | null)[] {
  return JOBS.flatMap((_, index) =>
    Array.from({ length: to - from }, (__, step) => sampleAt(seed, index, from + step)),
  )
}

test('a seed determines every sample, before and after the anchor', () => {
  const first = samplesOf('a', -2_000, 2_000)
  expect(samplesOf('a', -2_000, 2_000)).toEqual(first)
  expect(samplesOf('b', -2_000, 2_000)).not.toEqual(first)
})

test('a plant has 20 jobs; their history has silence with one timeout, breaches of limits, and strings', () => {
  expect(JOBS).toHaveLength(20)
  const all = JOBS.map(({ job }, index) => ({
    job,
    samples: Array.from({ length: HISTORY_STEPS }, (_, step) => sampleAt('a', index, -step)),
  }))
  const silent = all.filter(({ samples }) => samples.includes(null))
  expect(silent.map(({ job }) => job.name)).toEqual(['Water level', 'Gate'])
  const timeouts = silent.map(({ samples }) => samples.filter((sample) => sample?.errorCode === 5).length)
  expect(timeouts).toEqual([2, 1])
  const worst = all.filter(({ job, samples }) =>
    samples.some((sample) => isBeyond(job.limits, Number(sample?.values['returnValue1'] ?? Number.NaN))),
  )
  expect(worst.map(({ job }) => job.name)).toEqual([
    'Water level',
    'Battery',
    'Pump 2',
    'Discharge',
    'Pump 1',
    'Wind',
    'Telemetry queue',
  ])
  expect(
    all.filter(({ samples }) => samples[0]?.values['stringValue1'] !== undefined).length,
  ).toBeGreaterThan(5)
})

test('every number is finite and fits its precision', () => {
  for (const sample of samplesOf('a', -500, 500)) {
    for (const value of Object.values(sample?.values ?? {}))
      if (typeof value === 'number')
        expect(Math.abs(value * 100 - Math.round(value * 100))).toBeLessThan(1e-6)
  }
})

function isBeyond(limits: (typeof JOBS)[number]['job']['limits'], value: number): boolean {
  if (!limits) return false
  const limit = limits.minor ?? limits.major ?? Number.NaN
  return limits.operator === '>' ? value > limit : value < limit
}
