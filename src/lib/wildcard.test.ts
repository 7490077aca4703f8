import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { matchesWildcard } from './wildcard.ts'

const rows: readonly (readonly [text: string, pattern: string, fits: boolean])[] = [
  ['', '', true],
  ['a', '', false],
  ['', '*', true],
  ['anything', '*', true],
  ['anything', '***', true],
  ['abc', 'abc', true],
  ['abc', 'ABC', false],
  ['abc', 'ab', false],
  ['abc', 'bc', false],
  ['abc', 'a*', true],
  ['abc', '*c', true],
  ['abc', '*b*', true],
  ['abc', 'a*c', true],
  ['abc', 'b*', false],
  ['a', 'a*a', false],
  ['aa', 'a*a', true],
  ['aba', 'ab*ba', false],
  ['abba', 'ab*ba', true],
  ['xaybxayb', '*a*b', true],
  ['xayb', '*b*a', false],
  ['abab', '*ab*ab*ab*', false],
  ['line\nbreak', 'line*break', true],
  ['a.c', 'a.c', true],
  ['abc', 'a.c', false],
  ['a\\b', 'a\\b', true],
  ['(+?)[]{}|^$', '(+?)*', true],
]

test.each(rows)('%p against %p is %p', (text, pattern, fits) => {
  expect(matchesWildcard(text, pattern)).toBe(fits)
})

test('a pattern fits as the regular expression would in which each * is any run of characters', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
  fc.assert(
    fc.property(text, letters, (given, pattern) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`)
      expect(matchesWildcard(given, pattern)).toBe(expression.test(given))
    }),
    { numRuns: 5_000 },
  )
})

test('a pattern that would drive a regular expression mad takes no time', () => {
  const start = performance.now()
  expect(matchesWildcard('a'.repeat(100_000), `${'*a'.repeat(50)}*b`)).toBe(false)
  expect(performance.now() - start).toBeLessThan(250)
})
