import { beforeAll, expect, test } from 'bun:test'

import { words as shared } from '../../language/words.ts'
import { loadWords } from '../../language/t.ts'
import { clausesOf, ruleSentence } from './rules.ts'
import type { Counters } from './rules.ts'
import { words } from './words.ts'

beforeAll(async () => {
  await loadWords(shared)
  await loadWords(words)
})

const NONE: Counters = { major: 0, minor: 0, warning: 0, minorMinor: 0, minorWarning: 0, warningWarning: 0 }

test('the worst member decides: one member is enough for each state, and no condition is said twice', () => {
  expect(ruleSentence('and', NONE, 3)).toBe(
    'Major when 1 of 3 members is major. Otherwise minor when 1 of 3 members is minor or worse. Otherwise warning when 1 of 3 members is warning or worse. Otherwise ok.',
  )
})

test('the best member decides: all members must be bad', () => {
  expect(ruleSentence('or', NONE, 3)).toStartWith('Major when all 3 members are major.')
  expect(ruleSentence('or', { ...NONE, major: 2 }, 3)).toStartWith('Major when 2 of 3 members are major.')
})

test('of one member no number is given', () => {
  expect(ruleSentence('and', NONE, 1)).toStartWith(
    'Major when the only member is major. Otherwise minor when',
  )
})

test('counted members: only the given numbers are conditions', () => {
  expect(ruleSentence('count', { ...NONE, minor: 1, major: 2 }, 4)).toBe(
    'Major when 2 of 4 members are major. Otherwise minor when 1 of 4 members is major. Otherwise ok.',
  )
  expect(ruleSentence('count', { ...NONE, minor: 2, minorMinor: 3 }, 4)).toContain(
    '2 of 4 members are major or 3 of 4 members are minor or worse',
  )
})

test('a number that the members cannot reach, or that a worse state has met, is left out', () => {
  expect(clausesOf('count', { ...NONE, major: 5 }, 4)).toEqual([])
  expect(ruleSentence('count', NONE, 4)).toBe('Always ok: no number of bad members is given.')
  expect(clausesOf('count', { ...NONE, major: 2, minor: 3 }, 4)).toEqual([
    { result: 'major', conditions: [{ badness: 'major', least: 2 }] },
  ])
})

test('degraded names warning in place of major; exactly one has a sentence of its own', () => {
  expect(ruleSentence('degraded', NONE, 2)).toStartWith('Warning when 1 of 2 members is major.')
  expect(ruleSentence('xor', NONE, 2)).toContain('exactly one member')
  expect(ruleSentence('and', NONE, 0)).toBe('No member counts yet.')
})
