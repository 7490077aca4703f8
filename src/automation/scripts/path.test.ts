import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { directoriesOf, directoryOf, nameOf, pathOf, within } from './path.ts'

test.each([
  ['main.py', 'main.py'],
  ['src/main.py', 'src/main.py'],
  ['.env', '.env'],
  ['e\u0301/x', '\u00e9/x'],
  [`${'d/'.repeat(15)}x`, `${'d/'.repeat(15)}x`],
  ['x'.repeat(255), 'x'.repeat(255)],
  [`${`${'x'.repeat(203)}/`.repeat(5)}abcd`, `${`${'x'.repeat(203)}/`.repeat(5)}abcd`],
])('%p is a path', (text, path) => expect(pathOf(text)).toBe(path))

test.each([
  '',
  '/',
  '/etc/passwd',
  'a/',
  'a//b',
  '.',
  '..',
  '../x',
  'a/../b',
  'a/./b',
  'a\\b',
  '..\\x',
  'C:\\x',
  'a\0b',
  'a\nb',
  ' a',
  'a/ b',
  'a\u202eb',
  '\ud800',
  `${'d/'.repeat(16)}x`,
  'x'.repeat(256),
  `${`${'x'.repeat(203)}/`.repeat(5)}abcde`,
])('%p is not a path', (text) => expect(pathOf(text)).toBeNull())

test('every path stays a path, and never leads out of its tree', () => {
  const part = fc.oneof(
    fc.constantFrom('.', '..', '', 'a', '\\', '~'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const path = pathOf(parts.join('/'))
      if (path === null) return
      expect(pathOf(path)).toBe(path)
      expect(path.normalize('NFC')).toBe(path)
      const url = new URL(encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent), 'http://x/tree/')
      expect(url.pathname.startsWith('/tree/')).toBe(true)
      expect(path.split('/')).not.toContainAnyValues(['', '.', '..'])
      expect(within(directoryOf(path), nameOf(path))).toBe(path)
      expect(directoriesOf(path)).toHaveLength(path.split('/').length - 1)
    }),
    { numRuns: 500 },
  )
})
