import { expect, test } from 'bun:test'

import { isNight, turnOf } from './turns.ts'

test('parts take turns, each for as long as the address says, and begin again after the last', () => {
  const turn = (sinceMs: number) => turnOf({ every: '30', count: 3, sinceMs })
  expect(turn(0)).toEqual({ at: 0, leftS: 30 })
  expect(turn(29_999)).toEqual({ at: 0, leftS: 1 })
  expect(turn(30_000)).toEqual({ at: 1, leftS: 30 })
  expect(turn(95_000)).toEqual({ at: 0, leftS: 25 })
  // The clock of the page was set before the wall opened.
  expect(turn(-400)).toEqual({ at: 0, leftS: 30 })
})

test('without a time from 5 seconds to an hour nothing rotates', () => {
  const every = (text: string) => turnOf({ every: text, count: 3, sinceMs: 0 })
  for (const text of ['', '4', '3601', '7.5', 'fast', '-30']) expect(every(text)).toBeNull()
  for (const text of ['5', '3600']) expect(every(text)).not.toBeNull()
})

test('night begins at 19:00 and ends at 7:00 by the clock of the zone', () => {
  const at = (time: string) => isNight(Date.parse(time), 'Europe/Zurich')
  expect(['2026-11-25T05:59Z', '2026-11-25T06:00Z'].map(at)).toEqual([true, false])
  expect(['2026-11-25T17:59Z', '2026-11-25T18:00Z'].map(at)).toEqual([false, true])
  expect(at('2026-07-01T05:30Z')).toBe(false)
})
