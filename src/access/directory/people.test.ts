import { describe, expect, test } from 'bun:test'

import { parseEnvironment } from '../../ports/environment.ts'
import { settingsOf, settingsSchema } from '../../ports/settings.ts'
import { peopleQuery, personOf } from './people.ts'

const NO_GROUPS = { dns: [], members: [] }

function ldapOf(variables: Readonly<Record<string, string>> = {}) {
  const environment = {
    TIDEMARK_LDAP_URL: 'ldaps://localhost',
    TIDEMARK_LDAP_BIND_DN: 'cn=service',
    TIDEMARK_LDAP_BIND_PASSWORD: 'secret',
    TIDEMARK_LDAP_BASE_DN: 'dc=example',
    ...variables,
  }
  const { ldap } = settingsOf(parseEnvironment(settingsSchema, environment))
  if (!ldap) throw new Error('There is no directory.')
  return ldap
}

function entryOf(values: Readonly<Record<string, readonly string[]>>, dn = 'uid=ada,dc=example') {
  return { dn, values: new Map(Object.entries({ entryuuid: ['1-A'], uid: ['ada'], ...values })) }
}

describe('an entry', () => {
  test.each<readonly [string, Readonly<Record<string, readonly string[]>>, object]>([
    ['is a person', {}, { directoryId: '1-a', username: 'ada', fullname: '', email: '', isDisabled: false }],
    ['has the first of several names', { cn: ['Ada', 'Countess'] }, { fullname: 'Ada' }],
    [
      'loses spaces around',
      { uid: [' ada '], mail: [' a@b.example '] },
      { username: 'ada', email: 'a@b.example' },
    ],
    [
      'is cut where it is too long',
      { cn: ['x'.repeat(256)], telephonenumber: ['1'.repeat(65)] },
      { fullname: 'x'.repeat(255), phone: '1'.repeat(64) },
    ],
    [
      'is cut before a character that is too long, and keeps no character that no database keeps',
      { cn: [`${'x'.repeat(254)}\u{1F600}`], telephonenumber: ['1\u00002'] },
      { fullname: 'x'.repeat(254), phone: '1\uFFFD2' },
    ],
    ['needs an id', { entryuuid: [] }, { directoryId: null, fault: 'has no entryUUID' }],
    ['needs a name', { uid: [] }, { directoryId: '1-a', fault: 'has no uid that is a valid username' }],
    ['needs a name without a colon', { uid: ['a:b'] }, { fault: 'has no uid that is a valid username' }],
    [
      'needs a name of 255 characters at most',
      { uid: ['x'.repeat(256)] },
      { fault: 'has no uid that is a valid username' },
    ],
    ['leaves out a mail that is not an address', { mail: ['a@b.example, c@d.example'] }, { email: '' }],
    ['may have a name of 255 characters', { uid: ['x'.repeat(255)] }, { username: 'x'.repeat(255) }],
    ['needs one name', { uid: ['ada', 'countess'] }, { fault: 'has more than one uid' }],
    ['of OpenLDAP has no account control', { useraccountcontrol: ['2'] }, { isDisabled: false }],
  ])('%s', (_, values, expected) => {
    expect(personOf(entryOf(values), ldapOf(), NO_GROUPS)).toMatchObject(expected)
  })

  test.each([
    ['512', false],
    ['514', true],
    ['66050', true],
    ['66048', false],
    ['', false],
  ])('of Active Directory with the account control %p is disabled: %p', (value, isDisabled) => {
    const entry = entryOf({ objectguid: ['00ff'], samaccountname: ['ada'], useraccountcontrol: [value] })
    const ldap = ldapOf({ TIDEMARK_LDAP_SCHEMA: 'active-directory' })
    expect(personOf(entry, ldap, NO_GROUPS)).toMatchObject({ directoryId: '00ff', isDisabled })
  })

  test('is in the groups of the rules that it names, or that name it', () => {
    const rules = ['cn=a', 'cn=b', 'cn=a'].map((group) => ({ group, role: 'editor' }))
    const named = ldapOf({ TIDEMARK_LDAP_GROUPS: JSON.stringify(rules) })
    const dns = rules.map(({ group }) => group)
    expect(personOf(entryOf({ memberof: ['CN=A', 'cn=c'] }), named, { dns, members: [] })).toMatchObject({
      rules: [0, 2],
    })
    const naming = ldapOf({ TIDEMARK_LDAP_GROUPS: JSON.stringify(rules), TIDEMARK_LDAP_MEMBERSHIP: 'member' })
    const members = [new Set<string>(), new Set(['uid=ada,dc=example']), new Set<string>()]
    expect(
      personOf(entryOf({ memberof: ['cn=a'] }, 'UID=Ada, dc=example'), naming, { dns, members }),
    ).toMatchObject({
      rules: [1],
    })
  })
})

test('what is asked for follows the schema, and ids of Active Directory are bytes', () => {
  expect(peopleQuery(ldapOf())).toEqual({
    dn: 'dc=example',
    scope: 'sub',
    filter: '(objectClass=inetOrgPerson)',
    attributes: ['entryUUID', 'uid', 'cn', 'mail', 'telephoneNumber', 'memberOf'],
    bytes: [],
  })
  const variables = {
    TIDEMARK_LDAP_SCHEMA: 'active-directory',
    TIDEMARK_LDAP_MEMBERSHIP: 'member',
    TIDEMARK_LDAP_ATTRIBUTES: 'phone=mobile',
  }
  expect(peopleQuery(ldapOf(variables), { attribute: 'id', values: ['00ff'] })).toEqual({
    dn: 'dc=example',
    scope: 'sub',
    filter: '(&(objectCategory=person)(objectClass=user))',
    oneOf: { attribute: 'objectGUID', values: ['00ff'] },
    attributes: ['objectGUID', 'sAMAccountName', 'displayName', 'mail', 'mobile', 'userAccountControl'],
    bytes: ['objectGUID'],
  })
})
