import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { chainOf, usersSentence, verdictSentence } from './rights.ts'
import type { Explanation, Grant } from './rights.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const none = { read: false, write: false, execute: false, maintain: false }
const grant = (objectId: number, rights: Partial<Grant>): Grant => ({
  ...none,
  read: true,
  subjectType: 'everyone',
  subjectId: 0,
  subjectName: '',
  inherited: true,
  object: { id: objectId, type: 'group', name: `Group ${objectId}` },
  ...rights,
})
const explanation = (change: Partial<Explanation>): Explanation => ({
  user: { id: 2, username: 'jonas', role: 'editor' },
  permissions: none,
  reasons: { read: 'granted', write: 'granted', execute: 'granted', maintain: 'granted' },
  grants: [],
  ...change,
})

test('the verdict names the rights that the user has', () => {
  expect(verdictSentence('Jonas', 'Pump 1', none)).toBe('Jonas may do nothing with Pump 1.')
  expect(verdictSentence('Jonas', 'Pump 1', { ...none, read: true })).toBe('Jonas may see Pump 1.')
  expect(verdictSentence('Jonas', 'Pump 1', { ...none, read: true, write: true, maintain: true })).toBe(
    'Jonas may see, change, and maintain Pump 1.',
  )
  expect(verdictSentence('Jonas', 'Pump 1', { read: true, write: true, execute: true, maintain: true })).toBe(
    'Jonas may do everything with Pump 1.',
  )
})

test('the nearest grant that gives a right decides the right', () => {
  const near = grant(9, { execute: true })
  const far = grant(1, { write: true, execute: true })
  const permissions = { read: true, write: true, execute: true, maintain: true }
  const [first, second] = chainOf(explanation({ permissions, grants: [near, far] }))
  expect(first).toEqual({ grant: far, decides: ['write', 'maintain'] })
  expect(second).toEqual({ grant: near, decides: ['read', 'execute'] })
})

test('a grant decides no right that the role of the user takes away, and none of an administrator', () => {
  const all = grant(1, { write: true, execute: true })
  const viewer = explanation({ permissions: { ...none, read: true }, grants: [all] })
  expect(chainOf(viewer)[0]?.decides).toEqual(['read'])
  const admin = { id: 1, username: 'admin', role: 'administrator' } as const
  const permissions = { read: true, write: true, execute: true, maintain: true }
  expect(chainOf(explanation({ user: admin, permissions, grants: [all] }))[0]?.decides).toEqual([])
})

test('the sentence of the list counts users, administrators and the disabled', () => {
  const user = { role: 'editor', disabled: false, type: 'local' }
  expect(usersSentence([{ ...user, role: 'administrator' }])).toBe('One user. One is an administrator.')
  expect(
    usersSentence([
      { ...user, role: 'administrator' },
      user,
      { ...user, type: 'LDAP_MANAGED', disabled: true },
    ]),
  ).toBe('3 users. One is an administrator. One comes from the directory. One is disabled.')
})
