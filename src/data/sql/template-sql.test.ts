import { beforeAll, describe, expect, test } from 'bun:test'
import { loadModule, scanSync } from 'libpg-query'

import { TemplateFault } from '../../templates/fault.ts'
import { type Given, Template } from '../../templates/template.ts'
import { Decimal } from '../../templates/values/decimal.ts'
import { DateValue, Fragment, NativeFunction, Text } from '../../templates/values/value.ts'
import { checkStatement } from './gate.ts'
import { tokensOf } from './lexer.ts'
import type { Dialect } from './spelling.ts'
import { templateSql } from './template-sql.ts'

const ALL: readonly Dialect[] = ['postgresql', 'mysql', 'duckdb', 'sqlite']

function bound(text: string, parameters: Readonly<Record<string, Given>>, dialect: Dialect = 'postgresql') {
  const snippets = new Map([['filter', Template.parse('region = ${region}')]])
  const written = Template.parse(text).sql({
    parameters,
    timeZone: 'UTC',
    snippet: (name) => snippets.get(name),
  })
  return templateSql(written, dialect)
}

function fault(text: string, parameters: Readonly<Record<string, Given>>, dialect: Dialect = 'postgresql') {
  try {
    bound(text, parameters, dialect)
  } catch (error) {
    if (error instanceof TemplateFault) return { code: error.code, line: error.line, column: error.column }
    throw error
  }
  return undefined
}

const string = (value: string | null) => ({ type: 'string', value })

describe('a value outside of quotes is a bind', () => {
  test.each([
    ['postgresql', 'CAST($1 AS TEXT)'],
    ['duckdb', 'CAST($1 AS VARCHAR)'],
    ['mysql', 'CAST(? AS CHAR CHARACTER SET utf8mb4)'],
    ['sqlite', 'CAST($1 AS TEXT)'],
  ] as const)('%s', (dialect, cast) => {
    const { text, binds } = bound('SELECT * FROM t WHERE a = ${x}', { x: "O'Brien" }, dialect)
    expect(text).toBe(`SELECT * FROM t WHERE a = ${cast}`)
    expect(binds).toEqual([string("O'Brien")] as never)
  })

  test('of its type, also after ?c', () => {
    const parameters = {
      i: 5,
      n: Decimal.parse('2.50'),
      long: 12_345_678_901_234_567_890n,
      b: true,
      day: new DateValue('date', 0),
      at: new DateValue('datetime', 1_500),
      nothing: null,
    }
    const { text, binds } = bound(
      'SELECT ${i}, ${i?c}, ${n}, ${long}, ${b}, ${b?c}, ${day}, ${at}, ${nothing}',
      parameters,
    )
    expect(text).toBe(
      'SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS DOUBLE PRECISION), CAST($4 AS NUMERIC), ' +
        'CAST($5 AS BOOLEAN), CAST($6 AS BOOLEAN), CAST($7 AS DATE), CAST($8 AS TIMESTAMPTZ), NULL',
    )
    expect(binds.map(({ value }) => value)).toEqual([
      5,
      5,
      2.5,
      '12345678901234567890',
      true,
      true,
      '1970-01-01',
      '1970-01-01T00:00:01.5Z',
    ])
  })

  test('lists are binds with commas; an empty list is NULL', () => {
    expect(bound('SELECT 1 WHERE a IN (${x})', { x: [1, 2, 3] }).text).toBe(
      'SELECT 1 WHERE a IN (CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT))',
    )
    expect(bound('SELECT 1 WHERE a IN (${x})', { x: [] })).toEqual({
      text: 'SELECT 1 WHERE a IN (NULL)',
      binds: [],
    })
  })

  test('through macros, captures, escapes, loops and snippets', () => {
    const text =
      '<#macro eq column value>${column?no_esc} = ${value}</#macro><#assign both><@eq "a" x/> AND <@eq "b" y/></#assign>' +
      'SELECT 1 WHERE ${both}<#list [x, y] as z> OR c = ${z}</#list> OR <#include "snippet:filter">'
    expect(bound(text, { x: 1, y: 'q', region: 'w' })).toEqual({
      text:
        'SELECT 1 WHERE a = CAST($1 AS BIGINT) AND b = CAST($2 AS TEXT) OR c = CAST($3 AS BIGINT) ' +
        'OR c = CAST($4 AS TEXT) OR region = CAST($5 AS TEXT)',
      binds: [
        { type: 'integer', value: 1 },
        { type: 'string', value: 'q' },
        { type: 'integer', value: 1 },
        { type: 'string', value: 'q' },
        { type: 'string', value: 'w' },
      ],
    })
  })
})

