import { expect, test } from 'bun:test'

import { matchIn, ranked } from './palette-search.ts'

const found = (id: number, path: string) =>
  ({ id, type: 'job', path, name: path.split('/').at(-1) ?? '' }) as const

test('names that begin with the text come first, then shorter paths', () => {
  const items = [found(1, '/Plant/Old pump'), found(2, '/Plant/Hall/Pump 2'), found(3, '/Plant/Pump 1')]
  expect(ranked(items, 'pump').map(({ id }) => id)).toEqual([3, 2, 1])
  expect(ranked(items, 'plant/pump').map(({ id }) => id)).toEqual([3, 2, 1])
})

test('the typed text is marked in a name in upper or lower case', () => {
  expect(matchIn('Old Pump 2', 'pump')).toEqual(['Old ', 'Pump', ' 2'])
  expect(matchIn('Old Pump 2', 'hall/old')).toEqual(['', 'Old', ' Pump 2'])
  expect(matchIn('Old Pump 2', '#12')).toEqual(['Old Pump 2', '', ''])
  expect(matchIn('Old Pump 2', '')).toEqual(['Old Pump 2', '', ''])
})
