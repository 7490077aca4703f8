import { describe, expect, test } from 'bun:test'

import { MINUTE_MS } from './peer.ts'
import { deliveries, inOrderOfArrival, seriesOf } from './samples.ts'
import type { Shape } from './samples.ts'

const BEGIN_AT = 1_772_442_000_000

function wish(job: number, count: number, jitterMs: number, shape: Shape = 'gauge') {
  return { job, count, beginAt: BEGIN_AT, jitterMs, shape }
}

describe('the samples of a bench', () => {
  test('are the same for the same wish, and others for another job', () => {
    expect(seriesOf(wish(1, 50, 1_000))).toEqual(seriesOf(wish(1, 50, 1_000)))
    expect(seriesOf(wish(1, 50, 1_000)).values).not.toEqual(seriesOf(wish(2, 50, 1_000)).values)
  })

  test('have two decimals, grow, or stay, a minute apart', () => {
    const { at, values } = seriesOf(wish(1, 2_000, 0))
    expect(at.at(-1)).toBe(BEGIN_AT + 1_999 * MINUTE_MS)
    expect(values.every((value) => value === Number(value.toFixed(2)) && value > 25 && value < 75)).toBe(true)
    const counter = seriesOf(wish(1, 2_000, 0, 'counter')).values
    expect(counter).toEqual(counter.toSorted((a, b) => a - b))
    expect(new Set(seriesOf(wish(1, 2_000, 0, 'constant')).values)).toEqual(new Set([42]))
  })

  test('arrive once each, no series out of order, whatever the jitter', () => {
    const series = [seriesOf(wish(1, 100, 1_000)), seriesOf(wish(2, 40, 1_000))]
    const arrived = [...inOrderOfArrival(series, 7)].flat()
    for (const { job, at, values } of series) {
      const own = arrived.filter((sample) => sample.job === job)
      expect(own).toEqual(at.map((instant, index) => ({ job, at: instant, value: values[index] ?? NaN })))
    }
  })

  test('are delivered to every job in turn', () => {
    const jobs = [...deliveries(10, 4)].flat().map(({ job }) => job)
    expect(jobs.slice(0, 12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2])
    expect(new Set(jobs).size).toBe(10)
  })
})