describe('a value within quotes is escaped for them', () => {
  test.each([
    ['postgresql', "'%${x}%'", `'%a''b\\"\`%'`],
    ['postgresql', "E'${x}'", `E'a''b\\\\"\`'`],
    ['mysql', "'${x}'", `'a''b\\\\"\`'`],
    ['mysql', '"${x}"', `"a'b\\\\""\`` + '"'],
    ['sqlite', "'${x}'", `'a''b\\"\`'`],
    ['postgresql', '"${x}"', `"a'b\\""\`` + '"'],
    ['mysql', '`${x}`', '`a\'b\\"```'],
    ['sqlite', '`${x}`', '`a\'b\\"```'],
    ['sqlite', '[${x}]', `[a'b\\"\`]`],
    ['postgresql', '${x?sql_identifier}', `"a'b\\""\`` + '"'],
    ['mysql', '${x?sql_identifier}', '`a\'b\\"```'],
    ['postgresql', '${x?sql_literal}', `'a''b\\"\`'`],
    ['mysql', '${x?sql_literal}', `'a''b\\\\"\`'`],
  ] as const)('%s %p', (dialect, template, written) => {
    const { text, binds } = bound(`SELECT ${template} FROM t`, { x: `a'b\\"\`` }, dialect)
    expect(text).toBe(`SELECT ${written} FROM t`)
    expect(binds).toEqual([])
  })

  test('numbers and dates are written as computers read them', () => {
    const parameters = { n: Decimal.parse('1234567.5'), day: new DateValue('date', 0), m: -5 }
    expect(bound("SELECT '${n} ${day}', ${m?sql_literal}, ${n?sql_literal}", parameters).text).toBe(
      "SELECT '1234567.5 1970-01-01', (-5), 1234567.5",
    )
  })
})

describe('refused, with the place', () => {
  test.each([
    ['SELECT a FROM t ORDER BY ${x}', 'bind', 26],
    ['SELECT a FROM t ORDER BY a, ${x} DESC', 'bind', 29],
    ['SELECT a FROM t GROUP BY ${x}', 'bind', 26],
    ['SELECT sum(a) OVER (PARTITION BY ${x})', 'bind', 34],
    ['SELECT 1 -- ${x}', 'bind', 13],
    ['SELECT /* ${x} */ 1', 'bind', 11],
    ['SELECT $$ ${x} $$', 'bind', 11],
    ['SELECT $a$ ${x} $a$', 'bind', 12],
    ['SELECT $${x}$ 1 $a$', 'bind', 8],
    ['SELECT col_${x} FROM t', 'bind', 12],
    ['SELECT ${x}_col FROM t', 'bind', 8],
    ['SELECT ${x}${x}', 'bind', 8],
    ['SELECT 1${x}', 'bind', 8],
    ['SELECT t.${x} FROM t', 'bind', 10],
    ['SELECT ${x}.a FROM t', 'bind', 8],
    ['SELECT ${x}(1)', 'bind', 8],
    ['SELECT a::${x}', 'bind', 11],
    ['SELECT a:: ${x}', 'bind', 12],
    ["SELECT x'${x}'", 'bind', 10],
    ["SELECT E'\\${x}'", 'bind', 11],
    ["SELECT U&'${x}'", 'bind', 8],
    ["SELECT '${l}'", 'bind', 9],
    ["SELECT '${nothing}'", 'bind', 9],
    ["SELECT 'a' ${x?sql_literal}", 'bind', 14],
    ["SELECT ${x?sql_literal}'a'", 'bind', 10],
    ['SELECT "a"${x?sql_identifier}', 'bind', 13],
    ['SELECT ${blank?sql_identifier}', 'bind', 10],
    ['SELECT $1, ${x}', 'bind', 8],
    ["SELECT 'open ${x}", 'bind', 8],
    ['SELECT (${x}', 'bind', 9],
    ['SELECT ${x?no_esc}', 'tainted', 10],
    ['SELECT ${("a" + x)?no_esc}', 'tainted', 10],
    ['SELECT ${x?replace("a", "b")?upper_case?no_esc}', 'tainted', 10],
    ['<#assign y = x?split(",")[0]>SELECT ${y?no_esc}', 'tainted', 39],
    ['SELECT ${"${x}"?no_esc}', 'tainted', 10],
    ['SELECT ${[x]?join("")?no_esc}', 'tainted', 10],
    ['SELECT ${h?keys[0]?no_esc}', 'tainted', 10],
    ['<#list h as k, v>${k?no_esc}</#list>', 'tainted', 20],
    ['SELECT ${"a"?left_pad(5, x)?no_esc}', 'tainted', 10],
    ['SELECT ${json?eval_json.a?no_esc}', 'tainted', 10],
    ['SELECT ${n?string("0\'" + x + "\'")?no_esc}', 'tainted', 10],
    ['<@trim prefix=x>a</@trim>', 'tainted', 1],
  ] as const)('%p', (text, code, column) => {
    const parameters = { x: 'a', l: [1], nothing: null, blank: '', h: { k: 1 }, json: '{"a": "b"}', n: 5 }
    expect(fault(text, parameters)).toEqual({ code, line: 1, column } as never)
  })

  test('a name is at most 63 bytes', () => {
    expect(bound('SELECT ${x?sql_identifier}', { x: 'a'.repeat(63) }).text.length).toBe(72)
    expect(fault('SELECT ${x?sql_identifier}', { x: 'é'.repeat(32) })?.code).toBe('bind')
    expect(fault('SELECT "a${x}"', { x: 'a'.repeat(63) })?.code).toBe('bind')
  })

  test('in a snippet', () => {
    expect(fault('SELECT 1 WHERE <#include "snippet:filter">x', { region: 1 })).toEqual({
      code: 'bind',
      line: 1,
      column: 10,
    })
  })
})

