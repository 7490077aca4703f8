import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { mergePatch } from './merge-patch.ts'

// Appendix A of RFC 7396.
test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j under %j is %j', (target, patch, result) => expect(mergePatch(target, patch)).toEqual(result))

test('a patch applied twice is as applied once, and no key reaches a prototype', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
      const once = mergePatch(target, patch)
      expect(mergePatch(once, patch)).toEqual(once)
    }),
  )
  const merged = mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
  expect('polluted' in {}).toBe(false)
})
