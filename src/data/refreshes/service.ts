import { recorder } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../domain/table.ts'
import { demandedVersion, refuseStale } from '../../http/preconditions.ts'
import { durationMs, durationText } from '../../lib/duration.ts'
import { Refusal, stale } from '../../lib/errors.ts'
import { commit } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { scopesBound } from '../scopes/service.ts'
import { refuseOpening } from '../scopes/service/sights.ts'
import { refreshView } from '../sources/refresh-view.ts'
import { requireFileSource } from '../sources/service.ts'
import type { SourceName } from '../sources/service.ts'
import { inGeneration, nameTaken, openTable, publishTable, requireTable } from '../tables/service.ts'
import type { OpenTable } from '../tables/service.ts'
import type { RefreshBody, RefreshDefinitionView } from './schema.ts'
import { originOf } from './service/origin.ts'
import * as store from './store.ts'
import type { Definition, Origin, RefreshRow } from './store.ts'

const recorded = recorder('dataTableRefresh')

/** The state of a refresh before it runs for the first time. */
const NOT_REFRESHED = {
  refreshedAt: null,
  failures: 0,
  failedAt: null,
  error: null,
  lease: null,
  leaseUntilAt: null,
} as const

export type Place = { readonly id: number; readonly table: string }
type Versioned = { readonly view: RefreshDefinitionView; readonly version: number }
type Refreshed = { readonly table: OpenTable; readonly row: RefreshRow }

/** @throws {Refusal} not_found */
export async function readRefresh({ ports }: Context, place: Place): Promise<Versioned> {
  const { table, row } = await requireRefresh(ports, place)
  return versioned(ports, table.name, row)
}

/** A table with its refresh. @throws {Refusal} not_found */
export async function requireRefresh(ports: Ports, { id, table: name }: Place): Promise<Refreshed> {
  const table = await requireTable(ports, id, name)
  const row = await store.findRefresh(ports.database, table.id)
  if (!row) throw new Refusal('not_found', 'The rows of this table do not come from elsewhere.')
  return { table, row }
}

/** Makes a table without rows whose rows come from elsewhere, or changes from where. The rows of before stay until the next
 * refresh.
 * @throws {Refusal} name_taken for a table whose rows do not come from elsewhere, not_found, conflict, precondition_failed,
 * invalid for unknown sources, tables and columns, and the refusals of the port `databases` */
export async function writeRefresh(
  context: Context,
  place: Place,
  body: RefreshBody,
): Promise<Versioned & { readonly isNew: boolean }> {
  const { ports } = context
  const source = await requireFileSource(ports, place.id)
  const demanded = demandedVersion(context)
  const table = await openTable(ports, place.id, place.table)
  const row = table && (await store.findRefresh(ports.database, table.id))
  if (table && !row) throw nameTaken(table.name, '{table}')
  refuseStale(demanded, row?.version, 'refresh')
  const definition = await definitionOf(context, body)
  const needs = needsOf(ports, { source, table: table?.name ?? place.table }, definition.origin)
  if (table && row) return { ...(await change(context, { table, row }, { definition, needs })), isNew: false }
  return { ...(await create(context, place, { definition, needs })), isNew: true }
}

async function definitionOf(context: Context, { from, every }: RefreshBody): Promise<Definition> {
  const origin = await originOf(context, from)
  if (every === null) return { origin, everyMs: null, nextAt: null }
  return { origin, everyMs: durationMs(every), nextAt: context.ports.clock.now() }
}

/** Leaves the table with its rows, which can be edited from now on.
 * @throws {Refusal} not_found, precondition_failed, conflict as `refuseOpening` */
export async function deleteRefresh(context: Context, place: Place): Promise<void> {
  const { database } = context.ports
  const { table, row } = await requireRefresh(context.ports, place)
  refuseStale(demandedVersion(context), row.version, 'refresh')
  await refuseOpening(context.ports, place.id, table.name)
  await commit(database, [
    store.deleteRefresh(database, table.id),
    recorded(context, 'delete', { objectId: table.id, before: auditFieldsOf(table.name, row) }),
    ...context.ports.scripts.dependents({ kind: 'dataSource', ownerId: place.id, part: table.name }, []),
  ])
}

