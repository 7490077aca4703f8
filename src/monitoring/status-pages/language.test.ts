import { expect, test } from 'bun:test'

import { languageOf } from './language.ts'

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE-ch', 'de'],
  ['fr', 'fr'],
  ['it', 'en'],
  ['it, de;q=0.5', 'de'],
  ['en, de', 'en'],
  ['de;q=0.8, en;q=0.9', 'en'],
  ['de ; q=1.0, en;q=0.9', 'de'],
  ['de;q=0', 'en'],
  ['*', 'en'],
  ['den', 'en'],
  ['de;q=2, en;q=0.1', 'en'],
  [`${'x'.repeat(1_000)}, de`, 'en'],
])('%p is read as %s', (header, language) => {
  expect(languageOf(header)).toBe(language as 'en')
})
