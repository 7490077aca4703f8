import { describe, expect, test } from 'bun:test'

import { parseEnvironment } from './environment.ts'
import { settingsOf, settingsSchema } from './settings.ts'

const NEEDED = {
  TIDEMARK_LDAP_URL: 'ldaps://directory.example.org',
  TIDEMARK_LDAP_BIND_DN: 'cn=service,dc=example,dc=org',
  TIDEMARK_LDAP_BIND_PASSWORD: 'a secret password',
  TIDEMARK_LDAP_BASE_DN: 'dc=example,dc=org',
}

const read = (variables: Readonly<Record<string, string>>) =>
  settingsOf(parseEnvironment(settingsSchema, variables)).ldap

describe('the settings of a directory', () => {
  test('are absent without a URL', () => {
    expect(read({ TIDEMARK_LDAP_TIMEOUT: 'PT1S' })).toBeNull()
  })

  test('compose the names of user groups, as the user groups have them', () => {
    const rules = JSON.stringify([{ group: 'cn=x', userGroup: 'Bu\u0308ro' }])
    const ldap = read({ ...NEEDED, TIDEMARK_LDAP_GROUPS: rules })
    expect(ldap?.groups).toEqual([{ group: 'cn=x', userGroup: 'B\u00fcro' }])
  })

  test('check certificates and begin with TLS by themselves', () => {
    expect(read(NEEDED)).toMatchObject({ startTls: false, verifies: true, ca: null, timeoutMs: 5_000 })
    expect(read({ ...NEEDED, TIDEMARK_LDAP_URL: 'ldap://directory.example.org:3890' })).toMatchObject({
      startTls: true,
      verifies: true,
      syncIntervalMs: 3_600_000,
    })
  })

  test.each([
    ['TIDEMARK_LDAP_URL', 'ldap://[::1]'],
    ['TIDEMARK_LDAP_URL', 'ldaps://directory.example.org:65535'],
    ['TIDEMARK_LDAP_TIMEOUT', 'PT30S'],
    ['TIDEMARK_LDAP_SYNC_INTERVAL', 'PT5M'],
    ['TIDEMARK_LDAP_USER_FILTER', '(&(objectClass=person)(!(title=x)))'],
    ['TIDEMARK_LDAP_ATTRIBUTES', 'username = userPrincipalName, phone=mobile'],
    [
      'TIDEMARK_LDAP_GROUPS',
      JSON.stringify(Array.from({ length: 100 }, () => ({ group: 'cn=x', role: 'editor' }))),
    ],
    ['TIDEMARK_LDAP_CA', '-----BEGIN CERTIFICATE-----\n…'],
  ])('take as %s what it may be', (name, value) => {
    expect(read({ ...NEEDED, [name]: value })).not.toBeNull()
  })

  test.each([
    ['TIDEMARK_LDAP_URL', 'https://directory.example.org'],
    ['TIDEMARK_LDAP_URL', 'ldaps://user:secret@directory.example.org'],
    ['TIDEMARK_LDAP_URL', 'ldaps://directory.example.org/dc=example'],
    ['TIDEMARK_LDAP_URL', 'ldaps://'],
    ['TIDEMARK_LDAP_URL', 'ldaps://directory.example.org:65536'],
    ['TIDEMARK_LDAP_START_TLS', 'yes'],
    ['TIDEMARK_LDAP_TLS_VERIFY', 'no'],
    ['TIDEMARK_LDAP_CA', '/etc/ssl/ca.pem'],
    ['TIDEMARK_LDAP_SCHEMA', 'novell'],
    ['TIDEMARK_LDAP_USER_FILTER', 'objectClass=person'],
    ['TIDEMARK_LDAP_USER_FILTER', '(a=b)(c=d)'],
    ['TIDEMARK_LDAP_USER_FILTER', '((a=b)'],
    ['TIDEMARK_LDAP_USER_FILTER', '(a=b))'],
    ['TIDEMARK_LDAP_ATTRIBUTES', 'username'],
    ['TIDEMARK_LDAP_ATTRIBUTES', 'username=a=b'],
    ['TIDEMARK_LDAP_ATTRIBUTES', 'username=a)(b'],
    ['TIDEMARK_LDAP_ATTRIBUTES', 'password=userPassword'],
    ['TIDEMARK_LDAP_ATTRIBUTES', '__proto__=uid'],
    ['TIDEMARK_LDAP_MEMBERSHIP', 'uniqueMember'],
    ['TIDEMARK_LDAP_GROUPS', '{'],
    ['TIDEMARK_LDAP_GROUPS', '{}'],
    ['TIDEMARK_LDAP_GROUPS', '[{"group": "cn=x"}]'],
    ['TIDEMARK_LDAP_GROUPS', '[{"group": "cn=x", "role": "root"}]'],
    ['TIDEMARK_LDAP_GROUPS', '[{"role": "editor"}]'],
    ['TIDEMARK_LDAP_GROUPS', '[{"group": "cn=x", "role": "editor", "more": 1}]'],
    [
      'TIDEMARK_LDAP_GROUPS',
      JSON.stringify(Array.from({ length: 101 }, () => ({ group: 'cn=x', role: 'editor' }))),
    ],
    ['TIDEMARK_LDAP_TIMEOUT', 'PT30.001S'],
    ['TIDEMARK_LDAP_TIMEOUT', 'PT0S'],
    ['TIDEMARK_LDAP_TIMEOUT', '5'],
    ['TIDEMARK_LDAP_SYNC_INTERVAL', 'PT4M59S'],
  ])('do not take as %s what is %p, and name it', (name, value) => {
    expect(() => read({ ...NEEDED, [name]: value })).toThrow(name)
  })

  test.each(['TIDEMARK_LDAP_BIND_DN', 'TIDEMARK_LDAP_BIND_PASSWORD', 'TIDEMARK_LDAP_BASE_DN'])(
    'need %s',
    (name) => {
      expect(() => read({ ...NEEDED, [name]: '' })).toThrow(`${name} is missing`)
    },
  )

  test.each([
    ['ldap://directory.example.org', false],
    ['ldap://127.0.0.1.example.org', false],
    ['ldap://10.0.0.1', false],
    ['ldap://127.0.0.1:3890', true],
    ['ldap://localhost', true],
    ['ldap://[::1]:3890', true],
    ['ldaps://directory.example.org', true],
  ])('may leave TLS out for %s: %p', (url, isFine) => {
    const variables = { ...NEEDED, TIDEMARK_LDAP_URL: url, TIDEMARK_LDAP_START_TLS: 'off' }
    if (isFine) expect(read(variables)).toMatchObject({ startTls: false })
    else expect(() => read(variables)).toThrow('TIDEMARK_LDAP_START_TLS')
  })

  test('do not go with another service that checks passwords, and never show the password', () => {
    const both = { ...NEEDED, SVC_WEBSERVICE_auth_service_url: 'https://auth.example.org' }
    expect(() => read(both)).toThrow('SVC_WEBSERVICE_auth_service_url')
    let said = ''
    try {
      read({
        ...NEEDED,
        TIDEMARK_LDAP_BASE_DN: '',
        TIDEMARK_LDAP_URL: 'ldap://x',
        TIDEMARK_LDAP_START_TLS: 'off',
      })
    } catch (error) {
      said = String(error)
    }
    expect(said).toContain('TIDEMARK_LDAP_BASE_DN')
    expect(said).toContain('TIDEMARK_LDAP_START_TLS')
    expect(said).not.toContain(NEEDED.TIDEMARK_LDAP_BIND_PASSWORD)
  })
})
