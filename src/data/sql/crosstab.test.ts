import { describe, expect, test } from 'bun:test'
import { TemplateFault } from '../../templates/fault.ts'
import { Template } from '../../templates/template.ts'
import type { Given } from '../../templates/template.ts'
import { checkStatement } from './gate.ts'
import { tokensOf } from './lexer.ts'
import type { Dialect } from './spelling.ts'
import { templateSql } from './template-sql.ts'

function bound(text: string, values: Record<string, Given>, dialect: Dialect) {
  const made = templateSql(Template.parse(text).sql({ parameters: values, timeZone: 'UTC' }), dialect)
  return { ...made, text: checkStatement(made.text, dialect, null) }
}

function complaint(text: string, dialect: Dialect = 'duckdb'): string {
  try {
    bound(text, { x: 'a' }, dialect)
    return ''
  } catch (error) {
    if (error instanceof TemplateFault) return error.complaint
    throw error
  }
}

const SOURCE = "SELECT region, kind, amount FROM orders WHERE note <> ''none'' AND region = ${x} ORDER BY 1"
const CALL = `SELECT ct.* FROM crosstab('${SOURCE}', $$VALUES ('a'), ('b')$$) AS ct (region text, "A" int, b numeric(10, 2)) WHERE 1 = \${n}`
const PLAIN = CALL.replaceAll('$$', "'").replace("('a'), ('b')", "(''a''), (''b'')")

describe('crosstab', () => {
  test('PostgreSQL has it: values within its quotes are literals', () => {
    const { text, binds } = bound(CALL, { x: "o'neil", n: 1 }, 'postgresql')
    expect(binds).toEqual([{ type: 'integer', value: 1 }])
    expect(text).toContain("note <> ''none'' AND region = CAST(''o''''neil'' AS TEXT) ORDER BY 1', $$VALUES")
  })

  test.each(['duckdb', 'sqlite', 'mysql'] as const)(
    '%s: it becomes an aggregation with binds in order',
    (dialect) => {
      const { text, binds } = bound(
        dialect === 'mysql' ? PLAIN.replaceAll('"', '`') : PLAIN,
        { x: "o'neil", n: 1 },
        dialect,
      )
      expect(binds.map(({ value }) => value)).toEqual(["o'neil", 1])
      expect(text).not.toContain('crosstab(')
      const quote = dialect === 'mysql' ? '`' : '"'
      const decimal = dialect === 'sqlite' ? 'REAL' : 'DECIMAL(10,2)'
      expect(text).toContain(`AS ${quote}A${quote}, CAST(max(CASE WHEN `)
      expect(text).toContain(` THEN s.v END) AS ${decimal}) AS ${quote}b${quote}`)
      expect(text).toContain("note <> 'none' AND region = CAST(")
      expect(text).toMatch(/GROUP BY .*\) AS ct {2}WHERE 1 = /)
    },
  )

  test('an order of categories needs a limit on MySQL', () => {
    const limited = (categories: string) =>
      /crosstab_l \(c\) AS \((.*)\),$/m.exec(
        bound(`SELECT * FROM crosstab('SELECT 1, 2, 3', '${categories}') AS ct (r text, a int)`, {}, 'mysql')
          .text,
      )?.[1]
    expect(limited('SELECT c FROM t ORDER BY c')).toBe('SELECT c FROM t ORDER BY c LIMIT 2000')
    expect(limited('SELECT c FROM t ORDER BY c LIMIT 3')).toBe('SELECT c FROM t ORDER BY c LIMIT 3')
    expect(limited('SELECT c FROM (SELECT c FROM t ORDER BY c) q')).not.toContain('2000')
  })

  test('faults have their place', () => {
    const call = (args: string, columns = ' AS ct (r text, a int)') =>
      complaint(`SELECT * FROM crosstab(${args})${columns}`)
    const [one, two] = ["'SELECT 1, 2, 3'", "'SELECT 2'"]
    expect(call(`${one}, ${two}`)).toBe('')
    expect(call(one)).toContain('two statements')
    expect(call(`${one}, ${two}, ${two}`)).toContain('two statements')
    expect(call(`${one}, x`)).toContain('single quotes')
    expect(call(`${one}, ${two}`, '')).toContain('needs the columns')
    expect(call(`${one}, ${two}`, ' ct (r text)')).toContain('needs the columns')
    expect(call(`${one}, ${two}`, ' ct (r text, a)')).toContain('is not a type')
    for (const type of ['money', 'constructor'])
      expect(call(`${one}, ${two}`, ` ct (r text, a ${type})`)).toContain('is not a type')
    expect(call(`${one}, ${two}`, ' ct (r text, a int(x))')).toContain('is not a size')
    expect(call(`${one}, ${two}`, ' ct (r text, a int')).not.toBe('')
    expect(call(`${one}, 'DELETE FROM t'`)).toContain('in this statement, a statement begins with SELECT')
    expect(call(`'SELECT 1) UNION (SELECT 2', ${two}`)).toContain('closes a parenthesis')
    expect(call(`'SELECT \${x}x', ${two}`)).toContain('glued')
    expect(
      complaint(`SELECT * FROM crosstab(E'SELECT \${x}', ${two}) AS ct (r text)`, 'postgresql'),
    ).toContain('single quotes')
    expect(
      complaint(`SELECT * FROM crosstab('SELECT \\\\', ${two}) AS ct (r text, a int)`, 'mysql'),
    ).toContain('backslashes')
  })
})

const HOSTILE = [
  "' OR '1'='1",
  "''; SELECT 1 --",
  "\\' OR 1=1",
  '$$',
  "'') UNION SELECT 1 --",
  '"',
  'x',
  '*/',
  '',
]
const PLACES = [
  "SELECT * FROM crosstab('SELECT a, b, c FROM t WHERE a = ${x}', 'SELECT ${x}') AS ct (r text, a int)",
  "SELECT * FROM crosstab('SELECT a, b, c FROM t WHERE a = ''${x}'' AND b LIKE ''%${x}%''', 'SELECT 1') AS ct (r text, a int)",
  "SELECT * FROM crosstab('SELECT a, \"${x}\", ${x?sql_literal} FROM t', 'SELECT 1') AS ct (r text, a int)",
]

test.each(['postgresql', 'duckdb', 'sqlite', 'mysql'] as const)(
  '%s: values are nothing but values, also in the statements in quotes',
  (dialect) => {
    const kinds = (text: string): unknown[] =>
      tokensOf(text, dialect).map(({ kind, value }) =>
        kind === 'string' && value.startsWith('SELECT') ? kinds(value) : kind,
      )
    let compared = 0
    for (const place of PLACES)
      for (const x of HOSTILE) {
        try {
          const { text } = bound(place, { x }, dialect)
          expect({ x, kinds: kinds(text) }).toEqual({
            x,
            kinds: kinds(bound(place, { x: 'harmless' }, dialect).text),
          })
          compared += 1
        } catch (error) {
          if (!(error instanceof TemplateFault)) throw error
        }
      }
    expect(compared).toBeGreaterThan(20)
  },
)
