import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'

import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import * as fc from 'fast-check'

import { matchesWildcard } from '../../../../lib/wildcard.ts'
import type { TextMatch } from '../filter.ts'
import { Bound } from './bound.ts'
import { gramQuery, textFits, textSeek } from './texts.ts'

const database = new Database(':memory:')
const dialect = new SQLiteAsyncDialect()

type Condition = (x: string, match: TextMatch, bound: Bound) => string | null

/** The result of SQLite for a condition on a text; null without a condition. */
function ask(condition: Condition, text: string, match: TextMatch): boolean | null {
  const bound = new Bound()
  const fits = condition('x', match, bound)
  if (fits === null) return null
  const statement = bound.statement(`select (${fits}) as fits from (select ${bound.add(text)} as x)`)
  const query = dialect.sqlToQuery(statement)
  const row = database.query(query.sql).get(...(query.params as string[])) as { fits: number }
  return row.fits === 1
}

function expected(text: string, match: TextMatch): boolean {
  switch (match.by) {
    case 'defined':
      return text !== ''
    case 'eq':
      return text === match.text
    case 'starts_with':
      return text.startsWith(match.text)
    case 'ends_with':
      return text.endsWith(match.text)
    case 'contains':
      return text.includes(match.text)
    case 'matches':
      return matchesWildcard(text, match.text)
  }
}

const letters = fc.oneof(
  fc.stringMatching(/^[ab%_?[]{0,6}$/),
  fc.string({ unit: fc.constantFrom('a', 'ü', '🙂', '\u{10FFFF}', '"', "'", '\\') }),
)
const pattern = fc.array(letters, { maxLength: 5 }).map((parts) => parts.join('*'))
const match: fc.Arbitrary<TextMatch> = fc.oneof(
  fc.record({
    by: fc.constantFrom('eq', 'starts_with', 'ends_with', 'contains'),
    text: letters.filter((text) => text !== ''),
  }),
  fc.record({ by: fc.constant('matches' as const), text: pattern }),
  fc.constant({ by: 'defined' as const }),
)

test('SQL and the wildcard matcher agree', () => {
  fc.assert(
    fc.property(letters, match, (text, wanted) => {
      expect(ask(textFits, text, wanted)).toBe(expected(text, wanted))
    }),
    { numRuns: 2000 },
  )
})

test('texts that the index condition excludes do not match', () => {
  fc.assert(
    fc.property(letters, match, (text, wanted) => {
      // U+10FFFF, the last character, cannot be told from the end of a range.
      fc.pre(!text.includes('\u{10FFFF}'))
      if (expected(text, wanted)) expect(ask(textSeek, text, wanted) ?? true).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test('the full-text query is the longest run of at least three characters, quoted', () => {
  const rows: [TextMatch, string | null][] = [
    [{ by: 'contains', text: 'ab' }, null],
    [{ by: 'contains', text: 'a"b' }, '"a""b"'],
    [{ by: 'matches', text: '*ab*cde*fghi' }, '"fghi"'],
    [{ by: 'matches', text: '🙂🙂*' }, null],
    [{ by: 'defined' }, null],
    [{ by: 'contains', text: 'x'.repeat(100) }, `"${'x'.repeat(64)}"`],
  ]
  for (const [wanted, query] of rows) expect(gramQuery(wanted)).toBe(query)
})
