import { expect, test } from 'bun:test'

import { configurationOf } from './configuration-file.ts'

test.each([
  ['an export', '{"format": 1, "dataSources": [{"settings": {"name": "Shop"}}]}', ['Shop']],
  ['no JSON', '{', null],
  ['another document', '{"names": ["Shop"]}', null],
  ['a list', '[]', null],
  ['null', 'null', null],
  ['a source without a name', '{"dataSources": [{"settings": {}}]}', null],
])('%s', (_, text, names) => {
  expect(configurationOf(text)?.names ?? null).toEqual(names)
})
