import { isAdministrator } from '../../../access/rights/permissions.ts'
import { requireUser } from '../../../context.ts'
import type { Context, UserCaller } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import type { ColumnView, TableView } from '../../sources/schema.ts'
import { listColumns, listTables } from '../../sources/service/catalogue.ts'
import { findDataSource } from '../../sources/service.ts'
import { readSchema } from '../../sources/service/connect.ts'
import { commonSight, sightOf } from '../sight.ts'
import type { Access, Person, Relation, Scope, Sight } from '../sight.ts'
import { openedOf, refreshesOf } from '../../tables/service.ts'
import type { OpenTable } from '../../tables/service.ts'
import * as store from '../store.ts'

/** An imported table, and the part of it that the caller may read or edit. */
export type Sighted = { readonly opened: OpenTable; readonly sight: Sight }

/** The columns of a data source that the caller may read. @throws {Refusal} as `readSchema` */
export async function listVisibleColumns(context: Context, id: number): Promise<ColumnView[]> {
  const sights = await readSights(context, id)
  const visible = new Map(
    [...sights].map(([table, sight]) => [table, new Set(sight?.columns.map(({ name }) => name))]),
  )
  const columns = await listColumns(context, id)
  return columns.filter(({ table, name }) => visible.get(table)?.has(name) === true)
}

/** The tables and views of a data source that the caller may read. @throws {Refusal} as `readSchema` */
export async function listVisibleTables(context: Context, id: number): Promise<TableView[]> {
  const sights = await readSights(context, id)
  return (await listTables(context, id)).flatMap((table) => {
    const sight = sights.get(table.name)
    if (!sight) return []
    // The estimate counts the rows that the caller may not read as well.
    const approximateRows = sight.rows === null ? table.approximateRows : null
    return { ...table, approximateRows, columns: sight.columns.length }
  })
}

/** The part of each table and view that the caller may read; null for none of it. @throws {Refusal} as `readSchema` */
export async function readSights(context: Context, id: number): Promise<ReadonlyMap<string, Sight | null>> {
  const relations = await relationsOf(context, id)
  const find = await sightsFor(context, id)
  return new Map([...relations].map(([name, relation]) => [name, find(relation, 'read')]))
}

/** The imported tables of a data source of which the caller may read a part, with that part, as they are at one time.
 * @throws {Refusal} unauthenticated */
export async function sightedTables(context: Context, id: number): Promise<ReadonlyMap<string, Sighted>> {
  const { ports } = context
  const caller = requireUser(context)
  const { tables, scopes, people, hasCopies } = await store.readTogether(ports.database, id, peopleOf(caller))
  const opened = tables.map(openedOf)
  const closed = hasCopies ? await closedCopies(ports, id) : new Set<string>()
  const find = sightsBy(caller, { scopes, people })
  const found = opened.map((table): [string, OpenTable, Sight | null] => {
    const { name, columns } = table
    const relation: Relation = { name, kind: 'table', columns, ...(closed.has(name) && { isClosed: true }) }
    return [name, table, find(relation, 'read')]
  })
  return new Map(found.flatMap(([name, table, sight]) => (sight ? [[name, { opened: table, sight }]] : [])))
}

/** The part of a table or view that the caller may read.
 * @throws {Refusal} not_found also if the caller may read none of it, and as `readSchema` */
export async function readSight(context: Context, id: number, table: string): Promise<Sight> {
  const relation = (await relationsOf(context, id)).get(table)
  const sight = relation && (await sightsFor(context, id))(relation, 'read')
  if (!sight) throw noSuch('table')
  return sight
}

/** The part of a table that the caller may edit.
 * @throws {Refusal} not_found if the caller may read none of it, forbidden if the caller may only read, and as `listColumns` */
export async function editSight(context: Context, id: number, table: string): Promise<Sight> {
  const relation = (await relationsOf(context, id)).get(table)
  const find = await sightsFor(context, id)
  if (!relation || !find(relation, 'read')) throw noSuch('table')
  const sight = find(relation, 'edit')
  if (!sight) throw new Refusal('forbidden', 'No scope lets the caller edit rows of this table.')
  return sight
}

/** Whether scopes of a data source may restrict the caller. */
export async function isRestricted({ ports, caller }: Context, id: number): Promise<boolean> {
  if (isAdministrator(caller)) return false
  if ((await store.listScopes(ports.database, id)).length > 0) return true
  return (await closedCopies(ports, id)).size > 0
}

