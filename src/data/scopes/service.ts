import { recorder } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import type { Column, ColumnType } from '../../domain/table.ts'
import { changeWithRetry, commitIfMatch, refuseStale } from '../../http/preconditions.ts'
import { Refusal, invalidAt, nameTaken, noSuch, stale } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import {
  commit,
  commitAndRead,
  isForeignKeyViolation,
  isUniqueViolation,
  onlyOf,
  refuseFull,
} from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Columns } from '../filters/expression.ts'
import { conditionOf } from '../filters/filter.ts'
import type { Filter } from '../filters/filter.ts'
import { readDataSource } from '../sources/service.ts'
import { areTablesChanged, holdTables } from '../tables/service.ts'
import { withSamples } from './placeholders.ts'
import { SCOPES_MAX } from './schema.ts'
import type { ScopeBody, ScopeView } from './schema.ts'
import { relationsOf } from './service/sights.ts'
import * as store from './store.ts'
import type { ScopeChange, ScopeRow } from './store.ts'

const recorded = recorder('dataSourceScope')

type Versioned = { readonly view: ScopeView; readonly version: number }
type Place = { readonly id: number; readonly scopeId: number }

/** The scopes of a data source, by id; there are 100 at most. @throws {Refusal} not_found */
export async function listScopes(context: Context, id: number): Promise<ScopeView[]> {
  await readDataSource(context, id)
  return (await store.listScopes(context.ports.database, id)).map((row) => viewOf(context.ports, row))
}

/** The names of the scopes of a table that hide one of the columns, or whose filter does not fit the others. */
export async function scopesBound(
  { database }: Ports,
  dataSourceId: number,
  {
    table,
    gone,
    stay,
  }: { readonly table: string; readonly gone: readonly string[]; readonly stay: readonly Column[] },
): Promise<readonly string[]> {
  const byName = new Map(stay.map((column) => [column.name, column]))
  const own = await scopesOf(database, dataSourceId, table)
  const isBound = ({ filter, hiddenColumns }: ScopeRow) =>
    hiddenColumns.some((name) => gone.includes(name)) || (filter !== null && !isFitting(filter, byName))
  return own.filter(isBound).map(({ name }) => name)
}

/** The names of the scopes of a table that results with these of its columns cannot obey: their filter needs others, or
 * they hide one of `shown`. @throws {Refusal} as `relationsOf` */
export async function scopesUnfit(
  context: Context,
  { dataSourceId, table }: { readonly dataSourceId: number; readonly table: string },
  { kept, shown }: { readonly kept: readonly string[]; readonly shown: readonly string[] },
): Promise<readonly string[]> {
  if ((await scopesNaming(context.ports, dataSourceId, table)).length === 0) return []
  const relation = (await relationsOf(context, dataSourceId)).get(table)
  const stay = relation?.columns.filter(({ name }) => kept.includes(name)) ?? []
  return scopesBound(context.ports, dataSourceId, { table, gone: shown, stay })
}

/** The columns of a table before its rows are replaced, null for a new table, and after. */
export type ColumnsChange = {
  readonly table: string
  readonly before: readonly Column[] | null
  readonly after: readonly Column[]
}

/** A scope that hides a column which the new rows have under another name would hide it no more; a filter over a column that
 * is gone or has another type would admit no rows or others.
 * @throws {Refusal} conflict with the names of such scopes */
export async function requireScopesFitting(
  ports: Ports,
  dataSourceId: number,
  { table, before, after }: ColumnsChange,
): Promise<void> {
  const names = new Set(after.map(({ name }) => name))
  const typeBefore = new Map(before?.map(({ name, type }) => [name, type]))
  const stay = after.filter(({ name, type }) => !before || areAlike(typeBefore.get(name), type))
  // Of a table that was deleted the scopes are still there.
  const gone = before
    ? before.map(({ name }) => name).filter((name) => !names.has(name))
    : (await scopesOf(ports.database, dataSourceId, table)).flatMap(({ hiddenColumns }) =>
        hiddenColumns.filter((name) => !names.has(name)),
      )
  const bound = await scopesBound(ports, dataSourceId, { table, gone, stay })
  if (bound.length === 0) return
  throw new Refusal(
    'conflict',
    `Scopes name columns of the table ${table} that the file does not have, or has with another type: ${bound.join(', ')}. Change the scopes first, or the names and types of the columns of the import.`,
  )
}

