import { expect, test } from 'bun:test'

import { ahead, forecastOf } from './job-forecast.ts'

const point = (at: number) => ({ at, avg: 1, min: 1, max: 1, count: 1 })
const predicted = (at: number) => ({ at, value: 2, low: 1, high: 3 })

test('the forecast of a value is the one that its limits name', () => {
  const conditions = [
    { key: 'returnValue1', operator: '>', value: 3 },
    { key: 'returnValue2', operator: '<>', adaptiveValues: { source: 'forecast', forecastId: 7, level: 80 } },
  ]
  const job = { thresholds: { minor: { conditions } } } as unknown as Parameters<typeof forecastOf>[0]
  expect(forecastOf(job, 'returnValue1')).toBeNull()
  expect(forecastOf(job, 'returnValue2')).toEqual({ id: 7, level: 80 })
  expect(forecastOf({} as Parameters<typeof forecastOf>[0], 'returnValue1')).toBeNull()
})

test('the chart goes on by a quarter at most, with predicted values behind the last one', () => {
  const span = { begin: 0, end: 100 }
  const all = [10, 60, 110, 125, 130].map(predicted)
  expect(ahead(all, [point(50)], span)).toEqual({
    forecast: [60, 110, 125].map(predicted),
    span: { begin: 0, end: 125 },
  })
  expect(ahead([], [point(50)], span)).toEqual({ forecast: [], span })
})
