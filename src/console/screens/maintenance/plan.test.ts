import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { instantOf } from './days.ts'
import { bodyOf, shiftText } from './plan.ts'
import { words } from './words.ts'

const ZONE = 'Europe/Amsterdam'
beforeAll(() => loadWords(words))

const plan = {
  name: 'x',
  begin: '2026-11-25T22:00',
  hours: '1.5',
  recurrence: 'once' as const,
  slaRelevant: false,
}
const begin = instantOf(plan.begin, ZONE)

test('a plan without recurrence is one span', () => {
  expect(bodyOf(plan, begin, ZONE)).toMatchObject({
    begin: '2026-11-25T21:00:00.000Z',
    end: '2026-11-25T22:30:00.000Z',
  })
})

test('a recurring plan has its local time and its day', () => {
  const active = (recurrence: 'daily' | 'weekly' | 'monthly') =>
    (bodyOf({ ...plan, recurrence }, begin, ZONE) as { active: object[] }).active[0]
  const time = { begin: '22:00', duration: 'PT90M' }
  expect(active('daily')).toEqual({ type: 'daily', timezone: ZONE, times: [time] })
  expect(active('weekly')).toEqual({ type: 'weekly', timezone: ZONE, times: [{ ...time, weekday: 3 }] })
  expect(active('monthly')).toEqual({ type: 'monthly', timezone: ZONE, times: [{ ...time, day: 25 }] })
})

test('a change of clocks during the maintenance makes a sentence', () => {
  const span = (local: string) => [instantOf(local, ZONE), instantOf(local, ZONE) + 6 * 3_600_000] as const
  expect(shiftText(...span('2026-03-28T23:00'), ZONE)).toContain('forward by 60 minutes')
  expect(shiftText(...span('2026-10-24T23:00'), ZONE)).toContain('back by 60 minutes')
  expect(shiftText(...span('2026-11-25T23:00'), ZONE)).toBeNull()
})
