import { describe, expect, test } from 'bun:test'
import { TemplateFault } from '../../templates/fault.ts'
import { Limits } from '../../templates/limits.ts'
import { Template } from '../../templates/template.ts'
import type { Given } from '../../templates/template.ts'
import { DateValue } from '../../templates/values/value.ts'
import { WRITERS } from '../sql/dialects/writers.ts'
import { boundOf } from '../sql/fragment.ts'
import type { Dialect } from '../sql/spelling.ts'
import { UNCHECKED } from './parameters.ts'
import type { Allowed } from './parameters.ts'
import { keyOf } from './references.ts'
import type { Published } from './references.ts'
import { NO_USER } from './results/materializable.ts'
import type { Parameter } from './schema.ts'
import { statementOf } from './statement.ts'
import { surroundingsOf } from './sub-queries.ts'

const parameter = (name: string, change: Partial<Parameter> = {}): Parameter => ({
  name,
  type: 'string',
  multi: false,
  required: false,
  default: null,
  choices: [],
  valuesQueryId: null,
  ...change,
})

function published(name: string, text: string, parameters: readonly Parameter[] = []): Published {
  const template = Template.parse(text)
  return {
    name,
    dataSourceId: 1,
    parameters: [...parameters],
    escaping: 'bind',
    template,
    references: template.references(),
  }
}

const REGION = parameter('region', { default: 'north' })
const SALES = published('Sales', 'SELECT id FROM orders WHERE region = ${region};  -- all', [REGION])

function made(
  text: string,
  library: readonly Published[],
  {
    values = {},
    dialect = 'duckdb',
    allowed = UNCHECKED,
    stored = [],
    user = { id: 7 },
  }: {
    values?: Record<string, Given>
    dialect?: Dialect
    allowed?: Allowed
    stored?: readonly string[]
    user?: Given
  } = {},
) {
  const stage = {
    published: new Map(library.map((one) => [keyOf(one.name), one] as const)),
    results: new Map(stored.map((name) => [keyOf(name), { name: 'tidemark_result_7' }] as const)),
    user,
    allowed,
    timeZone: 'UTC',
    limits: new Limits(),
    calls: 0,
  }
  return statementOf(Template.parse(text), surroundingsOf(stage, values), { dialect, relations: null })
}

function statement(...args: Parameters<typeof made>) {
  const outcome = made(...args)
  if ('error' in outcome) throw new Error(outcome.error.message)
  const { text, binds } = boundOf(outcome.statement, WRITERS[args[2]?.dialect ?? 'duckdb'])
  return { text, binds: binds.map(({ value }) => value) }
}

function complaint(...args: Parameters<typeof made>): string {
  const outcome = made(...args)
  return 'error' in outcome ? outcome.error.message : ''
}

describe('the statement of a data query in another one', () => {
  test('stands in parentheses with its binds, without the semicolon and the comment at its end', () => {
    expect(
      statement('SELECT * FROM ${ref("sales")} s WHERE id > ${least}', [SALES], { values: { least: 3 } }),
    ).toEqual({
      text: 'SELECT * FROM (SELECT id FROM orders WHERE region = CAST($1 AS VARCHAR)) s WHERE id > CAST($2 AS BIGINT)',
      binds: ['north', 3],
    })
    expect(statement('SELECT 1 WHERE 1 IN (${ref("Sales")})', [SALES]).text).toBe(
      'SELECT 1 WHERE 1 IN (SELECT id FROM orders WHERE region = CAST($1 AS VARCHAR))',
    )
    expect(statement('SELECT coalesce(${ref("Sales")}, 0) AS n', [SALES]).text).toContain('coalesce((SELECT')
  })

  test.each(['postgresql', 'mysql', 'sqlite', 'duckdb'] as const)(
    '%s: placeholders keep their order',
    (dialect) => {
      const { text, binds } = statement(
        'WITH s AS ${ref("Sales", {"region": "a"})} SELECT * FROM s WHERE x = ${x} AND id IN ${ref("Sales")}',
        [SALES],
        { values: { x: 'b' }, dialect },
      )
      expect(binds).toEqual(['a', 'b', 'north'])
      expect(text.match(/\?|\$\d/g)).toEqual(dialect === 'mysql' ? ['?', '?', '?'] : ['$1', '$2', '$3'])
    },
  )

  test('of several levels, in a variable and in a macro', () => {
    const outer = published('Outer', 'SELECT id FROM ${ref("Sales")} t')
    expect(
      statement('<#assign q = ref("Outer")><#macro m>SELECT * FROM ${q} o</#macro><@m/>', [SALES, outer])
        .text,
    ).toBe('SELECT * FROM (SELECT id FROM (SELECT id FROM orders WHERE region = CAST($1 AS VARCHAR)) t) o')
  })
})

