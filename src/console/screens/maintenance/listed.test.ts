import { expect, test } from 'bun:test'

import { occurrencesOf } from './listed.ts'
import type { Entry } from './occurrences.ts'

const at = (text: string): number => Date.parse(text)
const range = { begin: at('2026-11-01T00:00:00Z'), end: at('2026-12-01T00:00:00Z') }
const entry = (change: object): Entry =>
  ({
    id: 1,
    begin: '2026-10-01T00:00:00Z',
    end: '2027-01-01T00:00:00Z',
    active: [],
    ...change,
  }) as unknown as Entry
const spansOf = (of: Entry) =>
  occurrencesOf([of], range).map(({ begin, end }) => [begin, end].map((one) => new Date(one).toISOString()))

test('a single entry that the range cuts is whole', () => {
  const occurrences = [{ begin: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' }]
  expect(spansOf(entry({ occurrences }))).toEqual([['2026-10-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z']])
})

test('a time of a series that the range cuts is whole', () => {
  const times = [{ begin: '22:00', duration: 'PT4H' }]
  const active = [{ type: 'daily', name: null, timezone: 'UTC', times, exception: false }]
  const occurrences = [
    { begin: '2026-11-01T00:00:00Z', end: '2026-11-01T02:00:00Z' },
    { begin: '2026-11-01T22:00:00Z', end: '2026-11-02T02:00:00Z' },
  ]
  expect(spansOf(entry({ active, occurrences }))).toEqual([
    ['2026-10-31T22:00:00.000Z', '2026-11-01T02:00:00.000Z'],
    ['2026-11-01T22:00:00.000Z', '2026-11-02T02:00:00.000Z'],
  ])
})
