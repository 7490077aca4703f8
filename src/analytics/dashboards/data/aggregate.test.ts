import { describe, expect, test } from 'bun:test'

import { aggregateOf, stateOf } from './aggregate.ts'

describe('the value of a column', () => {
  const rows: [
    aggregate: Parameters<typeof aggregateOf>[1],
    cells: (number | string | boolean | null)[],
    expected: unknown,
  ][] = [
    ['first', [3, 1], 3],
    ['first', [], null],
    ['last', [3, null], null],
    ['last', [3, 1], 1],
    ['sum', [3, null, '1.5', 'x'], 4.5],
    ['avg', [1, 2], 1.5],
    ['min', [3, 1, 2], 1],
    ['max', [3, 1, 2], 3],
    ['max', ['x'], null],
    ['count', [1, null, 'x'], 2],
    ['sum', [], null],
    ['avg', [3, '', ' ', '0x10', true, 'Infinity'], 3],
    ['avg', [1e308, 1e308], 1e308],
    ['sum', [1e308, 1e308], null],
  ]
  for (const [aggregate, cells, expected] of rows)
    test(`${aggregate} of ${JSON.stringify(cells)} is ${String(expected)}`, () =>
      expect(aggregateOf(cells, aggregate)).toEqual(expected as never))
})

test('the highest threshold that a value reaches has its state', () => {
  const thresholds = [
    { from: 10, state: 'warning' },
    { from: 20, state: 'major' },
  ] as const
  expect([5, 10, 19, 20, 'x', null].map((value) => stateOf(value, [...thresholds]))).toEqual([
    'ok',
    'warning',
    'warning',
    'major',
    null,
    null,
  ])
  expect(stateOf(5, [])).toBeNull()
})