const NUMBERS: readonly (ColumnType | undefined)[] = ['integer', 'number']

/** Whether a filter over a column of one type means the same over the other. */
function areAlike(before: ColumnType | undefined, after: ColumnType): boolean {
  return before === after || (NUMBERS.includes(before) && NUMBERS.includes(after))
}

/** The names of the scopes of a table. */
export async function scopesNaming(
  { database }: Ports,
  dataSourceId: number,
  table: string,
): Promise<readonly string[]> {
  return (await scopesOf(database, dataSourceId, table)).map(({ name }) => name)
}

/** Whether a table has the results of a forecast of a data source. */
export async function hasResults({ database }: Ports, dataSourceId: number, table: string): Promise<boolean> {
  const tables = await store.listForecastTables(database, dataSourceId)
  return tables.some(({ name }) => name === table)
}

/** The write that fails, as `areScopesChanged` recognises, if a scope of the data source was made or changed before its commit. */
export async function holdScopes({ database }: Ports, dataSourceId: number): Promise<readonly Write[]> {
  return [store.requireScopes(database, dataSourceId, await store.scopesMark(database, dataSourceId))]
}

export const areScopesChanged = store.isGuarded

async function scopesOf(database: Database, dataSourceId: number, table: string): Promise<ScopeRow[]> {
  return (await store.listScopes(database, dataSourceId)).filter(({ tables }) => tables.includes(table))
}

function isFitting(filter: Filter, columns: Columns): boolean {
  try {
    requireFitting(filter, columns)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** @throws {Refusal} invalid */
function requireFitting(filter: Filter, columns: Columns): void {
  conditionOf(withSamples(filter, columns, '/filter'), columns, '/filter')
}

/** @throws {Refusal} not_found */
export async function readScope({ ports }: Context, place: Place): Promise<Versioned> {
  return versioned(ports, await requireScope(ports, place))
}

/** @throws {Refusal} not_found, name_taken, conflict when there are 100, invalid for unknown tables, columns,
 * users and user groups, and the refusals of the port `databases` */
export function createScope(context: Context, id: number, body: ScopeBody): Promise<Versioned> {
  return changeWithRetry(null, () => create(context, id, body))
}

async function create(context: Context, id: number, body: ScopeBody): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  await readDataSource(context, id)
  const change = changeOf(ports, body)
  const row = { ...change, dataSourceId: id, version: 1, createdAt: change.updatedAt }
  const held = await holdTables(ports, id, row.tables)
  await check(context, id, row)
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) })
  const [insert, ...rest] = store.insertScope(database, row, SCOPES_MAX)
  const writes = [...held, ...(insert ? [insert] : []), entry, ...rest]
  const full = `A data source must have at most ${SCOPES_MAX} scopes. Delete one first.`
  const [made] = await refuseFull('data_scopes', full, () =>
    refuseFailed(() => commitAndRead(database, writes, [store.selectScope(database, id, row.name)])),
  )
  return versioned(ports, store.rowOf(onlyOf(made)))
}

