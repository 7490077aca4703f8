import type { Role } from '../../context.ts'
import type { Column } from '../../domain/table.ts'
import { sha256 } from '../../lib/digest.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Condition } from '../filters/condition.ts'
import { conditionOf } from '../filters/filter.ts'
import type { Filter } from '../filters/filter.ts'
import { filledIn } from './placeholders.ts'
import type { Attributes } from './placeholders.ts'

export type Access = 'read' | 'edit'

/** The role, the user groups and the attributes of a user, which decide the scopes that apply. */
export type Person = Attributes & { readonly role: Role; readonly groupIds: readonly number[] }

export type Scope = {
  readonly id: number
  readonly name: string
  readonly tables: readonly string[]
  readonly subjects: {
    readonly users: readonly number[]
    readonly userGroups: readonly number[]
    readonly roles: readonly Role[]
  }
  /** `edit` includes reading. */
  readonly access: Access
  /** Null for all rows. */
  readonly filter: Filter | null
  readonly hiddenColumns: readonly string[]
}

/** A table or view of a data source. */
export type Relation = {
  readonly name: string
  readonly kind: 'table' | 'view'
  readonly columns: readonly Column[]
  /** Whether the table copies a table that scopes restrict. A copy does not get these scopes: without scopes of its own it is
   * closed. */
  readonly isClosed?: boolean
}

/** The columns and rows of a table that a user may read or edit. */
export type Sight = {
  readonly columns: readonly Column[]
  /** Null for all rows. It may name hidden columns. */
  readonly rows: Condition | null
}

/** The part of a table that a user may read or edit; null for none of it.
 * - Administrators have all of it.
 * - A table without scopes is readable. A view without scopes is readable if its source has no scopes at all, since it may
 *   show rows of other tables. A copy of a table with scopes needs scopes of its own. Editing needs a scope.
 * - Of the scopes for the user, one has to admit a row, and none may hide a column. */
export function sightOf(
  person: Person,
  { relation, scopes }: { readonly relation: Relation; readonly scopes: readonly Scope[] },
  access: Access,
): Sight | null {
  const { columns } = relation
  if (person.role === 'administrator') return { columns, rows: null }
  const own = scopes.filter(({ tables }) => tables.includes(relation.name))
  if (own.length === 0) {
    const isOpen =
      access === 'read' && relation.isClosed !== true && (relation.kind === 'table' || scopes.length === 0)
    return isOpen ? { columns, rows: null } : null
  }
  const matching = own.filter((scope) => reasonsOf(scope, person).length > 0)
  const granting = matching.filter((scope) => access === 'read' || scope.access === 'edit')
  const hidden = new Set(matching.flatMap(({ hiddenColumns }) => hiddenColumns))
  const visible = columns.filter(({ name }) => !hidden.has(name))
  if (granting.length === 0 || visible.length === 0) return null
  const rows = granting.map((scope) => rowsOf(scope, relation, person))
  if (rows.some((part) => part.kind === 'all')) return { columns: visible, rows: null }
  return {
    columns: visible,
    rows: { kind: 'or', of: rows.flatMap((part) => (part.kind === 'some' ? part.condition : [])) },
  }
}

/** The part of a table that all of several users see; null for none of it. */
export function commonSight(sights: readonly (Sight | null)[]): Sight | null {
  const [first, ...rest] = sights
  if (!first) return null
  return rest.reduce<Sight | null>((common, sight) => {
    if (!common || !sight) return null
    const names = new Set(sight.columns.map(({ name }) => name))
    const columns = common.columns.filter(({ name }) => names.has(name))
    const of = [common.rows, sight.rows].filter((rows) => rows !== null)
    return columns.length === 0
      ? null
      : { columns, rows: of.length < 2 ? (of[0] ?? null) : { kind: 'and', of } }
  }, first)
}

/** Equal for equal sights: a part of the key under which an answer is cached. */
export function sightHash(sight: Sight): Promise<string> {
  return sha256(JSON.stringify(sight))
}

/** A reason why a scope applies to a user. */
export type Reason =
  | { readonly by: 'user' }
  | { readonly by: 'userGroup'; readonly userGroupId: number }
  | { readonly by: 'role' }

export function reasonsOf({ subjects }: Scope, { id, role, groupIds }: Person): readonly Reason[] {
  const groups = subjects.userGroups.filter((userGroupId) => groupIds.includes(userGroupId))
  return [
    ...(subjects.users.includes(id) ? [{ by: 'user' as const }] : []),
    ...groups.map((userGroupId) => ({ by: 'userGroup' as const, userGroupId })),
    ...(subjects.roles.includes(role) ? [{ by: 'role' as const }] : []),
  ]
}

/** The rows of a table that a scope admits. */
export type ScopeRows =
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly condition: Condition; readonly filter: Filter }
  | { readonly kind: 'none'; readonly why: string }

/** No rows where a property is missing, or a filter no longer fits the table. */
export function rowsOf({ filter }: Scope, { columns }: Relation, person: Person): ScopeRows {
  if (filter === null) return { kind: 'all' }
  const filled = filledIn(filter, person)
  if ('missing' in filled) return { kind: 'none', why: `The user has no property ${filled.missing}.` }
  try {
    const byName = new Map(columns.map((column) => [column.name, column]))
    return { kind: 'some', condition: conditionOf(filled, byName, '/filter'), filter: filled }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [fault] = error.errors
    return { kind: 'none', why: `The filter does not fit: ${fault?.pointer ?? ''} ${fault?.message ?? ''}.` }
  }
}
