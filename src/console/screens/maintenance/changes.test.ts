import { expect, test } from 'bun:test'

import {
  beginningAt,
  bodyOf,
  hasBegun,
  isOver,
  moved,
  scheduleOf,
  skipped,
  stepOf,
  withEqualBegin,
} from './changes.ts'
import type { Body, Step } from './changes.ts'
import { instantOf, localOf } from './days.ts'
import type { Entry } from './occurrences.ts'
import { nextSpans } from './schedule.ts'
import type { Rule, Span } from './schedule.ts'

const ZONE = 'Europe/Amsterdam'
const at = (local: string): number => instantOf(local, ZONE)
const iso = (local: string): string => new Date(at(local)).toISOString()
const span = (begin: string, end: string): Span => ({ begin: at(begin), end: at(end) })

const rule = (type: Rule['type'], ...times: Rule['times']): Rule => ({
  type,
  name: null,
  timezone: ZONE,
  times,
  exception: false,
})
const NIGHT = { begin: '22:00', duration: 'PT90M' }
const weekly = rule('weekly', { ...NIGHT, weekday: 3 })

const entry = (change: Partial<Entry>): Entry =>
  ({
    id: 1,
    type: 'maintenance',
    adjustTo: 'undefined',
    inPast: false,
    incident: null,
    name: 'x',
    comment: null,
    slaRelevant: false,
    status: 'planned',
    begin: iso('2026-11-25T22:00'),
    end: iso('2027-11-25T22:00'),
    active: [weekly],
    ...change,
  }) as Entry

/** The next occurrences of a body in local times. */
const timesOf = (body: Body | null, count = 4): readonly string[] =>
  body === null
    ? ['none']
    : nextSpans(scheduleOf(body), 0, count).map(
        ({ begin, end }) => `${localOf(begin, ZONE)}/${localOf(end, ZONE).slice(11)}`,
      )
const FIRST = span('2026-11-25T22:00', '2026-11-25T23:30')
const SECOND = span('2026-12-02T22:00', '2026-12-02T23:30')

test('a single maintenance moves as a whole', () => {
  const single = bodyOf(entry({ active: [], end: iso('2026-11-25T23:30') }))
  expect(moved(single, FIRST, SECOND, 'later')).toMatchObject({
    begin: iso('2026-12-02T22:00'),
    end: iso('2026-12-02T23:30'),
  })
})

test('a series moves with one of its times, at the same local time over a change of clocks', () => {
  const to = span('2026-11-26T23:00', '2026-11-27T00:30')
  const body = moved(bodyOf(entry({})), FIRST, to, 'later')
  expect(body?.active[0]?.times[0]).toEqual({ begin: '23:00', duration: 'PT90M', weekday: 4 })
  expect(body?.begin).toBe(iso('2026-11-26T23:00'))
  const all = timesOf(body, 20)
  expect([all[0], all.find((one) => one.startsWith('2027-04'))]).toEqual([
    '2026-11-26T23:00/00:30',
    '2027-04-01T23:00/00:30',
  ])
})

test('a series is made longer, and keeps the text of its duration when it only moves', () => {
  const longer = moved(bodyOf(entry({})), FIRST, { ...FIRST, end: at('2026-11-26T01:00') }, 'later')
  expect(longer?.active[0]?.times[0]?.duration).toBe('PT180M')
})

test('one time of a series moves alone, also by less than its length', () => {
  const far = moved(bodyOf(entry({})), SECOND, span('2026-12-04T06:00', '2026-12-04T07:30'), 'once')
  expect(timesOf(far)).toEqual([
    '2026-11-25T22:00/23:30',
    '2026-12-04T06:00/07:30',
    '2026-12-09T22:00/23:30',
    '2026-12-16T22:00/23:30',
  ])
  const near = moved(bodyOf(entry({})), SECOND, span('2026-12-02T22:30', '2026-12-03T00:00'), 'once')
  expect(timesOf(near, 3)).toEqual([
    '2026-11-25T22:00/23:30',
    '2026-12-02T22:30/00:00',
    '2026-12-09T22:00/23:30',
  ])
  const shorter = moved(bodyOf(entry({})), SECOND, { ...SECOND, end: at('2026-12-02T22:30') }, 'once')
  expect(timesOf(shorter, 2)[1]).toBe('2026-12-02T22:00/22:30')
})

test('one time of a series is left out', () => {
  expect(timesOf(skipped(bodyOf(entry({})), SECOND, ZONE), 2)).toEqual([
    '2026-11-25T22:00/23:30',
    '2026-12-09T22:00/23:30',
  ])
})

test('what several times make is left to the form', () => {
  const both = rule('daily', NIGHT, { begin: '23:00', duration: 'PT2H' })
  const body = bodyOf(entry({ active: [both] }))
  expect(moved(body, span('2026-11-25T22:00', '2026-11-26T01:00'), SECOND, 'later')).toBeNull()
})

const told = (step: Step) =>
  step.kind === 'put' ? 'put' : [step.at === null ? null : localOf(step.at, ZONE), ...timesOf(step.rest, 2)]

test('a series that has begun ends where its change begins, and goes on as another one', () => {
  const begun = entry({})
  const to = span('2026-12-03T06:00', '2026-12-03T07:30')
  const body = moved(bodyOf(begun), SECOND, to, 'later') ?? bodyOf(begun)
  const from = Math.min(SECOND.begin, to.begin)
  expect(told(stepOf(begun, body, from, at('2026-11-24T00:00')))).toBe('put')
  expect(told(stepOf(begun, body, from, at('2026-11-26T00:00')))).toEqual([
    '2026-12-02T22:00',
    '2026-12-03T06:00/07:30',
    '2026-12-10T06:00/07:30',
  ])
  const named = { ...bodyOf(begun), name: 'other' }
  expect(told(stepOf(begun, named, null, at('2026-11-26T00:00')))).toBe('put')
})

test('other rules wait for the end of the occurrence that runs', () => {
  const daily = { ...bodyOf(entry({})), active: [rule('daily', NIGHT)] }
  expect(told(stepOf(entry({}), daily, null, at('2026-11-25T22:30')))).toEqual([
    '2026-11-25T23:30',
    '2026-11-26T22:00/23:30',
    '2026-11-27T22:00/23:30',
  ])
  expect(told(stepOf(entry({}), daily, null, at('2026-11-26T12:00')))).toEqual([
    null,
    '2026-11-26T22:00/23:30',
    '2026-11-27T22:00/23:30',
  ])
})

test('a begin that differs from the times is made equal to the first of them', () => {
  const odd = bodyOf(entry({ begin: iso('2026-11-24T05:30') }))
  expect(withEqualBegin(odd).begin).toBe(iso('2026-11-25T22:00'))
  expect(beginningAt(odd, at('2026-11-26T00:00')).begin).toBe(iso('2026-12-02T22:00'))
})

test('maintenance that has begun is not over', () => {
  const now = at('2026-11-25T22:00')
  expect([hasBegun(entry({}), now - 1), hasBegun(entry({}), now)]).toEqual([false, true])
  expect(hasBegun(entry({ inPast: true }), now)).toBe(false)
  expect([isOver(entry({ status: 'cancelled' })), isOver(entry({ status: 'ended', inPast: true }))]).toEqual([
    true,
    false,
  ])
})
