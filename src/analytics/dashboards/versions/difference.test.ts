import { expect, test } from 'bun:test'

import { changesBetween } from './difference.ts'

test('the differences of two documents have their places, and the values before and after', () => {
  const from = { widgets: { w1: { title: 'a', kind: 'text' }, w2: { kind: 'line' } }, list: [1, 2] }
  const to = { widgets: { w1: { title: 'b', kind: 'text' }, w3: { kind: 'clock' } }, list: [1, 3, 4] }
  expect(changesBetween(from, to, 10)).toEqual([
    { op: 'replace', path: '/widgets/w1/title', from: 'a', to: 'b' },
    { op: 'remove', path: '/widgets/w2', from: { kind: 'line' } },
    { op: 'add', path: '/widgets/w3', to: { kind: 'clock' } },
    { op: 'replace', path: '/list/1', from: 2, to: 3 },
    { op: 'add', path: '/list/2', to: 4 },
  ])
  expect(changesBetween(from, from, 10)).toEqual([])
  expect(changesBetween({ a: [] }, { a: {} }, 10)).toEqual([{ op: 'replace', path: '/a', from: [], to: {} }])
  expect(changesBetween(from, to, 2)).toHaveLength(2)
})
