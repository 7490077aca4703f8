import { expect, test } from 'bun:test'

import { inOrder, linkOf, moved } from './member.ts'
import type { Member } from './member.ts'

const member = (id: number, position: number, state: Member['state']): Member =>
  ({ id, position, state, type: 'job', name: `job ${id}`, by: 'link' }) as Member
const ids = (members: readonly Member[]): readonly number[] => members.map(({ id }) => id)
const ALL = [member(1, 2, 'ok'), member(2, 3, 'major'), member(3, 1, 'minor')]

test('members stand at their positions, or worst first', () => {
  expect(ids(inOrder(ALL, 'link'))).toEqual([3, 1, 2])
  expect(ids(inOrder(ALL, 'name'))).toEqual([3, 1, 2])
  expect(ids(inOrder(ALL, 'state'))).toEqual([2, 3, 1])
})

test('a move stops at both ends of the list', () => {
  expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c'])
  expect(moved(['a', 'b', 'c'], 2, 5)).toEqual(['a', 'b', 'c'])
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a'], 3, 1)).toEqual(['a'])
})

test('a member keeps its weight and its overrides', () => {
  const weighed = { ...member(1, 1, 'ok'), weight: 2, stateOverrides: { warning: 'ok' as const } }
  expect(linkOf(weighed)).toEqual({ id: 1, weight: 2, stateOverrides: { warning: 'ok' } })
})
