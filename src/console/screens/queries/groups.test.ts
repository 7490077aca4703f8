import { expect, test } from 'bun:test'

import { groupOptions, idsBelow, pathOf, pathText } from './groups.ts'

const GROUPS = [
  { id: 3, name: 'March', parentId: 1 },
  { id: 1, name: 'Year', parentId: null },
  { id: 4, name: 'Days', parentId: 3 },
  { id: 2, name: 'Audit', parentId: null },
]

test('a group has the groups around it, the outermost first', () => {
  expect(pathText(GROUPS, 4)).toBe('Year / March / Days')
  expect(pathOf(GROUPS, null)).toEqual([])
  expect(pathOf(GROUPS, 99)).toEqual([])
})

test('groups that were moved into each other meanwhile end the path', () => {
  const circle = [
    { id: 1, name: 'a', parentId: 2 },
    { id: 2, name: 'b', parentId: 1 },
  ]
  expect(pathText(circle, 1)).toBe('b / a')
})

test('a group cannot be moved into itself or a group below it', () => {
  expect(idsBelow(GROUPS, 1)).toEqual(new Set([3, 1, 4]))
  expect(groupOptions(GROUPS, 'none', 3)).toEqual([
    { value: '', text: 'none' },
    { value: '2', text: 'Audit' },
    { value: '1', text: 'Year' },
  ])
  expect(groupOptions(GROUPS, 'none').map(({ text }) => text)).toEqual([
    'none',
    'Audit',
    'Year',
    'Year / March',
    'Year / March / Days',
  ])
})
