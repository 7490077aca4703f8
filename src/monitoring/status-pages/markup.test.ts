import { expect, test } from 'bun:test'

import fc from 'fast-check'

import { escaped } from './markup.ts'

test('text keeps what it says and loses what is mark-up', () => {
  expect(escaped(`<a href="x" id='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  )
  expect(escaped('a\tb\nü')).toBe('a\tb\nü')
})

test('nothing that XML has no place for comes through', () => {
  expect(escaped('\0\x1b\ud800\uffff')).toBe('\ufffd\ufffd\ufffd\ufffd')
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      expect(escaped(text)).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
      expect(escaped(text).replaceAll(/[\t\n\r]/g, '')).not.toMatch(/\p{Cc}/u)
    }),
  )
})
