import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { dispositionOf, extensionOf, filenameOf } from './filename.ts'

test('what is a name stays one, and has no way out of a folder or a header in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const name = filenameOf(text)
      if (name === null) return
      expect(filenameOf(name)).toBe(name)
      expect(name).not.toMatch(/[/\\\0\r\n]|^\.{1,2}$/)
      expect(new TextEncoder().encode(name).byteLength).toBeLessThanOrEqual(255)
      const header = dispositionOf(name, false)
      expect(header).toMatch(/^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w.!~%-]+$/)
      expect(decodeURIComponent(header.slice(header.lastIndexOf("'") + 1))).toBe(name)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['a.PNG', 'png'],
  ['a.tar.gz', 'gz'],
  ['.png', ''],
  ['png', ''],
  ['a.', ''],
])('the extension of %p is %p', (name, extension) => expect(extensionOf(name)).toBe(extension))
