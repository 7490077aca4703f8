import { beforeAll, describe, expect, test } from 'bun:test'
import { loadModule, type ScanToken, scanSync } from 'libpg-query'

import { SEED } from '../../../test/seed.ts'
import { type Token, tokensOf } from './lexer.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

const written = (text: string, dialect: Dialect) =>
  tokensOf(text, dialect).map(({ kind, start, end }) => [kind, text.slice(start, end)].join(' '))

function faultOf(text: string, dialect: Dialect): TextFault | undefined {
  try {
    tokensOf(text, dialect)
    return undefined
  } catch (error) {
    if (error instanceof TextFault) return error
    throw error
  }
}

const ALL: readonly Dialect[] = ['postgresql', 'mysql', 'duckdb', 'sqlite']

describe('tokens of every dialect', () => {
  test.each(ALL)('%s: words, names, strings, numbers and comments', (dialect) => {
    expect(written(`SELECT a.b, 'it''s' -- c ; '\n FROM t /* ; */ WHERE x <= 1.5e3;`, dialect)).toEqual([
      'word SELECT',
      'word a',
      'punctuation .',
      'word b',
      'punctuation ,',
      "string 'it''s'",
      "comment -- c ; '",
      'word FROM',
      'word t',
      'comment /* ; */',
      'word WHERE',
      'word x',
      'operator <=',
      'number 1.5e3',
      'punctuation ;',
    ])
  })

  test.each(ALL)('%s: the content of quotes', (dialect) => {
    const quote = dialect === 'mysql' ? '`' : '"'
    const [name, string] = tokensOf(`${quote}a${quote}${quote}b${quote} 'c''d'`, dialect)
    expect([name?.kind, name?.value]).toEqual(['name', `a${quote}b`])
    expect([string?.kind, string?.value]).toEqual(['string', "c'd"])
  })

  test.each(
    ALL.flatMap((dialect) =>
      [`'abc`, '/* abc', `a "b`, '\x01', 'a \0 b', "'a\0b'"].map((text) => [dialect, text] as const),
    ),
  )('%s refuses %p', (dialect, text) => expect(faultOf(text, dialect)).toBeInstanceOf(TextFault))
})

