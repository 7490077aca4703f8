import { expect, test } from 'bun:test'

import { jsonParts } from './json-parts.ts'

test('items become as few arrays as their length allows, in order; a long one stands alone', () => {
  expect(jsonParts([], 10)).toEqual([])
  expect(jsonParts([1, 2, 3, 4], 5)).toEqual(['[1,2]', '[3,4]'])
  expect(jsonParts([1, 2, 3], 7)).toEqual(['[1,2,3]'])
  expect(jsonParts([1, 'a long item', 2], 5)).toEqual(['[1]', '["a long item"]', '[2]'])
})
