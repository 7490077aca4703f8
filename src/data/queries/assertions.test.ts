import { expect, test } from 'bun:test'

import { WRITERS } from '../sql/dialects/writers.ts'
import { boundOf, raw } from '../sql/fragment.ts'
import { assertions } from './assertion-schema.ts'
import { failuresOf, wordsOf } from './assertions.ts'

const cases = [
  [
    { kind: 'not_null', columns: ['a', 'b"c'] },
    'SELECT count(*) AS n FROM r WHERE "a" IS NULL OR "b""c" IS NULL',
    'a, b"c is not null',
  ],
  [
    { kind: 'unique', columns: ['a', 'b'] },
    'SELECT count(*) AS n FROM (SELECT 1 AS one FROM r WHERE "a" IS NOT NULL AND "b" IS NOT NULL GROUP BY "a", "b" HAVING count(*) > 1) AS d',
    'a, b is unique',
  ],
  [
    { kind: 'range', columns: ['a'], min: 1, max: 2.5 },
    'SELECT count(*) AS n FROM r WHERE "a" < CAST($1 AS DOUBLE) OR "a" > CAST($2 AS DOUBLE)',
    'a is at least 1 and at most 2.5',
  ],
  [
    { kind: 'range', columns: ['a'], max: '2026-03-01' },
    'SELECT count(*) AS n FROM r WHERE "a" > CAST($1 AS date)',
    'a is at most 2026-03-01',
  ],
] as const

test.each([...cases])('%j is counted by %s', (given, statement, words) => {
  const [assertion] = assertions.parse([given])
  if (!assertion) throw new Error('There is no assertion')
  expect(boundOf(failuresOf(assertion, raw('r')), WRITERS.duckdb).text.toLowerCase()).toBe(
    statement.toLowerCase(),
  )
  expect(wordsOf(assertion)).toBe(words)
})
