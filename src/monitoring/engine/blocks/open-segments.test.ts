import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { endOf, OPEN_MAX, openedFrom, becomesOwnSegment } from './open-segments.ts'
import { SEGMENT_SAMPLES } from './series.ts'

const HEAD_BYTES = 12

/** The segments of a series whose samples come in such batches, and the mean number of times that a sample was packed. */
function grow(atOnce: number, total: number, sampleBytes: number) {
  let open: { head: { count: number; to: number }; sizeBytes: number }[] = []
  let [at, packed, mostOpen] = [0, 0, 0]
  const closed: number[] = []
  while (at < total) {
    const coming = { beginAt: at + 1, count: atOnce }
    const from = openedFrom(open, coming)
    const opened = open.slice(from)
    // Where nothing is opened nothing need be read, and the other way round.
    expect(becomesOwnSegment(endOf(open, at), coming)).toBe(from === open.length)
    const count = opened.reduce((sum, { head }) => sum + head.count, atOnce)
    at += atOnce
    packed += count
    const segment = { head: { count, to: at }, sizeBytes: HEAD_BYTES + count * sampleBytes }
    const isFull = count >= SEGMENT_SAMPLES || segment.sizeBytes > 975
    open = isFull ? [] : [...open.slice(0, from), segment]
    if (isFull) closed.push(count)
    mostOpen = Math.max(mostOpen, open.length)
  }
  return { timesPacked: packed / total, mostOpen, closed }
}

describe('segments at the end of a series', () => {
  test.each([
    [1, 9],
    [10, 5],
    [50, 3],
    [100, 3],
    [600, 2],
  ])('%p samples at once are packed %p times at most until their segment is closed', (atOnce, times) => {
    const { timesPacked, closed } = grow(atOnce, 100_000, 1.9)
    expect(timesPacked).toBeLessThanOrEqual(times)
    expect(closed.length).toBeGreaterThan(100)
  })

  test('are never more than ten, with any number and size of samples', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 700 }),
        fc.double({ min: 0.05, max: 40, noNaN: true }),
        (atOnce, sampleBytes) => {
          expect(grow(atOnce, 3_000, sampleBytes).mostOpen).toBeLessThanOrEqual(OPEN_MAX)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('are opened from the first on into which samples reach', () => {
    const open = [10, 20, 30].map((to) => ({ head: { count: 5, to }, sizeBytes: 30 }))
    const from = (beginAt: number) => openedFrom(open, { beginAt, count: 1 })
    expect([5, 10, 11, 20, 30, 31].map(from)).toEqual([0, 0, 1, 1, 2, 3])
  })
})
