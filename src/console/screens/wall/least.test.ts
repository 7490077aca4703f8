import { expect, test } from 'bun:test'

import { leastOf } from './least.ts'

const container = (name: string, creditTotal: number, creditLeft: number) => ({
  name,
  values: { creditTotal, creditLeft },
})

test('the least budget is the smallest share, not the smallest time', () => {
  expect(leastOf([container('Portal', 100, 30), container('Gates', 1000, 170)])).toEqual({
    name: 'Gates',
    left: 0.17,
  })
})

test('a budget that is exceeded has nothing left', () => {
  expect(leastOf([container('Portal', 100, 1), container('Gates', 60, -20)])).toEqual({
    name: 'Gates',
    left: 0,
  })
})

test('containers without a budget do not count', () => {
  expect(leastOf([container('Archive', 0, 0)])).toBeNull()
  expect(leastOf([container('Archive', 0, 0), container('Portal', 10, 9)])).toEqual({
    name: 'Portal',
    left: 0.9,
  })
  expect(leastOf([])).toBeNull()
})