test('a clean string and a number are SQL by ?no_esc', () => {
  const order = new Text('region DESC', false)
  expect(bound('SELECT a FROM t ORDER BY ${order?no_esc} LIMIT ${n?no_esc}', { order, n: 5 }).text).toBe(
    'SELECT a FROM t ORDER BY region DESC LIMIT 5',
  )
  expect(bound('<#assign c = "a, b">SELECT ${c?no_esc}', {}).text).toBe('SELECT a, b')
})

test('a function of the caller writes SQL with values', () => {
  const ref = new NativeFunction(([name]) => {
    const text = name instanceof Text ? `SELECT * FROM ${name.text} WHERE id = ` : ''
    const value = { type: 'integer', value: 7, text: '7' } as const
    return new Fragment([
      { kind: 'text', text, at: 0, snippet: null },
      { kind: 'value', values: [value], isList: false, at: 0, snippet: null },
    ])
  })
  expect(bound('SELECT 1 FROM (${ref("orders")}) q WHERE a = ${x}', { ref, x: 1 })).toEqual({
    text: 'SELECT 1 FROM (SELECT * FROM orders WHERE id = CAST($1 AS BIGINT)) q WHERE a = CAST($2 AS BIGINT)',
    binds: [
      { type: 'integer', value: 7 },
      { type: 'integer', value: 1 },
    ],
  })
})

test('where, and, trim', () => {
  const text =
    'SELECT * FROM t <@where><@and><#if a??>a = ${a}</#if></@and> <@and><#if b??>b = ${b}</#if></@and></@where>'
  expect(bound(text, {}).text).toBe('SELECT * FROM t ')
  expect(bound(text, { b: 1 }).text).toBe('SELECT * FROM t WHERE b = CAST($1 AS BIGINT)')
  expect(bound(text, { a: 1, b: 1 }).text).toBe(
    'SELECT * FROM t WHERE a = CAST($1 AS BIGINT) AND b = CAST($2 AS BIGINT)',
  )
  expect(bound('SELECT 1 <@where>\n  and android = ${a}\n</@where>', { a: 1 }).text).toBe(
    'SELECT 1 WHERE android = CAST($1 AS BIGINT)',
  )
  expect(bound('SELECT 1 <@where>android = ${a}</@where>', { a: 1 }).text).toBe(
    'SELECT 1 WHERE android = CAST($1 AS BIGINT)',
  )
  const list =
    '<@trim prefix="SELECT" suffix="FROM t" suffixOverrides=","><#if a??>a, </#if><#if b??>b, </#if></@trim>'
  expect(bound(list, { a: 1, b: 1 }).text).toBe('SELECT a, b FROM t')
  expect(bound(list, {}).text).toBe('')
  expect(bound('<#macro where>own</#macro><@where/>', {}).text).toBe('own')
})