describe('a stored result', () => {
  const stored = ['Sales']

  test('is read while the data query has the defaults of its parameters', () => {
    const isRead = (text: string, values: Record<string, Given> = {}) =>
      statement(text, [SALES], { values, stored }).text.includes('(SELECT * FROM tidemark_result_7)')
    expect(isRead('SELECT * FROM ${ref("sales")} s')).toBe(true)
    expect(isRead('SELECT * FROM ${ref("Sales")} s', { region: null, other: 'x' })).toBe(true)
    expect(isRead('SELECT * FROM ${ref("Sales", {"region": "north"})} s')).toBe(false)
    expect(isRead('SELECT * FROM ${ref("Sales")} s', { region: 'south' })).toBe(false)
  })

  test('is read below another data query', () => {
    const outer = published('Outer', 'SELECT id FROM ${ref("Sales")} t')
    expect(statement('SELECT * FROM ${ref("Outer")} o', [SALES, outer], { stored }).text).toBe(
      'SELECT * FROM (SELECT id FROM (SELECT * FROM tidemark_result_7) t) o',
    )
  })

  test('is of no user: a template that reads its user fails', () => {
    const fault = (text: string) => complaint(text, [], { user: NO_USER })
    for (const text of [
      '${user.id}',
      '${(user.properties.region)!"x"}',
      '${user!"x"}',
      '<#list user?keys as k>${k}</#list>',
    ])
      expect(fault(`SELECT ${text} AS x`)).toMatch(/./)
  })
})

describe('values of parameters', () => {
  const regionOf = (call: string, values: Record<string, Given> = {}) =>
    statement(`SELECT * FROM \${${call}} s`, [SALES], { values }).binds

  test('of the call, then of the calling template, then the default', () => {
    expect(regionOf('ref("Sales", {"region": "east"})', { region: 'south' })).toEqual(['east'])
    expect(regionOf('ref("Sales")', { region: 'south' })).toEqual(['south'])
    expect(regionOf('ref("Sales")', { region: null })).toEqual(['north'])
    expect(regionOf('ref("Sales", {"region": user.id?c})')).toEqual(['7'])
  })

  test('inherited through a data query that declares the parameter, and only through such', () => {
    const through = (parameters: readonly Parameter[]) =>
      statement(
        'SELECT * FROM ${ref("Mid")} s',
        [SALES, published('Mid', 'SELECT * FROM ${ref("Sales")} t', parameters)],
        {
          values: { region: 'south' },
        },
      ).binds
    expect(through([parameter('region')])).toEqual(['south'])
    expect(through([])).toEqual(['north'])
  })

  test('of each type, and lists', () => {
    const types = published('Types', 'SELECT ${n}, ${on}, ${d}, ${at}, ${e?no_esc}, x IN (${ids})', [
      parameter('n', { type: 'number' }),
      parameter('on', { type: 'boolean' }),
      parameter('d', { type: 'date' }),
      parameter('at', { type: 'datetime' }),
      parameter('e', { type: 'enum', choices: ['id', 'x'] }),
      parameter('ids', { type: 'number', multi: true }),
    ])
    const at = new DateValue('datetime', 0)
    const passed = '{"n": 1.5, "on": true, "d": "2026-03-01", "at": at, "e": "id", "ids": 1..3}'
    expect(
      statement(`SELECT * FROM \${ref("Types", ${passed})} s`, [types], { values: { at } }),
    ).toMatchObject({
      text: expect.stringContaining(', id, x IN (') as string,
      binds: [1.5, true, '2026-03-01', '1970-01-01T00:00:00Z', 1, 2, 3],
    })
    for (const [wrong, message] of [
      ['{"n": "1"}', 'the parameter n must be a number'],
      ['{"on": 1}', 'must be true or false'],
      ['{"d": "2026-02-30"}', 'must be a date'],
      ['{"at": "2026-03-01"}', 'must be a date and time'],
      ['{"e": "y"}', 'must be one of the choices'],
      ['{"ids": 1}', 'must be a list'],
      ['{"n": [1]}', 'must not be a list'],
      ['{"ids": 1..5001}', 'has more than 5000 values'],
      ['{"other": 1}', 'other is not a parameter'],
      ['1', 'the values of a data query are a hash'],
    ] as const)
      expect(complaint(`SELECT * FROM \${ref("Types", ${wrong})} s`, [types])).toContain(message)
    const required = published('Required', 'SELECT ${x}', [parameter('x', { required: true })])
    expect(complaint('SELECT * FROM ${ref("Required")} s', [required])).toContain(
      'the parameter x is required',
    )
  })
})

