import { expect, test } from 'bun:test'

import type { Alarm } from '../../actions/alarms.ts'
import { groupsOf, shownOf } from './list.ts'

function alarm(id: number, state: string, path: string, more: object = {}): Alarm {
  return {
    id,
    state,
    begin: `2026-11-25T0${id}:00:00Z`,
    end: null,
    assignee: null,
    suppressedBy: null,
    heldReason: null,
    object: { id, path },
    ...more,
  } as unknown as Alarm
}

const list = [
  alarm(1, 'warning', '/a/x/j1'),
  alarm(2, 'major', '/a/y/j2', { assignee: { userId: 5, name: 'Ada' } }),
  alarm(3, 'minor', '/a/x/j3'),
  alarm(4, 'major', '/a/y/j4', { suppressedBy: 2 }),
  alarm(5, 'minor', '/a/y/j5', { heldReason: 'maintenance' }),
]
const ids = (alarms: readonly Alarm[]) => alarms.map(({ id }) => id)

test('held back alarms are apart from open ones', () => {
  expect(ids(shownOf(list, { status: 'open', owner: 'all', userId: 5, text: '' }))).toEqual([1, 2, 3])
  expect(ids(shownOf(list, { status: 'held', owner: 'all', userId: 5, text: '' }))).toEqual([4, 5])
  expect(ids(shownOf(list, { status: 'open', owner: 'none', userId: 5, text: '' }))).toEqual([1, 3])
  expect(ids(shownOf(list, { status: 'open', owner: 'mine', userId: 5, text: '' }))).toEqual([2])
})

test('a text is found in the way to the object and in the message', () => {
  const all = { status: 'open', owner: 'all', userId: 5 } as const
  expect(ids(shownOf(list, { ...all, text: ' A/X ' }))).toEqual([1, 3])
  const told = [alarm(6, 'minor', '/a/z/j6', { message: 'Sluice stuck' })]
  expect(ids(shownOf([...list, ...told], { ...all, text: 'stuck' }))).toEqual([6])
})

test('the group with the worst alarm comes first, and its worst alarm', () => {
  const groups = groupsOf(list.slice(0, 3))
  expect(groups.map(({ place, alarms }) => [place, ids(alarms)])).toEqual([
    ['a / y', [2]],
    ['a / x', [3, 1]],
  ])
})

test('of closed alarms the latest comes first, in any state', () => {
  const closed = (id: number, state: string, hour: number) =>
    alarm(id, state, `/a/x/j${id}`, { end: `2026-11-25T1${hour}:00:00Z` })
  const [group] = groupsOf([closed(1, 'major', 2), closed(2, 'warning', 5), closed(3, 'minor', 4)])
  expect(ids(group?.alarms ?? [])).toEqual([2, 3, 1])
})
