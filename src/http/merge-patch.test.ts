import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import * as z from 'zod'

import { Refusal } from '../lib/errors.ts'
import { READ_ONLY } from './openapi-answers.ts'
import { patched } from './merge-patch.ts'

/** A document without a schema of its own. */
const mergePatch = (shown: unknown, patch: unknown) =>
  patched(z.unknown(), { shown: shown as Readonly<Record<string, unknown>>, patch })

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

/** A body with `__proto__` at its top is refused, by a patch as by a PUT. */
const jsonBody = fc
  .jsonValue()
  .filter((json) => typeof json !== 'object' || json === null || !Object.hasOwn(json, '__proto__'))

test('a patch applied twice is as applied once', () => {
  fc.assert(
    fc.property(jsonBody, jsonBody, (target, patch) => {
      const once = mergePatch(target, patch)
      expect(mergePatch(once, patch)).toEqual(once)
    }),
  )
})

test('no key reaches a prototype', () => {
  expect(() => mergePatch([], JSON.parse('{"__proto__": false}'))).toThrow(Refusal)
  expect(() => mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'))).toThrow(Refusal)
  const nested = mergePatch({}, JSON.parse('{"a": {"__proto__": {"polluted": true}}}')) as { a: object }
  expect(Object.getPrototypeOf(nested.a)).toBe(Object.prototype)
  expect('polluted' in {}).toBe(false)
})

const schema = z.strictObject({
  id: z.int().optional().meta(READ_ONLY),
  name: z.string(),
  size: z.int().default(1),
  kept: z.int().optional(),
  limit: z.int().nullable().default(5),
  part: z
    .strictObject({ secret: z.string().nullable().optional(), isSet: z.boolean().optional().meta(READ_ONLY) })
    .prefault({}),
  levels: z.strictObject({ high: z.int().optional(), low: z.int().optional() }).optional(),
})
const shown = {
  id: 1,
  name: 'a',
  size: 2,
  kept: 3,
  limit: 4,
  part: { isSet: true },
  levels: { high: 9, low: 1 },
}
const UNSET = { '/kept': 0, '/levels': {}, '/levels/high': undefined }

test.each([
  [{}, shown],
  [
    { id: 1, name: 'b' },
    { ...shown, name: 'b' },
  ],
  [{ size: null }, { ...shown, size: 1 }],
  [{ limit: null }, { ...shown, limit: null }],
  [{ kept: null }, { ...shown, kept: 0 }],
  [{ part: { secret: null, isSet: true } }, { ...shown, part: { isSet: true, secret: null } }],
  [{ levels: { high: null } }, { ...shown, levels: { low: 1 } }],
  [{ levels: null }, { ...shown, levels: {} }],
])('the patch %j makes of an object %j', (patch, result) =>
  expect(patched(schema, { shown, patch, unset: UNSET })).toEqual(result),
)

test.each([
  [{ id: 2 }, ['/id']],
  [{ id: null }, ['/id']],
  [{ kept: null, part: { isSet: false } }, ['/kept', '/part/isSet']],
  [{ name: null }, ['/name']],
  [{ other: 1 }, ['/other']],
  [{ levels: { low: null } }, ['/levels/low']],
])('the patch %j is refused at %j', (patch, pointers) => {
  const faults = () => {
    try {
      patched(schema, { shown, patch })
      return []
    } catch (error) {
      return (error as Refusal).errors.map(({ pointer }) => pointer)
    }
  }
  expect(faults()).toEqual(pointers)
})
