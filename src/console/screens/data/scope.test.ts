import { expect, test } from 'bun:test'

import { bodyOf, commonColumns, draftOf, refusalOf } from './scope.ts'
import type { Scope } from './scope.ts'

const SCOPE: Scope = {
  id: 1,
  name: 'Own regions',
  tables: ['orders'],
  subjects: { users: [4], userGroups: [], roles: ['Data_Editor'] },
  access: 'edit',
  filter: { column: 'region', op: 'eq', value: '${user.properties.region}' },
  hiddenColumns: ['margin'],
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
}

test('a stored scope becomes the same body', () => {
  const { id: _, createdAt: _c, updatedAt: _u, ...body } = SCOPE
  expect(bodyOf(draftOf(SCOPE))).toEqual(body)
})

test('a filter that the form cannot show stays', () => {
  const filter = { expr: 'a + b', op: 'gt' as const, value: 1 }
  const draft = draftOf({ ...SCOPE, filter })
  expect(draft.conditions).toBeNull()
  expect(bodyOf(draft)).toMatchObject({ filter })
})

test('a scope needs a name, a table and a subject', () => {
  const draft = draftOf(SCOPE)
  expect(refusalOf(draft)).toBeNull()
  expect(refusalOf({ ...draft, name: ' ' })).toBe('data.refused.scopeName')
  expect(refusalOf({ ...draft, tables: [] })).toBe('data.refused.scopeTables')
  expect(refusalOf({ ...draft, users: [], roles: [] })).toBe('data.refused.scopeSubjects')
})

test('a filter may use the columns that all tables have', () => {
  const column = (table: string, name: string) => ({ table, name, type: 'string' as const })
  const columns = [column('a', 'id'), column('a', 'x'), column('b', 'id'), column('c', 'x')]
  expect(commonColumns(columns, ['a', 'b']).map(({ name }) => name)).toEqual(['id'])
  expect(commonColumns(columns, ['a']).map(({ name }) => name)).toEqual(['id', 'x'])
  expect(commonColumns(columns, [])).toEqual([])
})
