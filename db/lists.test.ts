import { expect, test } from 'bun:test'
import { partsOf } from './lists.ts'

test('a list becomes as few parts as its JSON allows, in order; a longer element is a part of its own', () => {
  expect(partsOf([], 10)).toEqual([])
  expect(partsOf([1, 2, 3, 4], 5)).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(partsOf([1, 2, 3], 7)).toEqual([[1, 2, 3]])
  expect(partsOf([1, 'a long item', 2], 5)).toEqual([[1], ['a long item'], [2]])
})