describe('parameters that something else decides', () => {
  const columns = published('Columns', 'SELECT ${c}, "${c}", ${cs} FROM t ORDER BY ${c}', [
    parameter('c', { type: 'identifier', default: 'id' }),
    parameter('cs', { type: 'identifier', multi: true, default: ['id', 'a "b'] }),
  ])
  const allowed: Allowed = {
    columns: new Set(['id', 'a "b']),
    choices: new Map([[9, new Set(['north', '7'])]]),
  }

  test('an identifier is a name in quotes, and one of the columns', () => {
    expect(statement('SELECT * FROM ${ref("Columns")} s', [columns], { allowed })).toEqual({
      text: 'SELECT * FROM (SELECT "id", "id", "id", "a ""b" FROM t ORDER BY "id") s',
      binds: [],
    })
    const passed = (call: string) => complaint(`SELECT * FROM \${${call}} s`, [columns], { allowed })
    expect(passed('ref("Columns", {"c": "a \\"b"})')).toBe('')
    expect(passed('ref("Columns", {"c": "other"})')).toContain('must be the name of a column')
    expect(passed('ref("Columns", {"c": 1})')).toContain('must be the name of a column')
    expect(complaint('SELECT * FROM ${ref("Columns", {"c": "other"})} s', [columns])).toBe('')
  })

  test('a value is one of those that a data query has', () => {
    const chosen = (valuesQueryId: number) =>
      published('Chosen', 'SELECT ${x} AS x', [parameter('x', { type: 'query', valuesQueryId })])
    const ask = (x: string, id = 9) =>
      complaint(`SELECT * FROM \${ref("Chosen", {"x": ${x}})} s`, [chosen(id)], { allowed })
    expect([ask('"north"'), ask('7'), ask('"7"')]).toEqual(['', '', ''])
    for (const wrong of [ask('"south"'), ask('8'), ask('[7]'), ask('"north"', 10)])
      expect(wrong).toContain('must')
  })
})

describe('faults', () => {
  test('name the data query and the place in it', () => {
    const mid = (text: string) => published('Mid', text)
    const inner = (text: string) =>
      complaint('SELECT * FROM ${ref("Mid")} s', [mid(text), published('Low', '${missing}')])
    expect(inner('SELECT\n ${missing}')).toBe(
      'in the data query Mid, line 2, column 2: the value is null or missing',
    )
    expect(inner('${ref("Low")}')).toBe(
      'in the data query Mid, line 1, column 3: in the data query Low, line 1, column 1: the value is null or missing',
    )
    expect(inner('SELECT 1 ORDER BY ${user.id}')).toContain('in the data query Mid, line 1, column 19')
    expect(inner('SELECT 1; SELECT 2')).toContain('in the data query Mid, begins a second statement')
    expect(inner('DELETE FROM orders')).toContain('a statement begins with SELECT')
    expect(inner('SELECT 1) UNION (SELECT 2')).toContain('closes a parenthesis')
  })

  test.each([
    'SELECT \'${ref("Sales")}\'',
    'SELECT "${ref("Sales")}"',
    'SELECT 1 -- ${ref("Sales")}',
    'SELECT a.${ref("Sales")}',
    'SELECT x${ref("Sales")}',
  ])('a data query has no place in %p', (text) => {
    expect(complaint(text, [SALES])).not.toBe('')
  })

  test('calls and turns are counted together', () => {
    const many = (count: number) => `SELECT 1 <#list 1..${count} as i> UNION ALL \${ref("Sales")}</#list>`
    expect(complaint(many(100), [SALES])).toBe('')
    expect(complaint(many(101), [SALES])).toContain('more than 100 times')
    const turning = published('Turning', 'SELECT 1 <#list 1..3000 as i></#list>')
    expect(complaint('SELECT * FROM ${ref("Turning")} a, ${ref("Turning")} b', [turning])).toBe('')
    const three =
      'SELECT * FROM ${ref("Turning")} a, ${ref("Turning")} b, ${ref("Turning")} c, ${ref("Turning")} d'
    expect(complaint(three, [turning])).toContain('turns')
  })

  test('a missing data query is a fault of the run as well', () => {
    expect(complaint('SELECT * FROM ${ref("none")} s', [])).toBe('there is no published data query none')
    expect(() => Template.parse('${ref("none")}').text({ parameters: {}, timeZone: 'UTC' })).toThrow(
      TemplateFault,
    )
  })
})
