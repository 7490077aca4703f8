import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { chartedOfHistory, chartedOfWidget, missingColumns, withForecast } from './charted-widget.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const columns = [
  { name: 'day', type: 'date' },
  { name: 'region', type: 'string' },
  { name: 'sales', type: 'number' },
] as const
const rows = [
  ['2026-11-02', 'north', 3],
  ['2026-11-01', 'north', 1],
  ['2026-11-01', 'south', 2],
]
const RESULT = { columns, rows }
const chart = { type: 'line', x: 'day', y: ['sales'], split: null, sort: 'none' } as const

test('a column splits the rows into series, which have no value where a row is missing', () => {
  const { kind, series } = chartedOfWidget(RESULT, { ...chart, split: 'region' })
  expect(kind).toBe('time')
  expect(series).toEqual([
    { name: 'north', values: [1, 3] },
    { name: 'south', values: [2, null] },
  ])
})

test('bars stand over texts, sorted by the greatest value if that is wished', () => {
  const { kind, labels, series } = chartedOfWidget(RESULT, { ...chart, type: 'bar', x: 'region', sort: 'y' })
  expect([kind, labels, series[0]?.values]).toEqual(['text', ['north', 'south', 'north'], [3, 2, 1]])
})

test('a pie has shares of the sum', () => {
  const { series } = chartedOfWidget(RESULT, { ...chart, type: 'pie', x: 'region' })
  expect(series).toEqual([
    { name: 'sales, %', values: [50, expect.closeTo(100 / 6), expect.closeTo(100 / 3)] },
  ])
})

test('a histogram counts the values of each span of numbers, and leaves out other values', () => {
  const { labels, series, leftOut } = chartedOfWidget(
    { columns: [{ name: 'sales', type: 'number' }], rows: [[0], [12], [11.9], [null]] },
    { ...chart, type: 'histogram', x: 'sales' },
  )
  expect(series[0]?.values).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2])
  expect([labels[0], leftOut]).toEqual(['0 – 1', 1])
})

test('columns that a result does not have are named', () => {
  expect(missingColumns(RESULT, { ...chart, x: 'month', split: 'shop' })).toEqual(['month', 'shop'])
})

function seriesOf(jobId: number, name: string, values: readonly (readonly [string, number])[]) {
  return {
    jobId,
    key: 'returnValue1',
    name,
    unit: 'm',
    precision: null,
    mode: 'avg' as 'avg' | 'max',
    scale: 'PT1M',
    begin: '',
    end: '',
    values: values.map(([timestamp, value]) => ({ timestamp, value, min: value, max: value, count: 1 })),
  }
}

test('histories of jobs share their times; an unreadable job has no line', () => {
  const all = [
    seriesOf(1, 'a', [['2026-11-01T00:00:00Z', 1]]),
    null,
    seriesOf(2, 'b', [
      ['2026-11-01T00:00:00Z', 2],
      ['2026-11-01T00:01:00Z', 3],
    ]),
  ]
  const charted = chartedOfHistory(all, (jobId) => (jobId === 1 ? undefined : 'Gauge'))
  expect(charted.series).toEqual([
    { name: 'a, m', values: [1, null] },
    { name: 'Gauge, m', values: [2, 3] },
  ])
})

test('lines of one name also have the value, the mode or a number', () => {
  const level = (jobId: number) => seriesOf(jobId, 'Level', [])
  const all = [level(1), { ...level(1), mode: 'max' as const }, seriesOf(1, 'Flow', []), level(2), level(3)]
  const namesOf = (names: Readonly<Record<number, string>>) =>
    chartedOfHistory(all, (jobId) => names[jobId]).series.map(({ name }) => name)
  // A public dashboard has no names of jobs.
  expect(namesOf({})).toEqual([
    'Level, mean 1, m',
    'Level, greatest, m',
    'Flow, m',
    'Level, mean 2, m',
    'Level, mean 3, m',
  ])
  expect(namesOf({ 1: 'Gauge', 2: 'Lock', 3: 'Sluice' })).toEqual([
    'Gauge, Level, mean, m',
    'Gauge, Level, greatest, m',
    'Gauge, Flow, m',
    'Lock, m',
    'Sluice, m',
  ])
})

test('predicted values are a series behind the last value of a chart over times', () => {
  const bucket = (day: string, mean: number | null) => ({
    begin: `${day}T00:00:00Z`,
    end: `${day}T24:00:00Z`,
    mean,
    bounds: {},
  })
  const days = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04']
  const buckets = days.map((day, place) => bucket(day, place === 3 ? null : place))
  const sold = chartedOfWidget({ columns, rows: [rows[1] ?? [], rows[0] ?? []] }, chart)
  const { at, series } = withForecast(sold, { buckets }, 'Forecast')
  expect(at.slice(2)).toEqual([Date.parse('2026-11-03T00:00:00Z'), Date.parse('2026-11-04T00:00:00Z')])
  expect(series).toEqual([
    { name: 'sales', values: [1, 3, null, null] },
    { name: 'Forecast', values: [null, null, 2, null] },
  ])
  expect(withForecast(sold, null, 'Forecast')).toBe(sold)
  const bars = chartedOfWidget(RESULT, { ...chart, type: 'bar', x: 'region' })
  expect(withForecast(bars, { buckets }, 'Forecast')).toBe(bars)
})
