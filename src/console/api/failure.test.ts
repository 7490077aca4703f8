import { expect, test } from 'bun:test'

import { objectOf } from './failure.ts'

test('a URL names the object whose route was called', () => {
  expect(objectOf('http://a.example/base/jobs/3')).toEqual({ type: 'job', id: 3 })
  expect(objectOf('http://a.example/group/12/alarmLinks')).toEqual({ type: 'group', id: 12 })
  expect(objectOf('http://a.example/slcs/4?thresholds=true')).toEqual({ type: 'slc', id: 4 })
})

test('a URL of another route names no object', () => {
  for (const path of ['/users/3', '/notifications', '/userGroups/3', '/scripts/x/jobs/j_01', '/jobs/actions'])
    expect(objectOf(`http://a.example${path}`)).toBeNull()
})
