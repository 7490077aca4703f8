import { expect, test } from 'bun:test'

import { profileOf } from './mapping.ts'

const SETTINGS = {
  groupsClaim: 'groups',
  mapping: {
    '*': { userGroups: ['Everybody'] },
    ops: { role: 'editor', userGroups: ['Operations'] },
    night: { userGroups: ['Operations', 'Night shift'] },
    root: { role: 'administrator' },
    view: { role: 'dashboard_viewer' },
  },
  trustedMfa: ['hwk', 'urn:strong'],
} as const

const OF = ['Everybody', 'Operations', 'Night shift']

test.each([
  [[], null, ['Everybody']],
  ['ops', 'editor', ['Everybody', 'Operations']],
  [['view', 'ops', 'night'], 'editor', ['Everybody', 'Operations', 'Night shift']],
  [['view', 'root', 'ops'], 'administrator', ['Everybody', 'Operations']],
  [['OPS', 'op', 'ops ', '__proto__', 'constructor'], null, ['Everybody']],
  [[7, null, { ops: true }, ['ops']], null, ['Everybody']],
  [undefined, null, ['Everybody']],
] as const)('of groups %j the role is %p, and the user groups are %j', (groups, role, names) => {
  const profile = profileOf({ sub: 'x', groups }, SETTINGS)
  expect(profile.role).toBe(role)
  expect([...profile.userGroups.in].sort()).toEqual([...names].sort())
  expect(profile.userGroups.of).toEqual(OF)
})

test('names of groups are compared composed', () => {
  const mapping = {
    'B\u00fcro': { role: 'editor' },
    'K\u0075\u0308che': { userGroups: ['Kitchen'] },
  } as const
  const groups = ['Bu\u0308ro', 'K\u00fcche']
  const profile = profileOf({ sub: 'x', groups }, { ...SETTINGS, mapping })
  expect(profile).toMatchObject({ role: 'editor', userGroups: { in: ['Kitchen'] } })
})

test('without a mapping there is no role, and no user group is spoken of', () => {
  const profile = profileOf({ sub: 'x', groups: ['ops'] }, { ...SETTINGS, mapping: null })
  expect(profile).toMatchObject({ role: null, userGroups: { in: [], of: [] } })
})

test.each([
  [{ preferred_username: 'ada', email: 'a@example.org' }, 'ada'],
  [{ preferred_username: '', email: 'a@example.org' }, 'a@example.org'],
  [{ preferred_username: 7 }, 'subject'],
  [{ preferred_username: 'x'.repeat(256) }, 'subject'],
  [{ preferred_username: 'x'.repeat(255) }, 'x'.repeat(255)],
  [{ preferred_username: 'e\u0301' }, '\u00e9'],
] as const)('%j is called %s', (claims, username) => {
  expect(profileOf({ sub: 'subject', ...claims }, SETTINGS).username).toBe(username)
})

test.each([
  [true, true],
  ['true', false],
  [1, false],
  [undefined, false],
] as const)('an address with email_verified %p is verified: %p', (verified, isVerified) => {
  const claims = { sub: 'x', email: 'a@example.org', email_verified: verified }
  expect(profileOf(claims, SETTINGS).isEmailVerified).toBe(isVerified)
  expect(profileOf({ ...claims, email: undefined }, SETTINGS).isEmailVerified).toBe(false)
})

test.each([
  ['de', 'de'],
  ['de_CH', 'de-CH'],
  ['de-CH', 'de-CH'],
  ['German', null],
  ['', null],
  [undefined, null],
] as const)('the locale %p is the language %p', (locale, language) => {
  expect(profileOf({ sub: 'x', locale }, SETTINGS).language).toBe(language)
})

test.each([
  [{}, false],
  [{ amr: ['pwd'] }, false],
  [{ amr: ['pwd', 'hwk'] }, true],
  [{ amr: 'hwk' }, true],
  [{ acr: 'urn:strong' }, true],
  [{ acr: 'urn:stronger' }, false],
] as const)('%j is a second factor that is trusted: %p', (claims, isStrong) => {
  expect(profileOf({ sub: 'x', ...claims }, SETTINGS).isStrong).toBe(isStrong)
  expect(profileOf({ sub: 'x', ...claims }, { ...SETTINGS, trustedMfa: [] }).isStrong).toBe(false)
})
