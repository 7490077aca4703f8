import { describe, expect, test } from 'bun:test'

import fc from 'fast-check'

import { Window } from './window.ts'
import type { Draft } from './window.ts'

const LIMITS = { eventsMax: 5, sizeMaxBytes: 1_000 }
const draft = (data: object = {}): Draft => ({ kind: 'state', above: [1], jobId: null, data })

describe('a window', () => {
  test('keeps the latest events up to its limit', () => {
    const window = new Window(1, LIMITS)
    for (let count = 0; count < 6; count++) window.add(draft())
    expect([window.firstSeq, window.lastSeq]).toEqual([2, 6])
    expect(window.at(1)).toBeUndefined()
    expect(window.at(2)?.seq).toBe(2)
    expect(window.at(7)).toBeUndefined()
  })

  test('keeps events up to its size limit, and the latest event of any size', () => {
    const window = new Window(1, { eventsMax: 100, sizeMaxBytes: 200 })
    const { bytes } = window.add(draft({ text: 'x'.repeat(40) }))
    window.add(draft({ text: 'x'.repeat(40) }))
    expect(window.sizeBytes).toBe(2 * bytes.length)
    window.add(draft({ text: 'x'.repeat(40) }))
    expect(window.firstSeq).toBe(2)
    window.add(draft({ text: 'x'.repeat(500) }))
    expect([window.firstSeq, window.lastSeq]).toEqual([4, 4])
  })

  test('resumes after a known event, or says why it cannot', () => {
    const window = new Window(7, LIMITS)
    expect(window.resume('7-0')).toBe(0)
    for (let count = 0; count < 7; count++) window.add(draft())
    expect(window.resume('7-7')).toBe(7)
    expect(window.resume('7-2')).toBe(2)
    expect(window.resume('7-1')).toBe('window')
    expect(window.resume('7-8')).toBe('unknown')
    expect(window.resume('6-7')).toBe('restart')
    expect(window.resume('8-1')).toBe('unknown')
    for (const id of ['', 'x', '7', '7-', '-7', '7-1-1', ' 7-7', '7-7\n', '7-1e3', `7-${'9'.repeat(16)}`])
      expect(window.resume(id)).toBe('unknown')
  })

  test('agrees with an unlimited list without its oldest events', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 })
    const limits = fc.record({
      eventsMax: fc.integer({ min: 1, max: 8 }),
      sizeMaxBytes: fc.integer({ min: 1, max: 900 }),
    })
    fc.assert(
      fc.property(sizes, limits, (added, { eventsMax, sizeMaxBytes }) => {
        const window = new Window(1, { eventsMax, sizeMaxBytes })
        const all = added.map((size) => window.add(draft({ text: 'x'.repeat(size) })))
        const sizeFrom = (from: number) => all.slice(from).reduce((sum, { bytes }) => sum + bytes.length, 0)
        let from = Math.max(0, all.length - eventsMax)
        while (from < all.length - 1 && sizeFrom(from) > sizeMaxBytes) from++
        expect(window.firstSeq).toBe(from + 1)
        expect(window.lastSeq).toBe(all.length)
        expect(window.sizeBytes).toBe(sizeFrom(from))
        for (let seq = 0; seq <= all.length + 1; seq++)
          expect(window.at(seq)).toBe(seq > from ? all[seq - 1] : undefined)
      }),
    )
  })
})