/** A part of the key under which an answer for the caller is shared: it changes whenever the caller may see other rows or columns
 * than before. Empty for administrators, who see all. */
export async function sightsMark({ ports, caller }: Context): Promise<string> {
  return caller.kind !== 'user' || caller.role === 'administrator'
    ? ''
    : store.sightsMark(ports.database, peopleOf(caller))
}

/** The ids of the caller and of the users whose rights bound the caller. */
function peopleOf({ userId, bounds = [] }: UserCaller): readonly number[] {
  return [userId, ...bounds.map((bound) => bound.userId)]
}

type Finding = (relation: Relation, access: Access) => Sight | null

/** The function that finds the part of a table that the caller may read or edit; null for none of it. A change of a scope or
 * of a user counts from the next call on. */
async function sightsFor(context: Context, dataSourceId: number): Promise<Finding> {
  const { ports } = context
  const caller = requireUser(context)
  if (caller.role === 'administrator') return sightsBy(caller, { scopes: [], people: new Map() })
  return sightsBy(caller, await store.readJudgement(ports.database, dataSourceId, peopleOf(caller)))
}

function sightsBy(caller: UserCaller, { scopes, people }: store.Judgement): Finding {
  if (caller.role === 'administrator') return ({ columns }) => ({ columns, rows: null })
  return (relation, access) =>
    commonSight(peopleOf(caller).map((id) => sightOfPerson(people.get(id), { relation, scopes, access })))
}

function sightOfPerson(
  person: Person | undefined,
  {
    relation,
    scopes,
    access,
  }: { readonly relation: Relation; readonly scopes: readonly Scope[]; readonly access: Access },
): Sight | null {
  return person ? sightOf(person, { relation, scopes }, access) : null
}

/** The tables and views of a data source, by name. @throws {Refusal} as `readSchema` */
export async function relationsOf({ ports }: Context, id: number): Promise<ReadonlyMap<string, Relation>> {
  const tables = Map.groupBy(await readSchema(ports, id), ({ table }) => table)
  const closed = await closedCopies(ports, id)
  const relations = [...tables].map(([name, own]): [string, Relation] => [
    name,
    {
      name,
      kind: own[0]?.kind ?? 'table',
      columns: own.map((column) => ({ name: column.name, type: column.type })),
      ...(closed.has(name) && { isClosed: true }),
    },
  ])
  return new Map(relations)
}

/** The tables of a data source that copy a table of another one which scopes restrict, or have results of forecasts of
 * such rows. */
async function closedCopies(ports: Ports, id: number): Promise<ReadonlySet<string>> {
  const closed = new Set<string>()
  const known = new Map<number, ReturnType<typeof store.listScopes>>()
  const scopesOf = (sourceId: number) => {
    const scopes = known.get(sourceId) ?? store.listScopes(ports.database, sourceId)
    known.set(sourceId, scopes)
    return scopes
  }
  for (const { name, sourceId, sourceTable } of await store.listForecastTables(ports.database, id)) {
    const scopes = await scopesOf(sourceId)
    const isThere = (await findDataSource(ports, sourceId)) !== null
    // A data query may read every table of its data source.
    if (!isThere || scopes.some(({ tables }) => sourceTable === null || tables.includes(sourceTable)))
      closed.add(name)
  }
  for (const [name, { origin }] of await refreshesOf(ports, id)) {
    const { kind, dataSourceId, table, isView } = origin as Copied
    if (kind !== 'foreign') continue
    const scopes = await scopesOf(dataSourceId)
    const isThere = (await findDataSource(ports, dataSourceId)) !== null
    // With a data source its scopes are gone, but not the rows of the copy.
    if (!isThere || scopes.some(({ tables }) => isView || tables.includes(table))) closed.add(name)
  }
  return closed
}

/** Refuses a change after which the scopes of the source of a table would no longer close it, unless it has scopes of its own.
 * @throws {Refusal} conflict */
export async function refuseOpening(ports: Ports, id: number, table: string): Promise<void> {
  if (!(await closedCopies(ports, id)).has(table)) return
  const scopes = await store.listScopes(ports.database, id)
  if (scopes.some(({ tables }) => tables.includes(table))) return
  throw new Refusal(
    'conflict',
    `The table ${table} has rows that scopes of their source hide, and no scopes of its own: every Data_Editor would read it. Create a scope for it, or delete it first.`,
  )
}

type Copied = {
  readonly kind: string
  readonly dataSourceId: number
  readonly table: string
  readonly isView: boolean
}
