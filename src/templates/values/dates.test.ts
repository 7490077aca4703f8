import { expect, test } from 'bun:test'
import { Template } from '../template.ts'
import { DateValue } from './value.ts'

const TEXT = '${day} ${day?string("dd.MM.yyyy")} ${"2026-03-01"?date} ${at?date} ${day?long}'
const parameters = {
  day: new DateValue('date', Date.parse('2026-03-01T00:00:00Z')),
  at: new DateValue('datetime', Date.parse('2026-03-01T03:00:00Z')),
}

test.each([
  ['America/New_York', '2026-02-28', '2026-03-01T00:00:00-05:00'],
  ['UTC', '2026-03-01', '2026-03-01T00:00:00Z'],
  ['Asia/Tokyo', '2026-03-01', '2026-03-01T00:00:00+09:00'],
])('a day is the same day in %s, and an instant has its day in the zone', (timeZone, day, begin) => {
  const text = Template.parse(TEXT).text({ parameters, timeZone })
  expect(text).toBe(`2026-03-01 01.03.2026 2026-03-01 ${day} ${Date.parse(begin)}`)
})
