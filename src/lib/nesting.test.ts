import { expect, test } from 'bun:test'

import { isNestedWithin } from './nesting.ts'

test.each([
  ['null', 0],
  ['1', 0],
  ['{}', 1],
  ['[1,[2],{"a":{"b":[]}}]', 4],
  ['['.repeat(30_000) + ']'.repeat(30_000), 30_000],
])('%.30s has its levels and no fewer', (text, levels) => {
  const json: unknown = JSON.parse(text)
  expect(isNestedWithin(json, levels)).toBe(true)
  if (levels > 0) expect(isNestedWithin(json, levels - 1)).toBe(false)
})
