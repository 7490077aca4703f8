import { recorder } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../domain/table.ts'
import { demandedVersion } from '../../http/preconditions.ts'
import { durationMs, durationText } from '../../lib/duration.ts'
import { invalidAt, Refusal, stale } from '../../lib/errors.ts'
import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { conditionOf } from '../filters/filter.ts'
import { COLUMNS_MAX } from '../imports/schema.ts'
import { scopesBound } from '../scopes/service.ts'
import { isFileSource } from '../sources/schema.ts'
import { refreshView } from '../sources/refresh-view.ts'
import { readDataSource, requireFileSource } from '../sources/service.ts'
import { forgetSchemas, readSchema } from '../sources/service/connect.ts'
import { inGeneration, nameTaken, openTable, publishTable, requireTable } from '../tables/service.ts'
import type { OpenTable } from '../tables/service.ts'
import type { RefreshBody, RefreshDefinitionView } from './schema.ts'
import * as store from './store.ts'
import type { Definition, Origin, RefreshRow } from './store.ts'

const recorded = recorder('dataTableRefresh')

export type Place = { readonly id: number; readonly table: string }
type Versioned = { readonly view: RefreshDefinitionView; readonly version: number }
type Refreshed = { readonly table: OpenTable; readonly row: RefreshRow }

/** @throws {Refusal} not_found */
export async function readRefresh({ ports }: Context, place: Place): Promise<Versioned> {
  return versioned(ports, await requireRefresh(ports, place))
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
  await requireFileSource(ports, place.id)
  const demanded = demandedVersion(context)
  const table = await openTable(ports, place.id, place.table)
  const row = table && (await store.findRefresh(ports.database, table.id))
  if (table && !row) throw nameTaken(table.name, '{table}')
  if (demanded !== null && demanded !== row?.version) throw stale('refresh')
  const origin = await originOf(context, body.from)
  const everyMs = body.every === null ? null : durationMs(body.every)
  const definition = { origin, everyMs, nextAt: everyMs === null ? null : ports.clock.now() }
  if (table && row) await change(context, { table, row }, definition)
  else await create(context, place, definition)
  return { ...versioned(ports, await requireRefresh(ports, place)), isNew: row === null }
}

/** Leaves the table with its rows, which can be edited from now on. @throws {Refusal} not_found, precondition_failed */
export async function deleteRefresh(context: Context, place: Place): Promise<void> {
  const { database } = context.ports
  const { table, row } = await requireRefresh(context.ports, place)
  const demanded = demandedVersion(context)
  if (demanded !== null && demanded !== row.version) throw stale('refresh')
  await commit(database, [
    store.deleteRefresh(database, table.id),
    recorded(context, 'delete', { objectId: table.id, before: auditFieldsOf(table.name, row) }),
  ])
}

async function create(context: Context, { id, table: name }: Place, definition: Definition): Promise<void> {
  const { tables, settings, database } = context.ports
  const { columns } = definition.origin
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
    ]
    const contents = { name, columns, rows: 0, generation: to }
    await publishTable(context, contents, { before: null, others, namePointer: '{table}' })
  })
}

async function change(context: Context, { table, row }: Refreshed, definition: Definition): Promise<void> {
  const { database } = context.ports
  await requireUnbound(context.ports, table, definition.origin.columns)
  const told = {
    objectId: table.id,
    before: auditFieldsOf(table.name, row),
    after: auditFieldsOf(table.name, definition),
  }
  try {
    await commit(database, [
      store.updateRefresh(database, row, definition),
      recorded(context, 'update', told),
    ])
  } catch (error) {
    throw store.isOther(error) ? stale('refresh') : error
  }
}

/** @throws {Refusal} conflict for columns that scopes name and that would be gone */
async function requireUnbound(ports: Ports, table: OpenTable, after: readonly Column[]): Promise<void> {
  const names = new Set(after.map(({ name }) => name))
  const gone = table.columns.map(({ name }) => name).filter((name) => !names.has(name))
  const bound = await scopesBound(ports, table.generation.sourceId, { table: table.name, gone, stay: after })
  if (bound.length === 0) return
  throw new Refusal('conflict', `Scopes name columns of the table: ${bound.join(', ')}. Change them first.`)
}

/** @throws {Refusal} invalid, conflict, and the refusals of the port `databases` */
async function originOf(context: Context, from: RefreshBody['from']): Promise<Origin> {
  const { ports } = context
  const { kind, dataSourceId, table, filter } = from
  const source = await readDataSource(context, dataSourceId).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_found') return null
    throw error
  })
  if (!source) throw invalidAt('/from/dataSourceId', 'does not exist')
  const { type, scopeMode } = source.dataSource
  if (isFileSource(type)) throw invalidAt('/from/dataSourceId', 'must be a database')
  if (scopeMode === 'native')
    throw new Refusal(
      'conflict',
      'Row security of this data source needs the session of one user, and a refresh has none.',
    )
  forgetSchemas(ports)
  const own = (await readSchema(ports, dataSourceId)).filter((column) => column.table === table)
  if (own.length === 0) throw invalidAt('/from/table', 'is not a table or view of the data source')
  const byName = new Map(own.map(({ name, type: columnType }) => [name, { name, type: columnType }]))
  if (filter) conditionOf(filter, byName, '/from/filter')
  const columns = (from.columns ?? [...byName.keys()]).map((name, at) => {
    const column = byName.get(name)
    if (!column) throw invalidAt(`/from/columns/${at}`, 'is not a column of the table')
    return column
  })
  requireDistinct(columns)
  return { kind, dataSourceId, table, isView: own[0]?.kind === 'view', columns, filter }
}

/** @throws {Refusal} invalid */
function requireDistinct(columns: readonly Column[]): void {
  if (columns.length > COLUMNS_MAX)
    throw invalidAt('/from/columns', `must name at most ${COLUMNS_MAX} columns; the table has more`)
  const taken = new Set<string>()
  for (const [at, { name }] of columns.entries())
    if (taken.size === taken.add(name.toLowerCase()).size)
      throw invalidAt(`/from/columns/${at}`, 'is already used')
}

function auditFieldsOf(name: string, { origin, everyMs }: Pick<RefreshRow, 'origin' | 'everyMs'>) {
  const { columns, isView: _, ...from } = origin
  return {
    name,
    from: { ...from, columns: columns.map((column) => column.name) },
    every: everyMs === null ? null : durationText(everyMs),
  }
}

function versioned(ports: Ports, { table, row }: Refreshed): Versioned {
  const state = refreshView(ports, row)
  if (!state) throw new Error('The refresh has no state')
  const { name, ...fields } = auditFieldsOf(table.name, row)
  return { view: { table: name, ...fields, state, error: row.error }, version: row.version }
}
