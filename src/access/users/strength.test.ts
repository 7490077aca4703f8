import { expect, test } from 'bun:test'

import { weaknessOf } from './strength.ts'

const judge = (password: string, lengthMin = 8) =>
  weaknessOf({ password, username: 'adalovelace' }, lengthMin)

test.each([
  ['1234567', 'at least 8'],
  ['aaaaaaaaaa', 'different'],
  ['abababab', 'different'],
  ['12345678', 'sequence'],
  ['87654321', 'sequence'],
  ['abcdefghij', 'sequence'],
  ['qwertyuiop', 'sequence'],
  ['qwertz123456', 'sequence'],
  ['password', 'commonly used'],
  ['P@ssw0rd2024!', 'commonly used'],
  ['!!Welcome123', 'commonly used'],
  ['Tr0ub4dor1', null],
  ['iloveyou1', 'commonly used'],
  ['Sommer2026!', 'commonly used'],
  ['dragondragon', 'commonly used'],
  ['correcthorsebatterystaple', 'commonly used'],
  ['adalovelace', 'the username'],
  ['AdaLovelace1', 'the username'],
  ['xadalovelacex', 'the username'],
  ['my name is adalovelace and I count', null],
  ['countess of lovelace', null],
  ['correct horse battery', null],
  ['пароль для входа', null],
  ['g7#kQ2!z', null],
])('%s is judged: %p', (password, reason) => {
  if (reason === null) expect(judge(password)).toBeNull()
  else expect(judge(password)).toContain(reason)
})

test('the least length counts characters, not their parts', () => {
  expect(judge('😀😁😂🤣😃😄😅', 8)).toContain('at least 8')
  expect(judge('😀😁😂🤣😃😄😅😆', 8)).toBeNull()
  expect(judge('g7#kQ2!zx', 10)).toContain('at least 10')
  expect(judge('g7#kQ2!zxw', 10)).toBeNull()
})

test('a long text is judged at once', () => {
  expect(judge('ab1'.repeat(341))).toContain('different')
  expect(judge(`${'x'.repeat(500)}yzabc${'!'.repeat(500)}`)).toBeNull()
})
