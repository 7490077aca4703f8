import { expect, test } from 'bun:test'

import { normalDn } from './dn.ts'

test.each([
  ['CN=Ops, OU = Groups ,dc=Example', 'cn=ops,ou=groups,dc=example'],
  ['cn=Ops;ou=Groups', 'cn=ops,ou=groups'],
  ['cn=a+uid=b', 'uid=b + CN=A'],
  ['cn=A\u030a', 'cn=å'],
  ['cn=Doe\\2C John,dc=x', 'cn=doe\\, john,dc=x'],
  ['cn="Doe, John",dc=x', 'cn=doe\\, john,dc=x'],
  ['cn=a\\2Bb,ou=People\\2c all (EU)', 'cn=a\\+b,ou=people\\, all (eu)'],
  ['cn=Zo\\C3\\AB', 'cn=zoë'],
  ['cn=\\23x', 'cn=\\#x'],
  ['cn=a\\\\b', 'cn=a\\5cb'],
  ['cn=a=b', 'cn=a\\3Db'],
  ['cn=a  b', 'cn=a b'],
  ['cn=a\\20', 'cn=a'],
  ['cn=a\\ ,dc=x', 'cn=a,dc=x'],
  ['1.3.6.1.4.1.1466.0=#04024869', '1.3.6.1.4.1.1466.0=#04024869'.toUpperCase()],
  ['', ''],
])('%p and %p are names of one entry', (one, another) => {
  expect(normalDn(one)).toBe(normalDn(another))
})

test.each([
  ['cn=a\\,b=c', 'cn=a,b=c'],
  ['cn=a\\+b=c', 'cn=a+b=c'],
  ['cn=a\\;b=c', 'cn=a;b=c'],
  ['cn=\\#04', 'cn=#04'],
  ['cn=a,dc=x', 'cn=a'],
  ['cn=a,dc=x', 'dc=x,cn=a'],
  ['cn=a\\5c\\2cb=c', 'cn=a\\5c,b=c'],
  ['cn=ab', 'cn=a b'],
  ['cn=a"b', 'cn=ab'],
  ['a,b', 'cn=a,cn=b'],
])('%p and %p are names of two entries', (one, another) => {
  expect(normalDn(one)).not.toBe(normalDn(another))
})

test('a long name takes no longer than it is long', () => {
  const begin = performance.now()
  normalDn(`cn=${' '.repeat(20_000)}\\`.repeat(5))
  expect(performance.now() - begin).toBeLessThan(5_000)
})