/** Texts whose meaning differs between dialects. */
const SPELLED: readonly (readonly [text: string, dialect: Dialect, tokens: readonly string[] | 'refused'])[] =
  [
    [`'a\\' ; b'`, 'mysql', [`string 'a\\' ; b'`]],
    [`'a\\' ; b`, 'postgresql', [`string 'a\\'`, 'punctuation ;', 'word b']],
    [`e'a\\' ; b'`, 'postgresql', [`string e'a\\' ; b'`]],
    [`e'a\\' ; b'`, 'duckdb', [`string e'a\\' ; b'`]],
    [`x'\\' ; b'`, 'mysql', 'refused'],
    ['"a" \'b\'', 'mysql', ['string "a"', "string 'b'"]],
    ['"a" \'b\'', 'sqlite', ['name "a"', "string 'b'"]],
    ['/* /* */ a', 'mysql', ['comment /* /* */', 'word a']],
    ['/* /* */ a', 'sqlite', ['comment /* /* */', 'word a']],
    ['/*/*/ a', 'mysql', ['comment /*/*/', 'word a']],
    ['/* /* */ a */ b', 'postgresql', ['comment /* /* */ a */', 'word b']],
    ['/* /* */ a', 'duckdb', 'refused'],
    ['/*! select 1 */', 'mysql', 'refused'],
    ['/*M! select 1 */', 'mysql', 'refused'],
    ['/*+ SET_VAR(sql_mode=ANSI_QUOTES) */', 'mysql', 'refused'],
    ['/*! select 1 */', 'postgresql', ['comment /*! select 1 */']],
    ['1--1', 'mysql', ['number 1', 'operator -', 'operator -', 'number 1']],
    ['1--1', 'sqlite', ['number 1', 'comment --1']],
    ['1 -- 1', 'mysql', ['number 1', 'comment -- 1']],
    ['1 # 1', 'mysql', ['number 1', 'comment # 1']],
    ['1 # 1', 'postgresql', ['number 1', 'operator #', 'number 1']],
    ['1 # 1', 'sqlite', 'refused'],
    ['-- a\r b', 'postgresql', ['comment -- a', 'word b']],
    ['-- a\r b', 'sqlite', ['comment -- a\r b']],
    ['$$ ; $$', 'postgresql', ['string $$ ; $$']],
    ['$a$ $$ $b$ $a$', 'duckdb', ['string $a$ $$ $b$ $a$']],
    ['$a$ ;', 'postgresql', 'refused'],
    ['a$b$c', 'postgresql', ['word a$b$c']],
    ['$$', 'sqlite', 'refused'],
    ['U&"a"', 'postgresql', 'refused'],
    ["U&'a'", 'duckdb', 'refused'],
    ['`a`` b`', 'mysql', ['name `a`` b`']],
    ['[a ; b]', 'sqlite', ['name [a ; b]']],
    ['a[1]', 'duckdb', ['word a', 'punctuation [', 'number 1', 'punctuation ]']],
    ["$a(') ; b", 'sqlite', 'refused'],
    ["@a(') ; b", 'sqlite', 'refused'],
    ["$1(') ; b", 'sqlite', 'refused'],
    ['$1 ?', 'sqlite', 'refused'],
    ['$1', 'sqlite', ['parameter $1']],
    ['?', 'mysql', ['parameter ?']],
    ['1abc', 'mysql', ['word 1abc']],
    ['t.1e5', 'mysql', ['word t', 'punctuation .', 'word 1e5']],
    ['1e5 1.5', 'mysql', ['number 1e5', 'number 1.5']],
    ['1abc', 'postgresql', 'refused'],
    ['1abc', 'sqlite', 'refused'],
    ['a\u00a0b', 'postgresql', ['word a\u00a0b']],
    ['a\u00a0b', 'duckdb', 'refused'],
    ["'\u00a0'", 'duckdb', ["string '\u00a0'"]],
    ["'a'\n'b'", 'postgresql', ["string 'a'", "string 'b'"]],
    ["e'a'\n'b\\' ; '", 'postgresql', 'refused'],
    ["e'a' --\n 'b\\' ; c'", 'postgresql', 'refused'],
    ["x'a''b'", 'postgresql', ["string x'a'", "string 'b'"]],
    ["x'aa''bb'", 'mysql', ["string x'aa'", "string 'bb'"]],
    ["'a' /* */ 'b'", 'postgresql', 'refused'],
    [
      '1..2 a<->-1',
      'postgresql',
      ['number 1', 'operator ..', 'number 2', 'word a', 'operator <->', 'operator -', 'number 1'],
    ],
  ]

describe('tokens by dialect', () => {
  test.each(SPELLED)('%p in %s', (text, dialect, tokens) => {
    if (tokens === 'refused') expect(faultOf(text, dialect)).toBeInstanceOf(TextFault)
    else expect(written(text, dialect)).toEqual([...tokens])
  })

  test('a fault has its line and its column', () => {
    const text = 'select 1,\r\n  \ud83d\ude00 \x01'
    const refusal = faultOf(text, 'duckdb')?.refusal(text, '/text')
    expect(refusal?.errors).toEqual([
      { pointer: '/text', message: 'line 2, column 6: is a character that SQL does not have here' },
    ])
  })
})

// The scanner of PostgreSQL itself. `npm run fuzz:sql` compares 100,000 texts.
const TEXTS = Number(process.env['TIDEMARK_TEST_SQL_TEXTS'] ?? 3000)
/** On a busy machine 100,000 texts took ten minutes. */
const TEXTS_MAX_MS = 180_000 + TEXTS * 20

const PARTS = [
  "'",
  "''",
  '"',
  '""',
  '`',
  '\\',
  "\\'",
  '$$',
  '$a$',
  '$',
  '$1',
  '--',
  '/*',
  '*/',
  '#',
  '/*!',
  '/',
  '*',
  '\n',
  '\r',
  '\r\n',
  ' ',
  '\t',
  '\f',
  '\v',
  '\u00a0',
  '\u2003',
  'ä',
  '\ud83d\ude00',
  '\x01',
  '.',
  '..',
  '::',
  ':=',
  ':',
  ';',
  ',',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '+',
  '-',
  '<',
  '>',
  '=',
  '!',
  '~',
  '@',
  '%',
  '^',
  '&',
  '|',
  '?',
  'e',
  "e'",
  "E'",
  "n'",
  "x'",
  "b'",
  "U&'",
  'u&"',
  'U',
  'a',
  'select',
  'from',
  '_',
  '0',
  '1',
  '9',
  '1.5',
  '.5',
  '1e5',
  '1e',
  '0x1F',
  '0o7',
  '0b1',
  '1_000',
  '1__0',
  '1a',
  "'b'",
  '"c"',
  '\\n',
  '\\x41',
  "'d'\n'e'",
]

