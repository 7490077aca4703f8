import { expect, test } from 'bun:test'

import { parsedText } from './statement.ts'

test('a text is parsed once, and its template runs with other values each time', () => {
  const text = "<#assign n = 1><#list ids as id><#assign n = n + id></#list>${n} ${name!'none'}"
  const { template } = parsedText(text)
  const written = (ids: readonly number[], name?: string) =>
    template?.text({ parameters: { ids, name }, timeZone: 'UTC' })
  expect([written([1, 2], 'a'), written([5])]).toEqual(['4 a', '6 none'])
  expect(parsedText(text).template).toBe(template)
})

test('a fault is found each time', () => {
  const faults = [parsedText('<#if'), parsedText('<#if')]
  for (const fault of faults) expect(fault).toMatchObject({ error: { phase: 'template', line: 1 } })
})