/** @throws {Refusal} as `createScope`, and precondition_failed */
export function updateScope(
  context: Context,
  place: Place,
  { body, ifMatch }: { readonly body: ScopeBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  return changeWithRetry(ifMatch, () => update(context, place, { body, ifMatch }))
}

async function update(
  context: Context,
  place: Place,
  { body, ifMatch }: { readonly body: ScopeBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const before = await requireScope(ports, place)
  refuseStale(ifMatch, before.version, 'scope')
  const after = changeOf(ports, body)
  const held = await holdTables(ports, place.id, after.tables)
  await check(context, place.id, after)
  const told = { objectId: before.id, before: auditFieldsOf(before), after: auditFieldsOf(after) }
  await refuseFailed(() =>
    commit(ports.database, [
      ...held,
      ...store.updateScope(ports.database, before, after),
      recorded(context, 'update', told),
    ]),
  )
  return versioned(ports, { ...before, ...after, version: before.version + 1 })
}

/** @throws {Refusal} not_found, precondition_failed */
export async function deleteScope(context: Context, place: Place): Promise<void> {
  const { database } = context.ports
  const row = await requireScope(context.ports, place)
  await commitIfMatch(context, { ...row, table: 'data_scopes' }, [
    store.deleteScope(database, row.id),
    recorded(context, 'delete', { objectId: row.id, before: auditFieldsOf(row) }),
  ])
}

async function requireScope({ database }: Ports, { id, scopeId }: Place): Promise<ScopeRow> {
  const row = await store.findScope(database, id, scopeId)
  if (!row) throw noSuch('scope')
  return row
}

/** Refuses a scope of tables, columns, users or user groups that do not exist. @throws {Refusal} invalid */
async function check(context: Context, id: number, scope: ScopeChange): Promise<void> {
  const unknown = await store.listUnknown(context.ports.database, scope.subjects)
  if (unknown.length > 0)
    throw new Refusal(
      'invalid',
      'The body is invalid; see errors.',
      unknown.map(({ key, place }) => ({ pointer: `/subjects/${key}/${place}`, message: 'does not exist' })),
    )
  const relations = await relationsOf(context, id)
  const columns = new Set<string>()
  for (const [index, table] of scope.tables.entries()) {
    const relation = relations.get(table)
    if (!relation) throw invalidAt(`/tables/${index}`, 'is not a table or view of the data source')
    for (const { name } of relation.columns) columns.add(name)
    if (scope.filter === null) continue
    const byName = new Map(relation.columns.map((column) => [column.name, column]))
    requireFitting(scope.filter, byName)
  }
  for (const [index, column] of scope.hiddenColumns.entries())
    if (!columns.has(column)) throw invalidAt(`/hiddenColumns/${index}`, 'is not a column of these tables')
}

async function refuseFailed<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (store.isGuarded(error) || areTablesChanged(error)) throw stale('scope')
    if (isForeignKeyViolation(error))
      throw invalidAt('/subjects', 'names a user or a user group that was just deleted')
    throw isUniqueViolation(error, 'data_scopes.name') ? nameTaken('scope of this data source') : error
  }
}

export function changeOf({ clock }: Ports, body: ScopeBody): ScopeChange {
  const { name, tables, subjects, access, filter, hiddenColumns } = body
  const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other)
  return {
    name,
    tables: [...new Set(tables)],
    subjects: {
      users: sorted(subjects.users),
      userGroups: sorted(subjects.userGroups),
      roles: [...new Set(subjects.roles)].sort(),
    },
    access,
    filter,
    hiddenColumns: [...new Set(hiddenColumns)],
    updatedAt: clock.now(),
  }
}

export function auditFieldsOf({ name, tables, subjects, access, filter, hiddenColumns }: ScopeChange) {
  const { users, userGroups, roles } = subjects
  return {
    name,
    tables: [...tables],
    subjects: { users: [...users], userGroups: [...userGroups], roles: [...roles] },
    access,
    filter,
    hiddenColumns: [...hiddenColumns],
  }
}

function versioned(ports: Ports, row: ScopeRow): Versioned {
  return { view: viewOf(ports, row), version: row.version }
}

function viewOf({ settings }: Ports, row: ScopeRow): ScopeView {
  const format = timeFormat(settings.timeZone)
  return {
    id: row.id,
    ...auditFieldsOf(row),
    createdAt: format(row.createdAt),
    updatedAt: format(row.updatedAt),
  }
}
