import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Samples } from './samples.ts'
import { decodeTexts, encodeTexts } from './texts-codec.ts'

const T = Date.parse('2026-03-02T09:00:00Z')
const VECTOR = '110580b59aeeca33e0d4030000c003044f4b04c3a90500d800001600'

test('the format is fixed: two words and a lone surrogate', () => {
  const samples = {
    at: [T, T + 60_000, T + 120_000, T + 180_000, T + 240_000],
    values: ['OK', 'é', 'OK', 'OK', '\ud800'],
  }
  expect(decodeTexts(fromHex(VECTOR))).toEqual(samples)
  expect(encodeTexts(samples).toHex()).toBe(VECTOR)
})

describe('hard texts come back unchanged', () => {
  test.each([
    '',
    ' ',
    '\u0000',
    '\ufeffmarked',
    'e\u0301',
    '😀',
    '\ud83d',
    '\ude00\ud83d',
    'a\ud800b',
    '\ufffd',
    '__proto__',
  ])('%j', (text) => {
    const samples = { at: [1, 1, 2], values: [text, 'other', text] }
    expect(decodeTexts(encodeTexts(samples))).toEqual(samples)
  })
})

test('any ascending samples of strings come back unchanged', () => {
  const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code))
  const text = fc.oneof(fc.constantFrom('OK', 'WARN', ''), fc.string({ unit: 'binary' }), fc.string({ unit }))
  const steps = fc.array(fc.tuple(fc.nat(100_000), text), { maxLength: 100 })

  fc.assert(
    fc.property(steps, (given) => {
      let at = T
      const samples = { at: given.map(([gap]) => (at += gap)), values: given.map(([, value]) => value) }
      expect(decodeTexts(encodeTexts(samples))).toEqual(samples)
    }),
  )
})

test('a text that stays costs its bytes once', () => {
  const at = Array.from({ length: 600 }, (_, index) => T + index * 60_000)
  const values = at.map(() => 'everything is in order')
  expect(encodeTexts({ at, values }).length).toBeLessThan(50)
})

describe('bytes that are not a series of strings are refused', () => {
  test.each<[string, Samples<string>]>([
    ['falling instants', { at: [2, 1], values: ['a', 'b'] }],
    ['more instants than values', { at: [1, 2], values: ['a'] }],
  ])('%s', (_, samples) => {
    expect(() => encodeTexts(samples)).toThrow(RangeError)
  })

  test.each([
    ['nothing at all', ''],
    ['a numeric body', '03 00 00'],
    ['a text that is cut short', '11 01 02 00 01 08 4f4b'],
    ['a sample of no text', '11 01 02 00 01 02 4f 02'],
    ['of half a code unit', '11 01 02 00 01 03 4f 00'],
    ['a byte after the end', '11 01 02 00 01 02 4f 00 00'],
  ])('a body that is %s', (_, hex) => {
    expect(() => decodeTexts(fromHex(hex))).toThrow(RangeError)
  })

  test('a body whose text is not UTF-8', () => {
    expect(() => decodeTexts(fromHex('11 01 02 00 01 02 ff 00'))).toThrow(TypeError)
  })
})

function fromHex(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(' ', ''))
}
