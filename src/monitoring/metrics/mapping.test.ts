import { describe, expect, test } from 'bun:test'

import { BARE } from '../jobs/delivery.ts'
import { itemsOf as roundItems } from '../jobs/round.ts'
import { arrange, named, wishesOf } from './mapping.ts'
import type { Point } from './points.ts'
import { Tally } from './tally.ts'

const AT = 1_772_442_000_000

const point = (fields: Partial<Point> & { number?: number } = {}): Point => ({
  series: 0,
  metric: 'first',
  job: '3',
  value: null,
  at: AT,
  numbers: [{ suffix: '', number: fields.number ?? 1 }],
  fault: null,
  ...fields,
})

const histogram = (count: number, sum: number | null, metric = 'h') =>
  point({
    metric,
    numbers: [
      { suffix: '_count', number: count },
      ...(sum === null ? [] : [{ suffix: '_sum', number: sum } as const]),
    ],
  })

/** Jobs 3 and 4, and the names of their values. */
const JOBS: Readonly<Record<number, readonly string[]>> = {
  3: ['first', 'second', 'h_count', 'h_sum', 'only_sum'],
  4: ['first'],
}

const KNOWN = new Map(
  Object.entries(JOBS).map(([id, names]) => {
    const valueNumbers = new Map(names.map((name, index) => [name, index + 1]))
    return [Number(id), { valueCount: names.length, valueNumbers }]
  }),
)

function map(points: readonly Point[]) {
  const tally = new Tally(points.length)
  const { rows, items } = arrange(named(points, tally), KNOWN, tally)
  const ofRows = rows.flatMap(({ round }) => roundItems(round, () => null))
  const all = [...ofRows, ...items.map(({ item }) => item)]
  const deliveries = all.map(({ jobId, sent }) => ({ jobId, ...('delivery' in sent ? sent.delivery : BARE) }))
  return {
    deliveries: deliveries
      .toSorted((one, other) => (one.timestampAt ?? Infinity) - (other.timestampAt ?? Infinity) || 0)
      .map(({ jobId, timestampAt, values }) => [jobId, timestampAt, values]),
    rejected: tally.rejected,
    skipped: tally.skipped,
    message: tally.message,
    all,
    rows,
  }
}

describe('a point is delivered', () => {
  test.each<[string, Point, Record<string, number>]>([
    ["by its metric's name", point({ metric: 'second', number: 7 }), { returnValue2: 7 }],
    [
      'by the value it names',
      point({ metric: 'anything', value: 'returnValue5', number: 7 }),
      { returnValue5: 7 },
    ],
    ['by that value before its name', point({ metric: 'first', value: 'returnValue2' }), { returnValue2: 1 }],
    ['with a count and a sum', histogram(4, 2.5), { returnValue3: 4, returnValue4: 2.5 }],
    ['with a count alone', histogram(4, null), { returnValue3: 4 }],
    ['with a count whose sum is not a number', histogram(4, Number.NaN), { returnValue3: 4 }],
    ['with the one of both that is defined', histogram(4, 9, 'only'), { returnValue5: 9 }],
    ['with the finite one of both', histogram(4, Number.NEGATIVE_INFINITY), { returnValue3: 4 }],
    ['when it is minus zero', point({ number: -0 }), { returnValue1: -0 }],
  ])('%s', (_, one, values) => {
    expect(map([one])).toMatchObject({ deliveries: [[3, AT, values]], rejected: 0, skipped: 0, message: '' })
  })

  test('with error code 0, so that a silent job recovers', () => {
    const delivery = { ...BARE, values: { returnValue1: 1 }, errorCode: 0, timestampAt: AT }
    const item = { jobId: 3, sent: { delivery }, repeat: null, isOnce: true } as const
    expect(map([point()]).all).toEqual([item])
    const several = { ...delivery, values: { returnValue3: 4, returnValue4: 2.5 } }
    expect(map([histogram(4, 2.5)]).all).toEqual([{ ...item, sent: { delivery: several } }])
  })
})

describe('a point is rejected', () => {
  test.each<[string, Point]>([
    ['the data point names no job: tidemark_job is missing', point({ job: null })],
    ['tidemark_job must be the id of a job', point({ job: 'three' })],
    ['tidemark_job must be the id of a job', point({ job: '1e3' })],
    ['job 03: tidemark_job must be the id of a job', point({ job: '03' })],
    ['tidemark_job must be the id of a job', point({ job: '1'.repeat(16) })],
    ['job 5: there is no such webhook job', point({ job: '5' })],
    ['job 5: there is no such webhook job', point({ job: '5', value: 'returnValue1' })],
    ['job 3: the value is not defined on the job', point({ metric: 'third' })],
    ['job 3: the value is not defined on the job', point({ metric: 'FIRST' })],
    ['job 3: the value is not defined on the job', point({ metric: '' })],
    ['job 3: the value is not defined on the job', point({ metric: 'x'.repeat(256) })],
    ['job 3: the value is not defined on the job', point({ value: 'returnValue6' })],
    ['job 3: the value is not defined on the job', histogram(1, 2, 'none')],
    ['job 3: tidemark_value must be returnValue1 to returnValue64', point({ value: 'returnValue65' })],
    ['job 3: tidemark_value must be returnValue1 to returnValue64', point({ value: 'returnValue0' })],
    ['job 3: tidemark_value must be returnValue1 to returnValue64', point({ value: 'stringValue1' })],
    [
      'job 3: tidemark_value names one value, but the data point has several',
      { ...histogram(1, 2), value: 'returnValue1' },
    ],
    ['job 3: the value must be finite', point({ number: Number.POSITIVE_INFINITY })],
    ['job 3: the value must be finite', point({ number: Number.NEGATIVE_INFINITY })],
    ['job 3: a fault of its own', point({ fault: 'a fault of its own', numbers: [] })],
  ])('because %s', (why, one) => {
    expect(map([one, point({ job: '4' })])).toMatchObject({
      deliveries: [[4, AT, { returnValue1: 1 }]],
      rejected: 1,
      skipped: 0,
      message: `1 of 2 data points were rejected: ${why} (1).`,
    })
  })

  test('because another point has the same job, value and instant', () => {
    expect(map([point({ number: 1 }), point({ number: 2, series: 1 })])).toMatchObject({
      deliveries: [[3, AT, { returnValue1: 1 }]],
      rejected: 1,
    })
  })
})

