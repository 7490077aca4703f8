import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { filterText } from './filter-text.ts'
import type { Filter } from './filter.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const north = { column: 'region', op: 'ne', value: 'north' }
const many = { column: 'count', op: 'gt', value: 5 }

test.each<readonly [Filter | null, string]>([
  [null, 'all rows'],
  [{ and: [] }, 'all rows'],
  [{ or: [] }, 'no rows'],
  [north, 'region is not north'],
  [{ and: [north] }, 'region is not north'],
  [
    { or: [north, { and: [many, north] }] },
    'region is not north or (count is greater than 5 and region is not north)',
  ],
  [{ not: { column: 'region', op: 'is_null' } }, 'region has a value'],
  [{ not: { or: [north, many] } }, 'not (region is not north or count is greater than 5)'],
  [{ expr: 'a + b', op: 'le', value: 1 }, '(a + b) is at most 1'],
  [{ column: 'code', match: '>=5' }, 'code satisfies >=5'],
  [{ other: 1 }, 'another filter'],
])('a filter is a line of text: %j', (filter, text) => {
  expect(filterText(filter)).toBe(text)
})
