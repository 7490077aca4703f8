import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { base64url, foldCase, isInReadingOrder, isVisible } from './text.ts'

test.each([
  ['Zürich', 'zürich'],
  ['ZÜRICH', 'zürich'],
  ['Zu\u0308rich', 'zürich'],
  ['Å', 'å'],
  ['\u212b', 'å'],
  ['', ''],
])('%p is compared as %p', (text, folded) => {
  expect(foldCase(text)).toBe(folded)
})

test('a name and its decomposed and upper-case forms are the same, and comparing twice changes nothing', () => {
  const name = fc.string({
    unit: fc.constantFrom(...Array.from('aàÄöÜßéñçøłžK\u0308\u0301 -_/')),
    maxLength: 12,
  })
  fc.assert(
    fc.property(name, (text) => {
      expect(foldCase(text.normalize('NFD'))).toBe(foldCase(text))
      expect(foldCase(foldCase(text))).toBe(foldCase(text))
    }),
    { numRuns: 2_000 },
  )
})

test('every single character is folded for good: once is as good as twice', () => {
  const unstable: string[] = []
  for (let point = 0; point <= 0x1_ffff; point += 1) {
    if (point >= 0xd800 && point < 0xe000) continue
    const text = String.fromCodePoint(point)
    if (foldCase(foldCase(text)) !== foldCase(text) || foldCase(text.normalize('NFD')) !== foldCase(text)) {
      unstable.push(point.toString(16))
    }
  }
  expect(unstable).toEqual([])
})

test('bytes are written as base64url, and read back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(base64url(bytes)).toMatch(/^[A-Za-z0-9_-]*$/)
      expect(Uint8Array.from(Buffer.from(base64url(bytes), 'base64url'))).toEqual(bytes)
    }),
  )
  expect(base64url(Uint8Array.of(251, 255, 254))).toBe('-__-')
})

test.each([
  ['a', true],
  [' é ', true],
  ['👩‍💻', true],
  ['\u05d0', true],
  ['\u200b', false],
  ['\u00a0\u2060\ufeff', false],
  ['\u3164', false],
  ['\u2800', false],
  ['', false],
])('%j has a visible character: %p', (text, expected) => expect(isVisible(text)).toBe(expected))

test.each([
  ['a\u202eb', false],
  ['\u2066a\u2069', false],
  ['\u05d0\u05d1 a', true],
  ['a\u200eb', true],
])('%j is in reading order: %p', (text, expected) => expect(isInReadingOrder(text)).toBe(expected))
