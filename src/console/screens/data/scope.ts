import type { Answer } from '../../api/client.ts'
import { conditionsOf, filterOf, isWhole } from './filter.ts'
import type { ColumnType, Conditions, Filter } from './filter.ts'

export type Scope = Answer<'/dataSources/{id}/scopes'>['items'][number]
export type Effective = Answer<'/dataSources/{id}/scopes/effective'>['items'][number]
export type Role = Scope['subjects']['roles'][number]

export const ROLES: readonly Role[] = [
  'administrator',
  'editor',
  'Data_Editor',
  'collector',
  'dashboard_viewer',
]

/** A scope in a form. */
export type ScopeDraft = {
  readonly name: string
  readonly tables: readonly string[]
  readonly users: readonly number[]
  readonly userGroups: readonly number[]
  readonly roles: readonly Role[]
  readonly access: Scope['access']
  /** Null for a filter that the form cannot show, which stays as it is. */
  readonly conditions: Conditions | null
  readonly stored: Filter | null
  readonly hiddenColumns: readonly string[]
}

export function draftOf(scope: Scope | undefined): ScopeDraft {
  const stored = (scope?.filter ?? null) as Filter | null
  return {
    name: scope?.name ?? '',
    tables: scope?.tables ?? [],
    users: scope?.subjects.users ?? [],
    userGroups: scope?.subjects.userGroups ?? [],
    roles: scope?.subjects.roles ?? (scope ? [] : ['Data_Editor']),
    access: scope?.access ?? 'read',
    conditions: conditionsOf(stored),
    stored,
    hiddenColumns: scope?.hiddenColumns ?? [],
  }
}

/** The scope in the shape of the API. */
export function bodyOf(draft: ScopeDraft): object {
  const { name, tables, users, userGroups, roles, access, conditions, stored, hiddenColumns } = draft
  const whole = conditions && { ...conditions, of: conditions.of.filter(isWhole) }
  return {
    name,
    tables,
    subjects: { users, userGroups, roles },
    access,
    filter: whole === null ? stored : filterOf(whole),
    hiddenColumns,
  }
}

/** Why a scope cannot be saved yet, as the key of a text; null when it can. */
export function refusalOf({ name, tables, users, userGroups, roles }: ScopeDraft): string | null {
  if (name.trim() === '') return 'data.refused.scopeName'
  if (tables.length === 0) return 'data.refused.scopeTables'
  return users.length + userGroups.length + roles.length === 0 ? 'data.refused.scopeSubjects' : null
}

type Column = { readonly table: string; readonly name: string; readonly type: ColumnType }

/** The columns that all chosen tables have: a filter may use these. */
export function commonColumns(
  columns: readonly Column[],
  tables: readonly string[],
): readonly Pick<Column, 'name' | 'type'>[] {
  const [first, ...others] = tables.map((table) => columns.filter((column) => column.table === table))
  return (first ?? []).filter(({ name }) => others.every((own) => own.some((column) => column.name === name)))
}