/** The writes that record the script that a table depends on. */
function needsOf(
  { scripts }: Ports,
  { source, table }: { readonly source: SourceName; readonly table: string },
  origin: Origin,
): readonly Write[] {
  const needed =
    origin.kind === 'script' ? [{ scriptId: origin.scriptId, part: table, name: source.name }] : []
  return scripts.dependents({ kind: 'dataSource', ownerId: source.id, part: table }, needed)
}

/** A definition, and the writes that belong to its commit. */
type Written = { readonly definition: Definition; readonly needs: readonly Write[] }

async function create(
  context: Context,
  { id, table: name }: Place,
  { definition, needs }: Written,
): Promise<Versioned> {
  const { tables, settings, database } = context.ports
  const columns = definition.origin.columns.map((column) => ({ name: column.name, type: column.type }))
  await inGeneration(context.ports, id, async (to) => {
    const outcome = await tables.reshape({
      parts: [],
      to,
      columns,
      timeZone: settings.timeZone,
      key: null,
    })
    if (!('rows' in outcome)) throw new Error('A table without rows has a value')
    const others = [
      store.insertRefresh(database, { sourceId: id, table: name }, definition),
      recorded(context, 'create', {
        objectId: { inserted: true },
        after: auditFieldsOf(name, definition),
      }),
      ...needs,
    ]
    const contents = { name, columns, rows: 0, generation: to }
    await publishTable(context, contents, { before: null, others, namePointer: '{table}' })
  })
  return versioned(context.ports, name, { ...NOT_REFRESHED, ...definition, version: 1 })
}

async function change(
  context: Context,
  { table, row }: Refreshed,
  { definition, needs }: Written,
): Promise<Versioned> {
  const { database } = context.ports
  await requireUnbound(context.ports, table, definition.origin.columns)
  // The rows of before stay until the next refresh.
  if (!isSameOrigin(row.origin, definition.origin))
    await refuseOpening(context.ports, table.generation.sourceId, table.name)
  const told = {
    objectId: table.id,
    before: auditFieldsOf(table.name, row),
    after: auditFieldsOf(table.name, definition),
  }
  try {
    await commit(database, [
      store.updateRefresh(database, row, definition),
      recorded(context, 'update', told),
      ...needs,
    ])
  } catch (error) {
    throw store.isOther(error) ? stale('refresh') : error
  }
  // The answer is what this commit wrote, since another user may have changed it again.
  return versioned(context.ports, table.name, { ...row, ...definition, version: row.version + 1 })
}

function isSameOrigin(before: Origin, after: Origin): boolean {
  if (before.kind !== 'foreign' || after.kind !== 'foreign') return before.kind === after.kind
  return before.dataSourceId === after.dataSourceId && before.table === after.table
}

/** @throws {Refusal} conflict for columns that scopes name and that would be gone */
async function requireUnbound(ports: Ports, table: OpenTable, after: readonly Column[]): Promise<void> {
  const names = new Set(after.map(({ name }) => name))
  const gone = table.columns.map(({ name }) => name).filter((name) => !names.has(name))
  const bound = await scopesBound(ports, table.generation.sourceId, { table: table.name, gone, stay: after })
  if (bound.length === 0) return
  throw new Refusal('conflict', `Scopes name columns of the table: ${bound.join(', ')}. Change them first.`)
}

function auditFieldsOf(name: string, { origin, everyMs }: Pick<RefreshRow, 'origin' | 'everyMs'>) {
  return { name, from: shownOrigin(origin), every: everyMs === null ? null : durationText(everyMs) }
}

function shownOrigin(origin: Origin): RefreshDefinitionView['from'] {
  if (origin.kind === 'script') return { ...origin, columns: [...origin.columns] }
  const { columns, isView: _, ...from } = origin
  return { ...from, columns: columns.map((column) => column.name) }
}

function versioned(ports: Ports, table: string, row: Omit<RefreshRow, 'tableId'>): Versioned {
  const state = refreshView(ports, row)
  if (!state) throw new Error('The refresh has no state')
  const { name, ...fields } = auditFieldsOf(table, row)
  return { view: { table: name, ...fields, state, error: row.error }, version: row.version }
}
