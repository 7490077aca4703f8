import { expect, test } from 'bun:test'

import { deletedIn, idsIn } from './restored.ts'

const entry = (objectId: string, objectType: string, at: string, name?: string) =>
  ({ at, objectType, objectId, username: 'ada', before: name === undefined ? null : { name } }) as Parameters<
    typeof deletedIn
  >[0][number]
const ENTRIES = [
  entry('7', 'group', '2026-11-25T10:00:00Z', 'Pumps'),
  entry('3', 'user', '2026-11-25T09:00:00Z', 'jonas'),
  entry('8', 'job', '2026-11-24T10:00:00Z'),
  entry('7', 'group', '2026-11-20T10:00:00Z', 'Old pumps'),
]

test('deleted objects are named once, latest first, without other things', () => {
  expect(deletedIn(ENTRIES, null).map(({ id, name }) => [id, name])).toEqual([
    [7, 'Pumps'],
    [8, '#8'],
  ])
})

test('an object that was deleted before the backup is left out: the backup does not have it', () => {
  expect(deletedIn(ENTRIES, '2026-11-24T12:00:00Z').map(({ id }) => id)).toEqual([7])
  expect(deletedIn(ENTRIES, '2026-11-25T10:00:00Z')).toEqual([])
})

test('ids are separated by commas or spaces, and nothing else is an id', () => {
  expect(idsIn('7, 8 9')).toEqual([7, 8, 9])
  expect(idsIn('')).toEqual([])
  for (const text of ['pump', '7;8', '0', '-1', '1.5']) expect(idsIn(text)).toBeNull()
})
