import { expect, test } from 'bun:test'

import { readEdgeSettings } from './environment.ts'
import type { Environment } from './environment.ts'

const LDAP = {
  TIDEMARK_SECRET: 'a secret of this test that has 32 characters',
  TIDEMARK_LDAP_URL: 'ldaps://directory.example.org',
  TIDEMARK_LDAP_BIND_DN: 'cn=service',
  TIDEMARK_LDAP_BIND_PASSWORD: 'secret',
  TIDEMARK_LDAP_BASE_DN: 'dc=example',
}

const read = (variables: Readonly<Record<string, string>>) =>
  readEdgeSettings({ ...LDAP, ...variables } as unknown as Environment).settings.ldap

test('a directory over ldaps: is one that Workers reach', () => {
  expect(read({})).toMatchObject({ url: LDAP.TIDEMARK_LDAP_URL, verifies: true })
})

test.each([
  [{ TIDEMARK_LDAP_URL: 'ldap://directory.example.org' }, 'which do not support StartTLS'],
  [{ TIDEMARK_LDAP_CA: '-----BEGIN CERTIFICATE-----' }, 'TIDEMARK_LDAP_CA'],
  [{ TIDEMARK_LDAP_TLS_VERIFY: 'off' }, 'TIDEMARK_LDAP_TLS_VERIFY'],
])('what Workers cannot do is refused: %j', (variables, message) => {
  expect(() => read(variables)).toThrow(message)
})
