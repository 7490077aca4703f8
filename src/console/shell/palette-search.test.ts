import { expect, test } from 'bun:test'

import { matchIn, ranked, searchUrl } from './palette-search.ts'

const found = (id: number, path: string) =>
  ({ id, type: 'job', path, name: path.split('/').at(-1) ?? '' }) as const

const searched = (typed: string): string | null =>
  new URL(searchUrl(typed) ?? 'none:', 'http://x').searchParams.get('path')

test('a text is searched in names, a slash along the path', () => {
  expect(searched('pump')).toBe('**/*pump*')
  expect(searched(' cold  pump ')).toBe('**/*cold*pump*')
  expect(searched('harl/pump')).toBe('**/*harl*/*pump*')
  expect(searched('a*b')).toBe('**/*a\\*b*')
})

test('a number is searched by id; commands and blanks ask for no object', () => {
  expect(decodeURIComponent(searchUrl('#12') ?? '')).toContain(
    '"item":"id","operator":"eq","expression":"12"',
  )
  for (const typed of ['', '  ', '>alarms', '#', '#x', '/']) expect(searchUrl(typed)).toBeNull()
})

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
