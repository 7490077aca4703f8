import { expect, test } from 'bun:test'

import { deliveriesOf, mergeDeliveries, remedyKey } from './deliveries.ts'

test('samples of one time are one delivery, latest first', () => {
  const samples = [
    { key: 'returnValue1', at: 1000, value: 1 },
    { key: 'stringValue1', at: 1000, value: 'storm' },
    { key: 'returnValue1', at: 2000, value: 2 },
    { key: 'returnValue1', at: 2000, value: 2 },
  ]
  expect(deliveriesOf(samples)).toEqual([
    { kind: 'stored', at: 2000, values: { returnValue1: 2 } },
    { kind: 'stored', at: 1000, values: { returnValue1: 1, stringValue1: 'storm' } },
  ])
})

test('refused deliveries stand between the stored ones by time', () => {
  const stored = deliveriesOf([1000, 3000].map((at) => ({ key: 'returnValue1', at, value: 1 })))
  const merged = mergeDeliveries(stored, [{ at: new Date(2000).toISOString(), code: 'invalid' }])
  expect(merged.map(({ kind, at }) => [kind, at])).toEqual([
    ['stored', 3000],
    ['refused', 2000],
    ['stored', 1000],
  ])
})

test('a code without its own remedy has the general one', () => {
  expect(remedyKey('value_not_defined')).toBe('job.remedy.value_not_defined')
  expect(remedyKey('internal')).toBe('job.remedy.other')
})
