import { expect, test } from 'bun:test'

import { rangeOf, scaleOf, spanOf } from './range.ts'
import { maintenanceIn, pointsOf, stateSpans, within, withLive } from './series.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()

test('buckets without values make no points', () => {
  const values = [
    { timestamp: at(0), value: 2, min: 1, max: 3, count: 4 },
    { timestamp: at(60), value: null, min: null, max: null, count: 0 },
  ]
  expect(pointsOf([{ values }] as never, 60_000)).toEqual([{ at: 30_000, avg: 2, min: 1, max: 3, count: 4 }])
})

test('a sample joins the last bucket or begins a new one', () => {
  const points = [{ at: 30_000, avg: 2, min: 1, max: 3, count: 1 }]
  const sample = (second: number, value: number) => ({ key: 'returnValue1', at: second * 1000, value })
  const joined = withLive(points, [sample(40, 8), sample(70, 5)], 60_000)
  expect(joined).toEqual([
    { at: 30_000, avg: 5, min: 1, max: 8, count: 2 },
    { at: 90_000, avg: 5, min: 5, max: 5, count: 1 },
  ])
})

test('transitions become spans that cover the whole history', () => {
  const transitions = [
    { timestamp: at(20), from: 'minor', to: 'ok' },
    { timestamp: at(10), from: 'ok', to: 'minor' },
  ]
  const history = { begin: at(0), transitions, samples: [], truncated: false } as never
  expect(stateSpans(history, 30_000)).toEqual([
    { begin: 0, end: 10_000, state: 'ok' },
    { begin: 10_000, end: 20_000, state: 'minor' },
    { begin: 20_000, end: 30_000, state: 'ok' },
  ])
})

test('a range needs at most one bucket for each pixel', () => {
  for (const hours of [1, 24, 168, 720, 8760])
    expect((hours * 3_600_000) / scaleOf(hours * 3_600_000, 900)).toBeLessThanOrEqual(900)
})

test('a zoomed span and its name in the query are the same', () => {
  const span = { begin: 1_000_000, end: 2_000_000 }
  expect(spanOf(rangeOf(span, 9_000_000), 9_000_000)).toEqual({ ...span, isFixed: true })
  expect(spanOf('PT1H', 7_200_000)).toEqual({ begin: 3_600_000, end: 7_200_000, isFixed: false })
  expect(spanOf('nonsense', 0).end).toBe(0)
})

test('too many transitions: samples of one state are one span', () => {
  const sample = (second: number, worst: string) => ({ begin: at(second), end: at(second + 10), worst })
  const samples = [sample(0, 'ok'), sample(10, 'ok'), sample(20, 'major')]
  expect(stateSpans({ transitions: [], samples, truncated: true } as never, 30_000)).toEqual([
    { begin: 0, end: 20_000, state: 'ok' },
    { begin: 20_000, end: 30_000, state: 'major' },
  ])
})

test('the point of a bucket that has not ended lies at the end of the span', () => {
  const point = (seconds: number) => ({ at: seconds * 1000, avg: 1, min: 1, max: 1, count: 1 })
  const found = within([point(30), point(90), point(150)], { begin: 40_000, end: 70_000 }, 60_000)
  expect(found.map((one) => one.at)).toEqual([30_000, 70_000])
})

test('maintenance is marked each time, named once, and nothing else is', () => {
  const occurrences = [
    { begin: at(0), end: at(60) },
    { begin: at(120), end: at(180) },
  ]
  const revaluations = [
    { type: 'maintenance', name: 'Patches', occurrences },
    { type: 'comment', name: 'Storm', occurrences },
  ]
  expect(maintenanceIn({ revaluations } as never)).toEqual([
    { begin: 0, end: 60_000, text: 'Patches' },
    { begin: 120_000, end: 180_000, text: '' },
  ])
})
