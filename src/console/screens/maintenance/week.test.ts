import { expect, test } from 'bun:test'

import { daysOfWeek, instantOf, startOf } from './days.ts'
import { axisOf, instantAt, isSkipped, placeOf, planOf, slotsOf } from './week.ts'

const ZONE = 'Europe/Amsterdam'
const [SPRING, AUTUMN] = ['2027-03-28', '2027-10-31']
const HOUR_MS = 3_600_000
const ROOM = { lanes: 3, spans: 40, leastMinutes: 30 }
const spring = axisOf(daysOfWeek(SPRING), ZONE)
const autumn = axisOf(daysOfWeek(AUTUMN), ZONE)

test('an ordinary week has 24 hours', () => {
  const axis = axisOf(daysOfWeek('2026-11-25'), ZONE)
  const slots = slotsOf(axis)
  expect([axis.minutes, axis.jump, slots.length]).toEqual([1_440, null, 24])
  expect(slots.at(-1)).toEqual({ from: 1_380, minutes: 60, clock: '23:00', isAgain: false })
})

test('the day on which clocks go forward has no hour from two to three, and ends at the same height', () => {
  expect([spring.minutes, slotsOf(spring).length]).toEqual([1_440, 24])
  expect([isSkipped(spring, SPRING, 120), isSkipped(spring, '2027-03-27', 120)]).toEqual([true, false])
  expect(placeOf(spring, SPRING, instantOf('2027-03-28T04:00', ZONE))).toBe(240)
  expect(placeOf(spring, SPRING, startOf('2027-03-29', ZONE))).toBe(1_440)
  expect(instantAt(spring, SPRING, 150)).toBe(instantOf('2027-03-28T03:00', ZONE))
})

test('the day on which clocks go back has the hour from two to three twice, and the other days skip it', () => {
  const slots = slotsOf(autumn)
  expect([autumn.minutes, slots.length]).toEqual([1_500, 25])
  expect(slots.slice(2, 5).map(({ clock, isAgain }) => [clock, isAgain])).toEqual([
    ['02:00', false],
    ['02:00', true],
    ['03:00', false],
  ])
  expect([isSkipped(autumn, AUTUMN, 180), isSkipped(autumn, '2027-10-30', 180)]).toEqual([false, true])
  const first = instantOf('2027-10-31T02:30', ZONE)
  expect([first, first + HOUR_MS].map((at) => placeOf(autumn, AUTUMN, at))).toEqual([150, 210])
  for (const day of ['2027-10-30', AUTUMN])
    expect(placeOf(autumn, day, instantOf(`${day}T04:00`, ZONE))).toBe(300)
})

test.each([
  [ZONE, SPRING],
  [ZONE, AUTUMN],
  ['Australia/Lord_Howe', '2027-04-04'],
  ['Australia/Lord_Howe', '2027-10-03'],
  ['Africa/Cairo', '2027-04-30'],
  ['Africa/Cairo', '2027-10-28'],
  ['America/New_York', '2027-03-14'],
])(
  'in %s each quarter of an hour of %s has a place of its own, from which it is found again',
  (zone, day) => {
    const axis = axisOf(daysOfWeek(day), zone)
    expect(axis.jump?.day).toBe(day)
    for (const one of axis.days) {
      const places = new Set<number>()
      const end = startOf(axis.days[axis.days.indexOf(one) + 1] ?? '', zone)
      for (let at = startOf(one, zone); at < end; at += 900_000) {
        const place = placeOf(axis, one, at)
        expect(instantAt(axis, one, place)).toBe(at)
        expect(isSkipped(axis, one, place)).toBe(false)
        expect(places.has(place)).toBe(false)
        places.add(place)
      }
    }
  },
)

test('spans that overlap lie side by side, those that do not take the whole width', () => {
  const axis = axisOf(['2026-11-25'], 'UTC')
  const span = (begin: string, end: string) => ({
    begin: Date.parse(`2026-11-25T${begin}:00Z`),
    end: Date.parse(`2026-11-25T${end}:00Z`),
  })
  const spans = [
    span('01:00', '03:00'),
    span('02:00', '04:00'),
    span('03:00', '05:00'),
    span('06:00', '06:05'),
  ]
  const { laid, left, whole } = planOf(axis, '2026-11-25', spans, ROOM)
  expect(laid.map(({ from, to, lane, lanes }) => [from, Math.round(to), lane, lanes])).toEqual([
    [60, 180, 0, 2],
    [120, 240, 1, 2],
    [180, 300, 0, 2],
    [360, 390, 0, 1],
  ])
  expect([left, whole.length]).toEqual([0, 0])
})

test('a day draws as many spans as there is room for, and counts the others', () => {
  const axis = axisOf(['2026-11-25'], 'UTC')
  const begin = Date.parse('2026-11-25T01:00:00Z')
  const spans = Array.from({ length: 100 }, () => ({ begin, end: begin + HOUR_MS }))
  const { laid, left } = planOf(axis, '2026-11-25', spans, ROOM)
  expect([laid.length, left, laid[0]?.lanes]).toEqual([3, 97, 3])
  const whole = { begin: begin - 2 * 24 * HOUR_MS, end: begin + 48 * HOUR_MS }
  expect(planOf(axis, '2026-11-25', [whole], ROOM)).toEqual({ whole: [whole], laid: [], left: 0 })
})

test('a span that ends where clocks change does not reach over the gap', () => {
  const span = { begin: instantOf('2027-03-28T01:00', ZONE), end: instantOf('2027-03-28T03:00', ZONE) }
  const { laid } = planOf(spring, SPRING, [span], ROOM)
  expect(Math.round(laid[0]?.to ?? 0)).toBe(120)
})
