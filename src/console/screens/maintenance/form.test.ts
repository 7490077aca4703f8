import { expect, test } from 'bun:test'

import { instantOf } from './days.ts'
import { durationIn, durationOut } from './duration.ts'
import { bodyOfForm, formOf, missingIn, newForm, withRules } from './form.ts'
import type { Entry } from './occurrences.ts'
import type { Rule } from './schedule.ts'

const ZONE = 'Europe/Amsterdam'
const at = (local: string): number => instantOf(local, ZONE)
const span = { begin: at('2026-11-25T22:00'), end: at('2026-11-25T23:30') }
const plan = newForm(span, ZONE)

const weekly: Rule = {
  type: 'weekly',
  name: null,
  timezone: ZONE,
  times: [{ begin: '22:00', duration: 'PT1H30M', weekday: 3 }],
  exception: false,
}
const entry = (change: Partial<Entry>): Entry =>
  ({
    type: 'maintenance',
    adjustTo: 'undefined',
    incident: null,
    name: 'x',
    comment: null,
    slaRelevant: false,
    begin: '2026-11-25T21:00:00.000Z',
    end: '2027-11-24T21:00:00.000Z',
    active: [weekly],
    ...change,
  }) as Entry

test('a plan without recurrence is one span', () => {
  expect(bodyOfForm(plan, ZONE, null)).toMatchObject({
    begin: '2026-11-25T21:00:00.000Z',
    end: '2026-11-25T22:30:00.000Z',
    active: [],
  })
})

test('a recurring plan has its local time and its day', () => {
  const active = (repeats: 'daily' | 'weekly' | 'monthly') =>
    bodyOfForm({ ...plan, repeats }, ZONE, null).active[0]
  const time = { begin: '22:00', duration: 'PT90M' }
  expect(active('daily')).toMatchObject({ type: 'daily', timezone: ZONE, times: [time] })
  expect(active('weekly')).toMatchObject({ type: 'weekly', times: [{ ...time, weekday: 3 }] })
  expect(active('monthly')).toMatchObject({ type: 'monthly', times: [{ ...time, day: 25 }] })
})

test.each([
  ['a single maintenance', entry({ active: [], end: '2026-11-25T22:30:00.000Z' }), 'once'],
  ['a series', entry({}), 'weekly'],
  ['a begin with seconds', entry({ begin: '2026-11-25T20:59:59.929Z' }), 'rules'],
  ['a series of another zone', entry({ active: [{ ...weekly, timezone: 'UTC' }] }), 'rules'],
  [
    'a series with an exception',
    entry({
      active: [
        weekly,
        {
          ...weekly,
          type: 'one_time',
          exception: true,
          times: [{ begin: '22:00', duration: 'P1DT90M', date: '2026-12-02' }],
        },
      ],
    }),
    'rules',
  ],
  [
    'a correction',
    entry({ type: 'adjustment', adjustTo: 'minor', active: [], incident: 'WO-1', comment: 'c' }),
    'once',
  ],
] as const)('%s that is not edited stays as it is', (_, before, repeats) => {
  const form = formOf(before, ZONE)
  expect(form.repeats).toBe(repeats)
  const { type, adjustTo, incident, name, comment, slaRelevant, begin, end, active } = before
  expect(bodyOfForm(form, ZONE, before)).toEqual({
    type,
    adjustTo,
    incident,
    name,
    comment,
    slaRelevant,
    begin,
    end,
    active,
  })
  expect(missingIn(form, ZONE)).toBeNull()
})

test('a series becomes rules that apply at the same times', () => {
  const form = withRules({ ...plan, repeats: 'weekly' }, ZONE)
  expect(form.rules.map(({ type, times }) => [type, times[0]?.duration, times[0]?.weekday])).toEqual([
    ['weekly', '1 h 30 min', '3'],
  ])
  expect(form.end).toBe('2027-11-25T00:00')
})

test('what is missing is named', () => {
  expect(missingIn({ ...plan, begin: '' }, ZONE)).toBe('begin')
  expect(missingIn({ ...plan, end: plan.begin }, ZONE)).toBe('end')
  expect(missingIn({ ...plan, repeats: 'daily', until: '2026-01-01T00:00' }, ZONE)).toBe('until')
  expect(missingIn({ ...plan, repeats: 'rules' }, ZONE)).toBe('rules')
  const [rule] = withRules({ ...plan, repeats: 'weekly' }, ZONE).rules
  const rules = rule ? [{ ...rule, times: rule.times.map((time) => ({ ...time, duration: 'long' })) }] : []
  expect(missingIn({ ...plan, repeats: 'rules', rules }, ZONE)).toBe('duration')
})

test.each([
  ['90 min', 'PT1H30M'],
  ['1,5 h', 'PT1H30M'],
  ['1:30', 'PT1H30M'],
  ['1 d 2 h', 'P1DT2H'],
  ['2 Tage', 'P2D'],
  ['4 Std. 5 Min.', 'PT4H5M'],
  ['3 jours', 'P3D'],
  ['', null],
  ['0 h', null],
  ['soon', null],
  ['5', null],
  ['1.5 d', null],
])('%p is the duration %p', (words, duration) => {
  expect(durationIn(words)).toBe(duration)
  if (duration) expect(durationIn(durationOut(duration))).toBe(duration)
})