describe('points', () => {
  test('points without a number are skipped, with any job and value', () => {
    const none = point({ number: Number.NaN, job: null })
    expect(map([none, point({ number: Number.NaN }), histogram(Number.NaN, Number.NaN)])).toMatchObject({
      deliveries: [],
      rejected: 0,
      skipped: 3,
      message: '3 without a number (NaN, stale) were skipped.',
    })
  })

  test('points of one job and instant make one delivery; deliveries are in order of time', () => {
    const points = [
      point({ at: null }),
      point({ at: AT + 1 }),
      point({ job: '4' }),
      point({ metric: 'second', number: 2 }),
      point(),
      point({ metric: 'second', at: AT + 1 }),
    ]
    expect(map(points)).toMatchObject({
      deliveries: [
        [4, AT, { returnValue1: 1 }],
        [3, AT, { returnValue1: 1, returnValue2: 2 }],
        [3, AT + 1, { returnValue1: 1, returnValue2: 1 }],
        [3, null, { returnValue1: 1 }],
      ],
      rejected: 0,
    })
  })

  test('single values of many jobs at one instant make one row; a job with several values at once is in none', () => {
    const points = [
      point(),
      point({ job: '4', number: 2, series: 1 }),
      point({ job: '4', number: 3, at: AT + 1, series: 2 }),
      point({ job: '3', metric: 'second', at: AT + 1, series: 3 }),
    ]
    const rowsOf = (all: readonly Point[]) =>
      map(all).rows.map(({ round: { key, timestampAt, jobIds, values }, points: its }) => [
        key,
        (timestampAt ?? 0) - AT,
        jobIds,
        values,
        its.map(({ series }) => series),
      ])
    expect(rowsOf(points)).toEqual([
      ['returnValue1', 0, [3, 4], [1, 2], [0, 1]],
      ['returnValue1', 1, [4], [3], [2]],
      ['returnValue2', 1, [3], [1], [3]],
    ])
    expect(rowsOf([...points, point({ at: AT + 1 })])).toEqual([
      ['returnValue1', 0, [4], [2], [1]],
      ['returnValue1', 1, [4], [3], [2]],
    ])
  })

  test('points that need the same value look it up once, and nothing that is known', () => {
    const points = [point(), point({ at: 5 }), point({ job: '4' }), point({ value: 'returnValue1' })]
    const good = named(points, new Tally(4))
    expect(wishesOf(good, new Map())).toEqual([
      { jobId: 3, name: 'first' },
      { jobId: 4, name: 'first' },
      { jobId: 3, name: '' },
    ])
    const known = new Map([[3, { valueCount: 1, valueNumbers: new Map<string, number>() }]])
    expect(wishesOf(good, known)).toEqual([
      { jobId: 3, name: 'first' },
      { jobId: 4, name: 'first' },
    ])
    expect(wishesOf(good, KNOWN)).toEqual([])
  })
})

describe('the tally', () => {
  test('lists ten reasons with their counts, and counts the others', () => {
    const tally = new Tally(25)
    for (let index = 0; index < 24; index++)
      tally.reject(point({ job: String(1 + (index % 12)), series: index }), 'no')
    tally.skip()
    expect(tally.message).toBe(
      '24 of 25 data points were rejected: job 1: no (2); job 2: no (2); job 3: no (2); job 4: no (2); ' +
        'job 5: no (2); job 6: no (2); job 7: no (2); job 8: no (2); job 9: no (2); job 10: no (2); ' +
        'and 2 more reasons. 1 without a number (NaN, stale) were skipped.',
    )
    expect(tally.faults((series) => `/timeseries/${series}`)).toHaveLength(10)
    expect(tally.faults((series) => `/timeseries/${series}`)[1]).toEqual({
      pointer: '/timeseries/1',
      message: 'job 2: no',
    })
  })

  test('repeats no input except job ids', () => {
    const tally = new Tally(1)
    tally.reject(point({ job: '<script>', metric: '<b>' }), 'no')
    expect(tally.message).not.toContain('<')
  })
})
