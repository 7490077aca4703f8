import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { foldCase } from '../../../lib/text.ts'
import { joinPath, parsePath } from './path.ts'

describe('parsePath', () => {
  const rows: [string, string[]][] = [
    ['/A/B*/C', ['a', 'b*', 'c']],
    [' A / b ', ['a', 'b']],
    ['a//b/', ['a', 'b']],
    ['Zu\u0308rich', ['zürich']],
    ['srv\\/1/x', ['srv/1', 'x']],
    ['a\\\\/b', ['a\\', 'b']],
    ['C:\\temp', ['c:\\temp']],
    ['**/x', ['** x']],
    ['a/**/ ** /x', ['a', '** x']],
    ['a/**', ['a', '** *']],
    ['a\\*b/*', ['= a*b', '*']],
    ['\\*\\*', ['= **']],
    ['', []],
    ['/ /', []],
  ]
  for (const [path, expected] of rows) {
    test(`splits ${JSON.stringify(path)} into ${JSON.stringify(expected)}`, () => {
      const mark = (isDeep: boolean, isExact: boolean) => (isDeep ? '** ' : '') + (isExact ? '= ' : '')
      expect(parsePath(path).map(({ pattern, isDeep, isExact }) => mark(isDeep, isExact) + pattern)).toEqual(
        expected,
      )
    })
  }
})

test('parsePath reverses joinPath', () => {
  const name = fc
    .oneof(fc.string(), fc.stringMatching(/^[a/\\* ]+$/))
    .map((text) => text.trim())
    .filter((text) => text !== '')
  fc.assert(
    fc.property(fc.array(name), (names) => {
      expect(parsePath(joinPath(names)).map(({ pattern }) => pattern)).toEqual(names.map(foldCase))
    }),
  )
})
