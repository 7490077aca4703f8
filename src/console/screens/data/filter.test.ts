import { expect, test } from 'bun:test'

import { conditionsOf, filterInUrl, filterOf, isWhole, operatorsOf } from './filter.ts'
import type { Conditions } from './filter.ts'

const SHAPES: readonly (readonly [string, Conditions, unknown])[] = [
  ['no condition', { mode: 'and', of: [] }, null],
  [
    'one condition',
    { mode: 'and', of: [{ column: 'region', op: 'eq', value: 'north' }] },
    { column: 'region', op: 'eq', value: 'north' },
  ],
  [
    'a choice of two',
    {
      mode: 'or',
      of: [
        { column: 'a', op: 'not_null', value: '' },
        { column: 'b', op: 'match', value: '>=5' },
      ],
    },
    { or: [{ not: { column: 'a', op: 'is_null' } }, { column: 'b', match: '>=5' }] },
  ],
  [
    'lists',
    {
      mode: 'and',
      of: [
        { column: 'a', op: 'between', value: '1, 2' },
        { column: 'b', op: 'in', value: 'x, y, z' },
        { column: 'c', op: 'is_null', value: '' },
      ],
    },
    {
      and: [
        { column: 'a', op: 'between', values: ['1', '2'] },
        { column: 'b', op: 'in', values: ['x', 'y', 'z'] },
        { column: 'c', op: 'is_null' },
      ],
    },
  ],
]

test.each([...SHAPES])('%s: the form and the API have the same filter', (_, conditions, filter) => {
  expect(filterOf(conditions)).toEqual(filter as ReturnType<typeof filterOf>)
  expect(conditionsOf(filter as ReturnType<typeof filterOf>)).toMatchObject({ of: conditions.of })
})

test.each([
  ['an expression', { expr: 'a + b', op: 'gt', value: 1 }],
  ['a deeper filter', { and: [{ or: [] }] }],
  ['another negation', { not: { column: 'a', op: 'eq', value: 1 } }],
  ['no list', { and: 1 }],
])('%s stays as it is, since the form cannot show it', (_, filter) => {
  expect(conditionsOf(filter)).toBeNull()
})

test('a condition waits for its value, but an empty text can be equal', () => {
  expect(isWhole({ column: 'a', op: 'contains', value: ' ' })).toBe(false)
  expect(isWhole({ column: 'a', op: 'eq', value: '' })).toBe(true)
  expect(isWhole({ column: 'a', op: 'is_null', value: '' })).toBe(true)
})

test('an address may have anything', () => {
  expect(filterInUrl('{"column":"a","op":"is_null"}')).toEqual({ column: 'a', op: 'is_null' })
  for (const text of ['', '{', '[]', 'null', '1']) expect(filterInUrl(text)).toBeNull()
})

test('texts are searched, truth is compared, bytes are only there or not', () => {
  expect(operatorsOf('string')).toContain('contains')
  expect(operatorsOf('number')).not.toContain('contains')
  expect(operatorsOf('boolean')).toEqual(['eq', 'ne', 'is_null', 'not_null'])
  expect(operatorsOf('binary')).toEqual(['is_null', 'not_null'])
})