/** Templates with one value, in each place that takes one. */
const PLACES: readonly (readonly [template: string, dialects: readonly Dialect[]])[] = [
  ['SELECT * FROM t WHERE a = ${x} AND b = 1', ALL],
  ["SELECT * FROM t WHERE a LIKE '%${x}%' AND b = 1", ALL],
  ["SELECT * FROM t WHERE a = '${x}' AND b = 1", ALL],
  ["SELECT 'a''${x}''b', 'c'", ALL],
  ["SELECT E'a\\\\${x}\\n', 'c'", ['postgresql', 'duckdb']],
  ['SELECT "a${x}", "c" FROM t', ALL],
  ['SELECT `${x}`, `c` FROM t', ['mysql', 'sqlite']],
  ['SELECT [${x}], [c] FROM t', ['sqlite']],
  ['SELECT t.${x?sql_identifier}, c FROM t ORDER BY ${x?sql_identifier} DESC', ALL],
  ['SELECT ${x?sql_literal}, c FROM t', ALL],
  ["<#assign y>a = '${x}'</#assign>SELECT 1 WHERE ${y} AND b = 1", ALL],
  ['SELECT 1 <@where><@and>a = ${x}</@and></@where> -- end', ALL],
  ["<#macro m v>'${v?upper_case}'</#macro>SELECT <@m x/>, 'c'", ALL],
  ['<#compress>SELECT   ${x?trim},  1</#compress>', ALL],
  ["SELECT '${x?replace(\"'\", \"''\")}', 1", ALL],
  ['SELECT ${"${x}"}, ${[x] + [x]}, \'${x + x}\'', ALL],
]

const SIGNS =
  '\' " ` \\ ; -- /* */ # $$ $a$ ] [ ) ( , E x U& \\u0027 \\x27 % _ ? $1 :x @a :: é 😀 ʼ ＇ \'\' "" \\\\ /*! v'
const PARTS = [...SIGNS.split(' '), ' ', '\n', '\r\n', '\u00a0', '\0', '\ud800', '$'.concat('{x}'), '<#if>']
PARTS.push('OR 1=1', 'UNION SELECT', 'DROP TABLE t')
const PAYLOADS: readonly string[] = [
  "' OR '1'='1",
  "'; DROP TABLE t; --",
  '" OR ""="',
  "\\' OR 1=1 -- ",
  "\\\\' OR 1=1 #",
  '$$; SELECT 1; $$',
  '` OR 1=1 -- ',
  '] OR 1=1 --',
  "a'/**/OR/**/'a'='a",
  '',
  ...mixed(190),
]

/** Payloads of random parts, always the same. */
function mixed(count: number): readonly string[] {
  let state = 7
  const below = (bound_: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % bound_
  }
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(6) }, () => PARTS[below(PARTS.length)]).join(''),
  )
}

describe('injection', () => {
  beforeAll(loadModule)

  test.each(ALL)('%s: every place has the tokens of a harmless value, with 200 payloads', (dialect) => {
    expect(new Set(PAYLOADS).size).toBeGreaterThan(180)
    let compared = 0
    for (const [template, dialects] of PLACES) {
      if (!dialects.includes(dialect)) continue
      const harmless = bound(template, { x: 'harmless' }, dialect)
      for (const payload of PAYLOADS) {
        const code = fault(template, { x: payload }, dialect)?.code
        if (code !== undefined) {
          expect(code).toBe('bind')
          continue
        }
        compared += 1
        const hostile = bound(template, { x: payload }, dialect)
        const [expected, found] = [harmless, hostile].map(({ text }) => tokensOf(text, dialect)) as [
          ReturnType<typeof tokensOf>,
          ReturnType<typeof tokensOf>,
        ]
        expect(found.map(({ kind }) => kind)).toEqual(expected.map(({ kind }) => kind))
        // Only strings and names hold the value; all else is the same to the letter.
        const others = (tokens: typeof found) =>
          tokens.filter(({ kind }) => kind !== 'string' && kind !== 'name').map(({ value }) => value)
        expect(others(found)).toEqual(others(expected))
        expect(hostile.binds.map(({ type }) => type)).toEqual(harmless.binds.map(({ type }) => type))
        if (dialect === 'postgresql') expect(scanned(hostile.text)).toEqual(scanned(harmless.text))
      }
    }
    expect(compared).toBeGreaterThan(PLACES.length * 100)
  })

  const scanned = (text: string) => scanSync(text).tokens.map(({ tokenType }) => tokenType)

  test('a bound statement passes the gate', () => {
    for (const dialect of ALL) {
      const { text } = bound(
        "SELECT a, '${x}' FROM t WHERE a IN (${l}) AND b = ${x}",
        { x: "'", l: [1, 2] },
        dialect,
      )
      expect(checkStatement(text, dialect, null)).toBe(text)
    }
  })
})
