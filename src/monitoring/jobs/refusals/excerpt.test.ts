import { describe, expect, test } from 'bun:test'

import { excerptOf } from './excerpt.ts'

describe('the excerpt of a body', () => {
  const rows: [title: string, input: unknown, excerpt: string | null][] = [
    ['that was not read', undefined, null],
    ['of a delivery', { returnValue1: 1, errorCode: '0' }, '{"returnValue1":1,"errorCode":"0"}'],
    ['with unknown fields', { token: 'secret', value: 5 }, '{"token":"…","value":"…"}'],
    ['with objects in fields', { message: { token: 'secret' } }, '{"message":"…"}'],
    ['with objects in lists', { returnValue: [1, { token: 'secret' }] }, '{"returnValue":[1,"…"]}'],
    ['that is a list', ['secret'], '"…"'],
    ['that is a text', 'secret', '"…"'],
    ['that is null', null, '"…"'],
    ['with a lone surrogate', { message: 'a\uD800' }, '{"message":"a\\ud800"}'],
  ]
  for (const [title, input, excerpt] of rows)
    test(title, () => {
      expect(excerptOf(input)).toBe(excerpt)
    })

  test('is bounded in length, list items and fields', () => {
    const texts = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`stringValue${n + 1}`, 'x'.repeat(4096)]),
    )
    expect(excerptOf(texts)?.length).toBe(500)
    const list = excerptOf({ returnValue: Array.from({ length: 64 }, () => 7) })
    expect(list?.match(/7/g)?.length).toBe(20)
    const fields = Object.fromEntries(Array.from({ length: 99_999 }, (_, n) => [`a${n}`, 1]))
    expect(excerptOf(fields)?.split(':').length).toBe(51)
  })
})
