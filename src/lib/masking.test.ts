import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { maskingOf } from './masking.ts'

describe('secrets are masked', () => {
  test('from six characters on, the longest first', () => {
    const { mask, lengthMax } = maskingOf(['secret', 'short', 'secret and more'])
    expect(mask('a secret, a short one, secret and more')).toBe('a ***, a short one, ***')
    expect(lengthMax).toBeGreaterThan('secret and more'.length)
    expect(maskingOf(['short']).mask('short')).toBe('short')
  })

  test('line by line where they have several', () => {
    const { mask } = maskingOf(['-----BEGIN KEY-----\nabcdefgh\r\nab\n-----END KEY-----\n'])
    expect(mask('abcdefgh')).toBe('***')
    expect(mask('-----END KEY-----, ab')).toBe('***, ab')
  })

  test('with any characters', () => {
    expect(maskingOf(['a.c*e+g$']).mask('a.c*e+g$ abcdefg')).toBe('*** abcdefg')
  })

  test('in base64, wherever in it and in both alphabets', () => {
    const secrets = fc
      .string({ unit: 'grapheme', minLength: 6, maxLength: 40 })
      .filter((text) => text.trim().length >= 6)
    fc.assert(
      fc.property(secrets, fc.uint8Array({ maxLength: 5 }), fc.boolean(), (given, before, isUrl) => {
        const secret = given.trim()
        const bytes = Buffer.concat([before, Buffer.from(secret), Buffer.from('tail')])
        const text = bytes.toString(isUrl ? 'base64url' : 'base64')
        const masked = maskingOf([secret]).mask(text)
        expect(masked).toContain('***')
        // The digits that it shares with its neighbours remain.
        expect(masked.length).toBeLessThanOrEqual(3 + Math.ceil((before.length + 4 + 4) * (4 / 3)) + 4)
      }),
    )
  })
})
