import { describe, expect, test } from 'bun:test'
import { Refusal } from '../../lib/errors.ts'
import { forecastBody } from './definition.ts'
import type { RowSource } from './definition.ts'
import { inputOf, seriesOfRows } from './series.ts'

const NAMES = { timeColumn: 'Order Date', valueColumn: 'Amount (CHF)', groupColumns: ['select', 'Größe'] }
const body = (source: object, more: object = {}) =>
  forecastBody.parse({ name: 'one', source, step: 'P1D', horizon: 'P7D', ...more })
const queried = body({ type: 'dataQuery', dataQueryId: 7, ...NAMES })
const source = queried.source as RowSource
const columns = ['Größe', 'Order Date', 'select', 'Amount (CHF)'].map((name) => ({ name, type: 'string' }))
const rows = [
  ['L', '2026-03-28', 'north', 10.5],
  ['L', '2026-03-29', 'north', '11'],
  ['S', '2026-03-29T10:00:00Z', 'north', null],
  ['L', '2026-03-30', 'north', 12],
  ['L', '1999-01-01', 'north', 1],
  ['L', null, 'north', 1],
]
const place = { since: Date.UTC(2026, 0, 1), timeZone: 'Europe/Zurich' }
const refused = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    if (error instanceof Refusal) return [error.code, ...error.errors.map(({ pointer }) => pointer)]
    throw error
  }
  return []
}

describe('series of rows', () => {
  test('keep the groups of columns of any names; days begin at midnight of the zone, on days of 23 hours too', () => {
    const { groups } = seriesOfRows({ columns, rows }, source, place)
    expect(groups.map(({ key }) => key)).toEqual([
      ['north', 'L'],
      ['north', 'S'],
    ])
    const [large, small] = groups
    expect(large?.series.y).toEqual([10.5, 11, 12])
    expect(large?.series.t.map((at, index, all) => (at - (all[index - 1] ?? at)) / 3_600_000)).toEqual([
      0, 24, 23,
    ])
    expect(small?.series).toEqual({ t: [Date.UTC(2026, 2, 29, 10)], y: [null], x: [] })
  })

  test('name the column that is not there, and the one that has no times', () => {
    const without = (gone: string) =>
      columns.map((one) => (one.name === gone ? { ...one, name: 'other' } : one))
    expect(refused(() => seriesOfRows({ columns: without('Order Date'), rows }, source, place))).toEqual([
      'invalid',
      '/source/timeColumn',
    ])
    expect(refused(() => seriesOfRows({ columns: without('Größe'), rows }, source, place))).toEqual([
      'invalid',
      '/source/groupColumns/1',
    ])
    expect(
      refused(() => seriesOfRows({ columns, rows: [['L', 'soon', 'north', 1]] }, source, place)),
    ).toEqual(['invalid', '/source/timeColumn'])
  })
})

describe('the input of the engine', () => {
  const about = { now: 1, timeZone: 'UTC' }
  const empty = { t: [], y: [], x: [] }

  test('has the order and a line for each series, without names of columns', () => {
    const set = {
      ...seriesOfRows({ columns, rows }, source, place),
      groupColumns: [{ name: 'select', type: 'string' as const }],
    }
    const lines = inputOf(queried, set, about)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatchObject({
      v: 1,
      kind: 'auto',
      horizon: 7,
      step: 86_400_000,
      duplicates: 'mean',
      keyTypes: ['string'],
      folds: 5,
    })
    expect(lines[1]).toMatchObject({ id: 0, key: ['north', 'L'], y: [10.5, 11, 12] })
    expect(JSON.stringify(lines)).not.toContain('Order Date')
  })

  test('is refused without a series, with 1,001 groups, and with 2,000,001 points', () => {
    const groupsOf = (count: number, points = 0) => ({
      groups: Array.from({ length: count }, () => ({
        key: [],
        series: { ...empty, t: Array.from({ length: points }, () => 0) },
      })),
      groupColumns: [],
    })
    expect(refused(() => inputOf(queried, groupsOf(0), about))).toEqual(['invalid'])
    expect(refused(() => inputOf(queried, groupsOf(1_000), about))).toEqual([])
    expect(refused(() => inputOf(queried, groupsOf(1_001), about))).toEqual(['query_too_large'])
    expect(refused(() => inputOf(queried, groupsOf(1, 2_000_001), about))).toEqual(['query_too_large'])
  })
})

const daysOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ date: '2026-05-01', name: `day ${at}` }))

describe('a forecast', () => {
  const job = { type: 'job', jobId: 3, key: 'returnValue1' }
  const rowsOf = (more: object) => ({ type: 'dataTable', dataSourceId: 1, table: 't', ...NAMES, ...more })
  const pointersOf = (given: object) =>
    forecastBody
      .safeParse({ name: 'one', source: job, step: 'P1D', horizon: 'P7D', ...given })
      .error?.issues.map(({ path }) => path.join('/')) ?? []

  test.each([
    [{ horizon: 'PT36H' }, ['horizon']],
    [{ horizon: 'P1M' }, ['horizon']],
    [{ step: 'PT7H' }, ['step']],
    [{ step: 'PT5M', horizon: 'P35D' }, ['horizon']],
    [{ step: 'P3M', horizon: 'P4M' }, ['horizon']],
    [{ levels: [49] }, ['levels/0']],
    [{ levels: [80, 80] }, ['levels']],
    [{ levels: [50, 60, 70, 80, 90] }, ['levels']],
    [{ bounds: { min: 2, max: 1 } }, ['bounds/max']],
    [{ backtest: { folds: 21 } }, ['backtest/folds']],
    [{ model: { kind: 'lstm' } }, ['model/kind']],
    [{ model: { kind: 'prophet', params: { growth: 'cubic' } } }, ['model/params/growth']],
    [{ model: { kind: 'sarimax', params: { rounds: 3 } } }, ['model/params/rounds']],
    [{ source: { ...job, key: 'errorCode' } }, ['source/key']],
    [{ source: rowsOf({ groupColumns: ['yhat'] }) }, ['source/groupColumns/0']],
    [{ source: rowsOf({ groupColumns: ['Order Date'] }) }, ['source/groupColumns/0']],
    [{ source: rowsOf({ regressors: [{ column: 'select' }] }) }, ['source/regressors/0/column']],
    [{ timeout: 86_401 }, ['timeout']],
    [{ model: { kind: 'naive', search: true } }, ['model/search']],
    [{ model: { kind: 'custom:croston', search: true } }, ['model/search']],
    [{ holidays: { country: 'Switzerland' } }, ['holidays/country']],
    [{ holidays: { days: [{ date: '2026-02-30', name: 'x' }] } }, ['holidays/days/0/date']],
    [{ holidays: { days: daysOf(21) } }, ['holidays/days']],
    [{ holidays: { days: Array(1_001).fill(daysOf(1)[0]) } }, ['holidays/days']],
    [{ holidays: { country: 'CH' }, step: 'P7D' }, ['holidays']],
    [{ source: rowsOf({ groupColumns: ['anomaly'] }) }, ['source/groupColumns/0']],
  ])('with %j has the faults %j', (given, expected) => {
    expect(pointersOf(given)).toEqual(expected)
  })

  test.each([
    [{ step: 'PT5M', horizon: 'PT50000M' }],
    [{ step: 'P1M', horizon: 'P1Y6M' }],
    [{ step: 'P1Y', horizon: 'P6Y' }],
    [{ levels: [50, 60, 80, 99] }],
    [{ model: { kind: 'custom:croston', params: { any: 3 } } }],
    [{ model: { kind: 'sarimax', params: { order: [5, 2, 5], seasonalOrder: [0, 1, 1, 24] } } }],
    [{ timeout: 0, backtest: { folds: 0 } }],
    [{ model: { kind: 'auto', search: true } }],
    [{ holidays: { country: 'CH-ZH', days: daysOf(20) } }],
    [{ holidays: { days: Array(1_000).fill(daysOf(1)[0]) }, step: 'PT1H' }],
  ])('may have %j', (given) => {
    expect(pointersOf(given)).toEqual([])
  })
})
