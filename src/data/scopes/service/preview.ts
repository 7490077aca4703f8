import type { Context } from '../../../context.ts'
import { invalidAt } from '../../../lib/errors.ts'
import type { Filter } from '../../filters/filter.ts'
import type { EffectiveView } from '../schema.ts'
import { reasonsOf, rowsOf, sightOf } from '../sight.ts'
import type { Access, Person, Relation, Scope, Sight } from '../sight.ts'
import * as store from '../store.ts'
import { filterWords } from '../words.ts'
import { relationsOf } from './sights.ts'

type Item = EffectiveView['items'][number]
type Around = { readonly relation: Relation; readonly scopes: readonly Scope[] }

/** The rows and columns that a user may read and edit, with the scopes that decide it.
 * @throws {Refusal} not_found, invalid for an unknown user or table, and the refusals of the port `databases` */
export async function previewScopes(
  context: Context,
  id: number,
  { userId, table }: { readonly userId: number; readonly table?: string | undefined },
): Promise<EffectiveView> {
  const { ports } = context
  const relations = await relationsOf(context, id)
  const { scopes, people } = await store.readJudgement(ports.database, id, [userId])
  const person = people.get(userId)
  if (!person) throw invalidAt('?userId', 'is not a user')
  const wanted = [...relations.values()].filter(({ name }) => table === undefined || name === table)
  if (wanted.length === 0 && table !== undefined)
    throw invalidAt('?table', 'is not a table or view of the data source')
  return { userId, items: wanted.map((relation) => itemOf(person, { relation, scopes })) }
}

function itemOf(person: Person, around: Around): Item {
  const { relation, scopes } = around
  const own = scopes.filter(({ tables }) => tables.includes(relation.name))
  const read = sightOf(person, around, 'read')
  const visible = new Set(read?.columns.map(({ name }) => name))
  return {
    table: relation.name,
    tableKind: relation.kind,
    read: partOf(read, () => filterOf(person, { relation, scopes: own }, 'read')),
    edit: partOf(sightOf(person, around, 'edit'), () => filterOf(person, { relation, scopes: own }, 'edit')),
    hiddenColumns: read ? relation.columns.flatMap(({ name }) => (visible.has(name) ? [] : name)) : [],
    reason: reasonOf(person, { own, isOpen: read !== null, isClosed: relation.isClosed === true }),
    scopes: own.map((scope) => {
      const { id, name, access } = scope
      const rows = rowsOf(scope, relation, person)
      const why = rows.kind === 'none' ? rows.why : null
      return { id, name, access, appliesBy: [...reasonsOf(scope, person)], rows: rows.kind, why }
    }),
  }
}

function reasonOf(
  person: Person,
  {
    own,
    isOpen,
    isClosed,
  }: { readonly own: readonly Scope[]; readonly isOpen: boolean; readonly isClosed: boolean },
): Item['reason'] {
  if (person.role === 'administrator') return 'administrator'
  if (own.length === 0 && isClosed) return 'copy_without_scope'
  if (own.length === 0) return isOpen ? 'no_scopes' : 'view_without_scope'
  return own.some((scope) => reasonsOf(scope, person).length > 0) ? 'scopes' : 'no_scope_applies'
}

function partOf(sight: Sight | null, findFilter: () => Filter | null): Item['read'] {
  if (!sight) return null
  if (!sight.rows) return { rows: 'all', filter: null, words: 'all rows' }
  const filter = findFilter()
  return filter
    ? { rows: 'some', filter, words: filterWords(filter) }
    : { rows: 'none', filter: null, words: 'no rows' }
}

/** The filters of the scopes that grant an access to a user, with the values of the user; null where no row can satisfy them. */
function filterOf(person: Person, { relation, scopes }: Around, access: Access): Filter | null {
  const filters = scopes
    .filter((scope) => access === 'read' || scope.access === 'edit')
    .filter((scope) => reasonsOf(scope, person).length > 0)
    .map((scope) => rowsOf(scope, relation, person))
    .flatMap((rows) => (rows.kind === 'some' ? rows.filter : []))
  const [only, ...more] = filters
  return more.length === 0 ? (only ?? null) : { or: filters }
}