/** Texts from a seed, the same on every machine. */
function* textsOf(seed: number, count: number): Generator<string> {
  let state = seed
  const below = (max: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * max)
  }
  for (let index = 0; index < count; index += 1) {
    const length = 1 + below(12)
    yield Array.from({ length }, () => PARTS[below(PARTS.length)] ?? '').join('')
  }
}

/** The tokens of PostgreSQL with places in bytes; undefined when it refuses the text. The package reads the answer of its
 * module as JSON although control characters stand in it, and although it may be an error's text. */
function scan(text: string): readonly ScanToken[] | undefined {
  const parse = JSON.parse
  let answer = ''
  JSON.parse = (json: string) => (answer = json)
  try {
    scanSync(text)
  } finally {
    JSON.parse = parse
  }
  if (!answer.startsWith('{')) return undefined
  // oxlint-disable-next-line no-control-regex -- these are what JSON does not allow
  return (parse(answer.replaceAll(/[\x00-\x1f]/g, ' ')) as { readonly tokens: ScanToken[] }).tokens
}

const bytesOf = new TextEncoder()
const places = (text: string, tokens: readonly Token[]) =>
  tokens.map(({ start, end }) => [
    bytesOf.encode(text.slice(0, start)).length,
    bytesOf.encode(text.slice(0, end)).length,
  ])

/** Adjacent strings with a line break between are one token to PostgreSQL. */
function joined(text: string, tokens: readonly Token[]): Token[] {
  const whole: Token[] = []
  for (const next of tokens) {
    const before = whole.at(-1)
    const between = text.slice(before?.end, next.start)
    const goesOn = before?.kind === 'string' && next.kind === 'string' && /[\n\r]/.test(between)
    if (before && goesOn && text[before.end - 1] === "'" && text[next.start] === "'")
      whole.splice(-1, 1, { ...before, end: next.end })
    else whole.push(next)
  }
  return whole
}

/** The places of our tokens in bytes, or the complaint. */
const ours = (text: string) =>
  faultOf(text, 'postgresql')?.complaint ?? places(text, joined(text, tokensOf(text, 'postgresql')))

function compared(text: string): 'same' | 'both refuse' | 'refused on purpose' | 'bad escape' | 'different' {
  const fault = faultOf(text, 'postgresql')
  const theirs = scan(text)?.map(({ start, end }) => [start, end])
  if (fault && !theirs) return 'both refuse'
  if (fault && ON_PURPOSE.test(fault.complaint)) return 'refused on purpose'
  if (!fault && !theirs && BAD_ESCAPE.test(text)) return 'bad escape'
  return Bun.deepEquals(ours(text), theirs) ? 'same' : 'different'
}

/** Refused here on purpose, although PostgreSQL has a meaning for it. */
const ON_PURPOSE = /Unicode escapes|continues a string|does not have here|letters after it/
/** Refused by PostgreSQL within quotes that both see. */
const BAD_ESCAPE = /e'[^]*\\/i

describe('against the scanner of PostgreSQL', () => {
  beforeAll(() => loadModule())

  test(
    `${TEXTS} texts have the same tokens`,
    () => {
      const seen = Map.groupBy(textsOf(SEED, TEXTS), compared)
      const differences = (seen.get('different') ?? []).map((text) => ({
        text,
        ours: ours(text),
        theirs: scan(text),
      }))
      expect(differences.slice(0, 8)).toEqual([])
      // Most texts must be compared, or the test shows nothing.
      expect(seen.get('same')?.length).toBeGreaterThan(TEXTS * 0.25)
      expect(seen.get('refused on purpose')?.length).toBeLessThan(TEXTS * 0.35)
    },
    TEXTS_MAX_MS,
  )
})
