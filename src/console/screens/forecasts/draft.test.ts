import { expect, test } from 'bun:test'

import { bodyOf, draftOf, isComplete } from './draft.ts'
import type { Forecast } from './forecast.ts'

const STORED = {
  name: 'Guests',
  source: { type: 'dataQuery', dataQueryId: 7, timeColumn: 'day', valueColumn: 'n', groupColumns: ['shop'] },
  step: 'P1D',
  horizon: 'P90D',
  model: { kind: 'prophet', params: { changepoints: 3 }, search: true },
  holidays: { country: 'CH-ZH', days: [{ date: '2026-12-05', name: 'Night of shops' }] },
  schedule: { enabled: false, cron: '0 4 * * *', timeZone: 'UTC' },
} as unknown as Forecast

test('a forecast keeps the fields that the form does not have', () => {
  expect(bodyOf({ ...draftOf(STORED), horizon: 'P30D' }, STORED) as unknown).toEqual({
    ...STORED,
    horizon: 'P30D',
    schedule: { enabled: true, cron: '0 4 * * *', timeZone: 'UTC' },
  })
})

test('another source, model and schedule replace the former ones', () => {
  const draft = { ...draftOf(STORED), type: 'job' as const, jobId: 3, kind: 'naive', cron: '' }
  expect(bodyOf(draft, STORED) as unknown).toMatchObject({
    source: { type: 'job', jobId: 3, key: 'returnValue1' },
    model: { kind: 'naive' },
    schedule: null,
  })
})

test('a forecast needs a name, and a job or a data query with its columns', () => {
  const draft = { ...draftOf(null, 3), name: 'Guests' }
  expect(isComplete(draft)).toBe(true)
  expect(isComplete({ ...draft, name: ' ' })).toBe(false)
  expect(isComplete({ ...draft, jobId: null })).toBe(false)
  expect(isComplete({ ...draft, type: 'dataQuery', queryId: '7', timeColumn: 'day' })).toBe(false)
})

test('own days are lines with a date and a name; without a day or less there are no holidays, and without settings no search', () => {
  const draft = { ...draftOf(STORED), country: ' ch ', days: ' 2026-12-05  Night of shops\n\n2026-12-06\n' }
  expect(bodyOf(draft, STORED) as unknown).toMatchObject({
    holidays: {
      country: 'CH',
      days: [
        { date: '2026-12-05', name: 'Night of shops' },
        { date: '2026-12-06', name: '' },
      ],
    },
  })
  expect(bodyOf({ ...draft, country: '', days: ' ' }, STORED) as unknown).toMatchObject({ holidays: null })
  expect(bodyOf({ ...draft, country: '' }, STORED) as unknown).toMatchObject({ holidays: { country: null } })
  expect(bodyOf({ ...draft, step: 'P7D' }, STORED) as unknown).toMatchObject({ holidays: null })
  expect(bodyOf({ ...draft, kind: 'naive' }, STORED) as unknown).toMatchObject({
    model: { kind: 'naive', search: false },
  })
  expect(bodyOf({ ...draft, search: false }, STORED) as unknown).toMatchObject({ model: { search: false } })
})
