import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { hasWords, mask, unmask } from './placeholders.ts'

test.each([
  ['Hello ${name}', 'Hello [[0]]', ['${name}']],
  ['{{a}} of {b}', '[[0]] of [[1]]', ['{{a}}', '{b}']],
  [
    '{n, plural, one {# file} other {# files}} left',
    '[[0]] left',
    ['{n, plural, one {# file} other {# files}}'],
  ],
  ['%s, %1$s, %05.2f and 100%%', '[[0]], [[1]], [[2]] and 100[[3]]', ['%s', '%1$s', '%05.2f', '%%']],
  ['a { b', 'a { b', []],
  ['} a {', '} a {', []],
  ['costs $5', 'costs $5', []],
  ['as in [[0]] {x}', 'as in [[0]] [[1]]', ['[[0]]', '{x}']],
  ['a < b & c <b>d</b>', 'a < b & c <b>d</b>', []],
])('%p is masked as %p', (text, masked, placeholders) => {
  expect(mask(text, false)).toEqual({ text: masked, placeholders })
})

test('tags and entities of markup are masked', () => {
  expect(mask('a <b class="x">bold</b>&nbsp;{x}', true)).toEqual({
    text: 'a [[0]]bold[[1]][[2]][[3]]',
    placeholders: ['<b class="x">', '</b>', '&nbsp;', '{x}'],
  })
})

test('a text comes back as it was, also with its placeholders in another order', () => {
  const piece = fc.constantFrom(
    'a',
    ' ',
    '{',
    '}',
    '$',
    '%s',
    '{x}',
    '${y}',
    '[[0]]',
    '[[ 1\n]]',
    '[[',
    ']]',
    '7',
    '<b>',
    '&amp;',
    '<',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(piece), fc.boolean(), (pieces, isMarkup) => {
      const text = pieces.join('')
      const masked = mask(text, isMarkup)
      const hasMarkup = isMarkup && /[<>]/.test(masked.text)
      expect(unmask(masked.text, masked, isMarkup)).toBe(hasMarkup ? null : text)
      const marks = masked.placeholders.map((_, place) => `[[ ${place} ]]`).toReversed()
      expect(unmask(marks.join(' '), masked, isMarkup)).toBe(masked.placeholders.toReversed().join(' '))
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['one that is gone', 'Hallo'],
  ['one twice', 'Hallo [[0]] [[1]] [[1]]'],
  ['one for another', 'Hallo [[0]] [[0]]'],
  ['one that never was', 'Hallo [[0]] [[2]]'],
  ['one too many', 'Hallo [[0]] [[1]] [[2]]'],
  ['one in other letters', 'Hallo [[0]] [[eins]]'],
])('%s is reported', (_, translation) => {
  expect(unmask(translation, mask('Hello {a} {b}', false), false)).toBeNull()
})

test('markup that a translation adds is reported', () => {
  const masked = mask('<b>Hello</b>', true)
  expect(unmask('[[0]]Hallo<script>[[1]]', masked, true)).toBeNull()
  expect(unmask('[[0]]Hallo[[1]]', masked, true)).toBe('<b>Hallo</b>')
})

test.each([
  ['{x}', false],
  [' %s 42 – {x}!', false],
  ['é {x}', true],
  ['你好', true],
])('%p has words: %p', (text, expected) => expect(hasWords(mask(text, false))).toBe(expected))
