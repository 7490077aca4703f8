import { expect, test } from 'bun:test'

import { nameKey } from '../../lib/text.ts'
import { lookalikeFault } from './names.ts'

test.each([
  ['admin', 'ADMIN'],
  ['zo\u00e9', 'zoe\u0301'],
  ['ZO\u00c9', 'zoe\u0301'],
  ['\uff41dmin', 'admin'],
  ['\ufb01n', 'fin'],
  ['a b', 'a\u00a0 b'],
  ['ΣΊΣΥΦΟΣ', 'Σίσυφος'],
])('%p and %p are one name', (one, another) => {
  expect(nameKey(one)).toBe(nameKey(another))
})

test.each([
  ['admin', 'admin1'],
  ['zoe', 'zoé'],
  ['ab', 'a b'],
])('%p and %p are two names', (one, another) => {
  expect(nameKey(one)).not.toBe(nameKey(another))
})

test.each([
  'admin',
  'ada.lovelace-1@example.org',
  'Zoé Müller (Ops) 2',
  'анна',
  'Σίσυφος',
  '田中さん',
  '田中 tanaka テスト',
  '김철수 kim',
  'علي',
  'नेहा',
  '12345',
  'é'.repeat(255),
])('%p looks like no other name', (name) => {
  expect(lookalikeFault(name)).toBeNull()
})

test.each([
  ['admin\u200b', 'must have no invisible characters'],
  ['ad\u00admin', 'must have no invisible characters'],
  ['\u202enimda', 'must have no invisible characters'],
  ['ad\u2060min', 'must have no invisible characters'],
  ['admin\ufe0f', 'must have no invisible characters'],
  ['admin\u3164', 'must have no invisible characters'],
  ['admin\u2800', 'must have no invisible characters'],
  ['admin\u{e0041}', 'must have no invisible characters'],
  ['\u0430dmin', 'must not mix letters of different scripts'],
  ['admi\u03bf', 'must not mix letters of different scripts'],
  ['анна田', 'must not mix letters of different scripts'],
  ['\u13aadmin', 'must not mix letters of different scripts'],
])('%p is refused: it %s', (name, fault) => {
  expect(lookalikeFault(name)).toBe(fault)
})
