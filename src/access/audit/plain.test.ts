import { expect, test } from 'bun:test'

import { differenceOf } from './plain.ts'

test('a change lists only the fields that differ', () => {
  const before = { name: 'a', role: 'editor', version: 1, list: [1, 2] }
  const after = { name: 'b', role: 'editor', list: [1, 2], extra: true }
  expect(differenceOf(before, after)).toEqual({ before: { name: 'a' }, after: { name: 'b', extra: true } })
})

test('a new or deleted object is listed with all fields', () => {
  expect(differenceOf(null, { name: 'a' })).toEqual({ before: null, after: { name: 'a' } })
  expect(differenceOf({ name: 'a' }, null)).toEqual({ before: { name: 'a' }, after: null })
  expect(differenceOf(null, null)).toEqual({ before: null, after: null })
})

test.each([
  'password',
  'passwordHash',
  'newPassword',
  'DB_PASS',
  'pass',
  'PW',
  'secret',
  'clientSecret',
  'token',
  'refreshToken',
  'hash',
  'credentials',
  'apiKey',
])('%s is named and not shown, wherever it stands', (name) => {
  const told = JSON.stringify(
    differenceOf({ [name]: 'canary 1' }, { [name]: 'canary 2', deep: [{ [name]: 'canary 3' }] }),
  )
  expect(told).toContain(name)
  expect(told).not.toContain('canary')
})

test.each(['name', 'passenger', 'keyboard', 'propertyKey', 'compass'])('%s is not secret', (name) => {
  expect(differenceOf(null, { [name]: 'shown' }).after).toEqual({ [name]: 'shown' })
})

test('a long text is replaced by its length', () => {
  const text = (length: number) => ({ text: 'x'.repeat(length) })
  expect(differenceOf(null, text(3_998)).after).toEqual(text(3_998))
  expect(differenceOf(null, text(3_999)).after).toEqual({ text: '(4001 characters)' })
})
