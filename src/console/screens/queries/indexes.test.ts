import { expect, test } from 'bun:test'

import { indexesOf, textOfIndexes } from './indexes.ts'

test('indexes are a line of text and back', () => {
  const indexes = [
    { columns: ['region', 'day'], unique: false },
    { columns: ['id'], unique: true },
  ]
  expect(textOfIndexes(indexes)).toBe('region+day; id!')
  expect(indexesOf('region+day; id!')).toEqual(indexes)
  expect(indexesOf(' ; ! ')).toEqual([])
})
