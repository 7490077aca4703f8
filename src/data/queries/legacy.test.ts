import { describe, expect, test } from 'bun:test'

import type { Context } from '../../context.ts'
import { refusalIn } from '../../lib/errors.ts'
import { Template } from '../../templates/template.ts'
import type { Given } from '../../templates/template.ts'
import { NO_LEGACY_USER, refuseLegacy, refuseLegacyRun, warningsOf } from './legacy.ts'
import type { Parameter } from './schema.ts'
import { statementOf } from './statement.ts'

const PARAMETER = {
  name: 'x',
  multi: false,
  required: false,
  default: null,
  choices: [],
  valuesQueryId: null,
} as const
const query = (...types: readonly Parameter['type'][]) => ({
  escaping: 'legacy' as const,
  parameters: types.map((type): Parameter => ({ ...PARAMETER, type, choices: [] })),
})
const caller = (role: string) => ({ caller: { kind: 'user', role } }) as unknown as Context
const codeOf = (run: () => void) => {
  try {
    run()
  } catch (error) {
    return refusalIn(error)?.code
  }
  return undefined
}

describe('the escaping legacy', () => {
  test('is stored by administrators alone, and not where dashboards give it texts', () => {
    const store = (role: string, isAccessible: boolean, ...types: readonly Parameter['type'][]) =>
      codeOf(() => refuseLegacy(caller(role), { ...query(...types), isAccessible }))
    expect(store('administrator', false, 'string')).toBeUndefined()
    expect(store('Data_Editor', false)).toBe('forbidden')
    for (const type of ['string', 'query', 'identifier'] as const)
      expect(store('administrator', true, 'number', type)).toBe('invalid')
    expect(store('administrator', true, 'number', 'boolean', 'date', 'datetime', 'enum')).toBeUndefined()
    const bound = { ...query('string'), escaping: 'bind' as const, isAccessible: true }
    expect(codeOf(() => refuseLegacy(caller('Data_Editor'), bound))).toBeUndefined()
  })

  test('runs with texts of those who may write SQL', () => {
    const run = (role: string, type: Parameter['type']) =>
      codeOf(() => refuseLegacyRun(caller(role), query(type)))
    expect([run('Data_Editor', 'string'), run('administrator', 'query')]).toEqual([undefined, undefined])
    expect([run('User', 'string'), run('User', 'number')]).toEqual(['forbidden', undefined])
  })

  test('does not run with texts for a session that another user bounds', () => {
    const run = (role: string) => {
      const user = { kind: 'user', role: 'Data_Editor', bounds: [{ userId: 2, role }] }
      return codeOf(() => refuseLegacyRun({ caller: user } as unknown as Context, query('string')))
    }
    expect([run('Data_Editor'), run('editor')]).toEqual([undefined, 'forbidden'])
  })

  test('has a warning', () => {
    expect(warningsOf(query()).map(({ code }) => code)).toEqual(['legacy_escaping'])
    expect(warningsOf({ ...query(), escaping: 'bind' })).toEqual([])
  })

  const made = (text: string, parameters: Readonly<Record<string, Given>>) => {
    const surroundings = { parameters: { user: NO_LEGACY_USER, ...parameters }, timeZone: 'UTC' }
    const writing = { dialect: 'postgresql', relations: null, escaping: 'legacy' } as const
    const outcome = statementOf(Template.parse(text), surroundings, writing)
    return 'error' in outcome ? outcome.error : outcome.statement
  }

  test('writes values as FreeMarker does, within the gate of statements', () => {
    const text = `SELECT 1 WHERE a = '\${x?replace("'", "''")}' AND \${y}`
    expect(JSON.stringify(made(text, { x: "O'Neil", y: 'b = 2' }))).toContain("a = 'O''Neil' AND b = 2")
    for (const y of ['1 = 1; DROP TABLE t', 'a = $1', 'pg_sleep(9) IS NULL', "a = 'open"])
      expect(made(text, { x: '', y })).toMatchObject({ phase: 'statement', code: 'invalid' })
    expect(made('SELECT ${missing}', {})).toMatchObject({ phase: 'template', line: 1, column: 10 })
    expect(made('SELECT ${user.username}', {})).toMatchObject({ phase: 'template' })
    expect(made('SELECT ${x?sql_identifier}', { x: 'a' })).toMatchObject({ phase: 'template' })
  })
})
