import { describe, expect, test } from 'bun:test'
import { rejection } from '../../../test/contract/rejection.ts'
import { figuresOf, meanBacktest } from './figures.ts'
import {
  bandOf,
  groupOutcome,
  pointsOf,
  readOutcomes,
  resultColumns,
  resultRows,
  summaryOf,
} from './results.ts'
import type { OutcomeLine } from './results.ts'
import { linesOf, packed } from './service/packing.ts'

const backtest = {
  folds: 5,
  mae: 2,
  rmse: 3,
  smape: 4.234,
  mape: null,
  mase: 0.7,
  naive: { mae: 3, smape: 6.1, mase: 1 },
  skill: 0.33,
  coverage: { '80': 0.83, '95': 0.96 },
}
const predicted = (id: number, count = 2) => ({
  id,
  key: ['north'],
  points: 100,
  kind: 'sarimax',
  t: Array.from({ length: count }, (_, place) => place * 1_000),
  endAt: count * 1_000,
  mean: Array.from({ length: count }, () => 5),
  lo95: Array.from({ length: count }, () => 4),
  hi95: Array.from({ length: count }, () => 6),
  past: { t: [-1_000, -500], y: [null, 9], mean: [5, 5], lo95: [4, 4], hi95: [6, 6], anomaly: [null, 1] },
  season: 'week',
  backtest,
  quality: 'good',
  notes: { gaps: 3 },
  cpuMs: 12,
  error: null,
})
const failed = {
  id: 1,
  key: ['south'],
  points: 1,
  error: { code: 'forecast.too_short', detail: 'The series has fewer than 2 values.' },
}
const written = (...lines: readonly object[]) =>
  packed(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

async function read(...lines: readonly object[]): Promise<readonly OutcomeLine[]> {
  const outcomes = readOutcomes(linesOf(await written({ v: 1, keyTypes: ['string'] }, ...lines)))
  return (await Array.fromAsync(outcomes)).map(({ line }) => line)
}

describe('results', () => {
  test('of a group are rows of its history and its forecast under the names of its columns', async () => {
    const [outcome] = await read(predicted(0))
    if (outcome?.error !== null) throw new Error('no outcome')
    const columns = resultColumns([{ name: 'Größe', type: 'string' }], [95])
    expect(columns.map(({ name }) => name)).toEqual([
      'Größe',
      'ds',
      'y',
      'yhat',
      'yhat_lower_95',
      'yhat_upper_95',
      'kind',
      'anomaly',
      'run_id',
    ])
    const rows = resultRows(outcome, { levels: [95], runId: 'j_1' })
    expect(rows).toEqual([
      ['north', '1969-12-31T23:59:59.000Z', null, 5, 4, 6, 'history', null, 'j_1'],
      ['north', '1969-12-31T23:59:59.500Z', 9, 5, 4, 6, 'history', 1, 'j_1'],
      ['north', '1970-01-01T00:00:00.000Z', null, 5, 4, 6, 'forecast', null, 'j_1'],
      ['north', '1970-01-01T00:00:01.000Z', null, 5, 4, 6, 'forecast', null, 'j_1'],
    ])
  })

  test('have a summary in which failed groups count', async () => {
    const lines = await read(predicted(0), failed)
    expect(summaryOf(lines.map(groupOutcome), { endAt: 2_000 })).toMatchObject({
      groups: 2,
      failed: 1,
      quality: { good: 1, failed: 1 },
      endAt: 2_000,
    })
  })

  test('become bands of 400 buckets, and of the first 100 groups', async () => {
    const [long, late] = await read(predicted(0, 401), predicted(100))
    const points = long && pointsOf(long, [95])
    if (!points) throw new Error('no points')
    const band = bandOf(points, { forecastId: 1, key: 'returnValue1', madeAt: 7 })
    expect([band.begins.length, band.levels['95']?.length, band.endAt]).toEqual([400, 400, 400_000])
    expect(late && pointsOf(late, [95])).toBeNull()
  })

  test('count the last values that are not usual, and keep what a trial said of them', async () => {
    const [outcome, old] = await read(predicted(0), { ...predicted(1), past: { t: [0], y: [1] } })
    if (!outcome || !old) throw new Error('no outcome')
    expect(groupOutcome(outcome).outcome.anomalies).toBe(1)
    expect(pointsOf(outcome, [95])?.past).toMatchObject({
      mean: [5, 5],
      levels: {
        '95': [
          [4, 6],
          [4, 6],
        ],
      },
    })
    expect(groupOutcome(old).outcome.anomalies).toBeNull()
    expect(pointsOf(old, [95])?.past).toEqual({ t: [0], y: [1], mean: null, anomaly: null, levels: {} })
  })

  test('of another program are refused', async () => {
    expect(await rejection(Array.fromAsync(readOutcomes(linesOf(await written({ v: 2 })))))).toBeInstanceOf(
      Error,
    )
    expect(await rejection(read({ id: 0 }))).toBeInstanceOf(Error)
  })

  test('are read line by line, however they are cut', async () => {
    const lines = Array.from({ length: 3_000 }, (_, place) => `${place} ${'Größe → '.repeat(place % 40)}`)
    const bytes = await packed(lines.join('\n'))
    expect(await Array.fromAsync(linesOf(bytes))).toEqual(lines)
    expect(await Array.fromAsync(linesOf(await packed('a\n\nb\n')))).toEqual(['a', 'b'])
  })
})

describe('figures are a sentence for people', () => {
  const mean = meanBacktest([backtest, { ...backtest, smape: null }])
  const inside = '96 % of values were inside the 95 % band'
  const off = (trials: string, measure: string) =>
    `off by 4.2 % on average over ${trials}; ${measure} would be off by 6.1 %; ${inside}`

  test.each([
    ['week', 'P1D', 'P90D', off('5 trials of 90 days', 'the same day of the week before')],
    ['week', 'PT1H', 'P2D', off('5 trials of 48 hours', 'the same time of the week before')],
    ['day', 'PT5M', 'PT5M', off('5 trials of 1 step', 'the same time of the day before')],
    ['year', 'P1M', 'P1Y6M', off('5 trials of 18 months', 'the same month of the year before')],
    ['year', 'P3M', 'P2Y', off('5 trials of 8 quarters', 'the same quarter of the year before')],
    [null, 'P1Y', 'P6Y', off('5 trials of 6 years', 'the last value')],
  ])('season %s, step %s, horizon %s', (season, step, horizon, text) => {
    if (!mean) throw new Error('no figures')
    expect(figuresOf(mean, { season, step, horizon }).text).toBe(text)
  })

  test('without what is not known', () => {
    const bare = { ...backtest, folds: 1, smape: null, naive: { smape: null }, coverage: { '95': null } }
    expect(figuresOf(bare, { season: null, step: 'P1D', horizon: 'P7D' }).text).toBe('')
    expect(meanBacktest([])).toBeNull()
  })
})
