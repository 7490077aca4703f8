import { expect, test } from 'bun:test'

import { parseEnvironment } from './environment.ts'
import { settingsOf, settingsSchema } from './settings.ts'

const URL = 'https://collector.example.org/v1/traces'
const read = (variables: Readonly<Record<string, string>>) =>
  settingsOf(parseEnvironment(settingsSchema, variables)).traces

test('traces are off without an endpoint; header fields are decoded', () => {
  expect(read({})).toBeNull()
  expect(read({ TIDEMARK_TRACES_HEADERS: 'a=b' })).toBeNull()
  expect(read({ TIDEMARK_TRACES_URL: URL })).toEqual({ url: URL, headers: {}, ratio: 1 })
  const headers = 'Authorization=Bearer%20secret%2C1, x-scope = plant=a'
  expect(
    read({ TIDEMARK_TRACES_URL: URL, TIDEMARK_TRACES_HEADERS: headers, TIDEMARK_TRACES_RATIO: '0.05' }),
  ).toEqual({
    url: URL,
    headers: { authorization: 'Bearer secret,1', 'x-scope': 'plant=a' },
    ratio: 0.05,
  })
})

test.each([
  ['TIDEMARK_TRACES_URL', 'collector:4318'],
  ['TIDEMARK_TRACES_URL', 'ftp://collector/v1/traces'],
  ['TIDEMARK_TRACES_URL', 'https://user:secret@collector/v1/traces'],
  ['TIDEMARK_TRACES_HEADERS', 'authorization'],
  ['TIDEMARK_TRACES_HEADERS', 'a=%zz'],
  ['TIDEMARK_TRACES_HEADERS', 'a=b%0Ac'],
  ['TIDEMARK_TRACES_RATIO', '1.1'],
  ['TIDEMARK_TRACES_RATIO', '-1'],
  ['TIDEMARK_TRACES_RATIO', 'half'],
])('%s refuses %s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name)
})

test.each([
  ['0', 0],
  ['1', 1],
  ['.5', 0.5],
  ['0.000001', 0.000001],
])('TIDEMARK_TRACES_RATIO takes %s', (text, ratio) => {
  expect(read({ TIDEMARK_TRACES_URL: URL, TIDEMARK_TRACES_RATIO: text })?.ratio).toBe(ratio)
})
