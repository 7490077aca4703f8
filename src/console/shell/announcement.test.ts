import { expect, test } from 'bun:test'

import { announced, withEvent } from './announcement.ts'
import type { NewAlarms } from './announcement.ts'

const after = (...events: readonly (readonly [id: number, kind: string, state: string])[]): NewAlarms =>
  events.reduce<NewAlarms>(
    (before, [alarmId, kind, state]) =>
      withEvent(before, { kind: 'alarm', data: { alarmId, kind, state, name: `pump ${alarmId}` } }),
    new Map(),
  )

test('new major and minor alarms are announced together, with the worst of them', () => {
  expect(announced(after([1, 'opened', 'minor']))).toEqual({ count: 1, worst: 'minor', name: 'pump 1' })
  expect(announced(after([1, 'opened', 'minor'], [2, 'opened', 'major']))).toEqual({
    count: 2,
    worst: 'major',
    name: 'pump 2',
  })
  expect(announced(after([1, 'opened', 'minor'], [1, 'worsened', 'major']))).toMatchObject({
    count: 1,
    worst: 'major',
  })
})

test('warnings, other changes, and alarms that ended before are not announced', () => {
  expect(announced(after([1, 'opened', 'warning'], [2, 'assigned', 'major']))).toBeNull()
  expect(announced(after([1, 'opened', 'major'], [1, 'closed', 'ok']))).toBeNull()
  expect(announced(after([1, 'opened', 'major'], [1, 'eased', 'warning']))).toBeNull()
})
