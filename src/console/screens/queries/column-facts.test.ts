import { expect, test } from 'bun:test'

import { factsBody, factsOf } from './column-facts.ts'

const asked = (type: Parameters<typeof factsBody>[0]['type']) =>
  (factsBody({ name: 'a', type }) as { readonly aggregates: readonly { readonly as: string }[] }).aggregates
    .map((one) => one.as)
    .join(' ')

test('figures and times have a range, texts have different values, and documents are counted alone', () => {
  for (const type of ['integer', 'number', 'date', 'datetime', 'time'] as const)
    expect(asked(type)).toBe('rows filled distinct least greatest')
  for (const type of ['string', 'boolean'] as const) expect(asked(type)).toBe('rows filled distinct')
  for (const type of ['json', 'binary'] as const) expect(asked(type)).toBe('rows filled')
})

test('an answer is read by the names of its columns', () => {
  const columns = ['greatest', 'rows', 'filled', 'distinct', 'least'].map((name) => ({ name }))
  expect(factsOf(columns, [9, 10, 8, 4, 0])).toEqual({ rows: 10, empty: 2, distinct: 4, range: [0, 9] })
  expect(factsOf(columns, [null, 2, 0, 0, null])).toEqual({ rows: 2, empty: 2, distinct: 0, range: null })
  expect(factsOf(columns.slice(1, 3), [3, 3])).toEqual({ rows: 3, empty: 0, distinct: null, range: null })
})
