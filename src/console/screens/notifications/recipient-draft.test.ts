import { expect, test } from 'bun:test'

import { bodyOf, draftOf, durationOf, numberOf } from './recipient-draft.ts'
import type { Recipient } from './recipients.ts'

const ZONE = 'Europe/Zurich'
const STORED: Recipient = {
  id: 3,
  name: 'on call',
  type: 'group',
  target: 'userGroup 4',
  minState: 'minor',
  objectIds: [7],
  times: [
    { type: 'daily', name: null, exception: false, times: [{ begin: '08:00', duration: 'PT36000S' }] },
    {
      type: 'weekly',
      name: 'Sunday',
      timezone: 'UTC',
      exception: true,
      times: [{ begin: '00:00', duration: 'PT86400S', weekday: 7 }],
    },
    { type: 'manual', name: null, exception: false, times: [] },
  ],
  onVacation: true,
  vacations: [{ begin: '2026-07-01T06:00:00.000Z', end: '2026-07-02T06:00:00.000Z', userId: 9 }],
  rotation: { by: 'interval', interval: 'PT604800S', begin: '2026-01-05T07:00:00.000Z' },
  escalation: [{ after: 'PT900S', recipientId: 5 }],
  reminder: { every: 'PT3600S', times: 3 },
  recovery: false,
  grouping: 'PT30S',
  messagesPerHour: 12,
  language: 'de',
  timeZone: 'UTC',
  templates: { de: { subject: '{{object.name}}', text: 'x' } },
  lastResult: null,
  usedBy: [],
  warnings: [],
}

test('a stored recipient that is not changed is sent back as it is, without its target', () => {
  const { id: _, target: _target, lastResult: _result, usedBy: _uses, warnings: _warnings, ...rules } = STORED
  expect(bodyOf(draftOf(STORED, ZONE), ZONE) as unknown).toEqual(rules)
})

test('an entry with two times becomes two entries with one time each', () => {
  const times = [
    { begin: '08:00', duration: 'PT4H' },
    { begin: '13:00', duration: 'PT4H' },
  ]
  const draft = draftOf({ ...STORED, times: [{ type: 'daily', name: null, exception: false, times }] }, ZONE)
  expect(bodyOf(draft, ZONE).times).toMatchObject([
    { times: [times[0]].map(inSeconds) },
    { times: [times[1]].map(inSeconds) },
  ])
})

function inSeconds(time: { begin: string; duration: string } | undefined) {
  return { begin: time?.begin, duration: 'PT14400S' }
}

test('a new recipient has the defaults of the service; only groups have a rotation', () => {
  const draft = { ...draftOf(undefined, ZONE), name: 'a', target: { addresses: 'a@example.org' } }
  expect(bodyOf({ ...draft, rotation: 'turn' }, ZONE) as unknown).toEqual({
    name: 'a',
    type: 'email',
    target: { addresses: ['a@example.org'] },
    minState: 'warning',
    objectIds: [],
    times: null,
    onVacation: false,
    vacations: [],
    rotation: null,
    escalation: [],
    reminder: null,
    recovery: true,
    grouping: 'PT10S',
    messagesPerHour: 60,
    language: 'en',
    timeZone: null,
    templates: {},
  })
})

test('durations are numbers of a unit; any other text is left to the service', () => {
  expect(durationOf('1,5', 60_000)).toBe('PT90S')
  expect(durationOf('soon', 60_000)).toBe('soon')
  expect(durationOf('', 60_000)).toBe('')
  expect(numberOf('P1D', 3_600_000)).toBe('24')
  expect(numberOf('P1M', 3_600_000)).toBe('P1M')
})
