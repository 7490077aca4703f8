import { recorder } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { dropBlob, LONG_UPLOAD_MAX_MS, putBlob } from '../../content/blobs/service.ts'
import type { ImportPlan } from '../../domain/import-plan.ts'
import type { Column, Row } from '../../domain/table.ts'
import { commitIfMatch, entityTag } from '../../http/preconditions.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { commit, isUniqueViolation } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { RelationColumn } from '../../ports/databases.ts'
import type { Ports } from '../../ports/index.ts'
import { cleanUp } from '../../ports/log.ts'
import { generationOf } from '../../ports/tables.ts'
import type { Generation, Progress, TableIndex } from '../../ports/tables.ts'
import { RowLines } from './row-lines.ts'
import * as store from './store.ts'
import type { RefreshRow } from './store.ts'

const recorded = recorder('dataTable')

/** How long a load may take; later its generation is deleted. */
const LOAD_MAX_MS = HOUR_MS
/** Statements that read a generation may go on for as long after it was replaced. */
const READ_MAX_MS = MINUTE_MS
const SWEPT_AT_ONCE = 100
/** The maximum size of rows that are stored into a table. */
const ROWS_MAX_BYTES = 16 * 1024 ** 3

/** An imported table, ready to be read by `ports.tables`. */
export type OpenTable = {
  readonly id: number
  readonly name: string
  readonly columns: readonly Column[]
  readonly rows: number
  readonly version: number
  readonly generation: Generation
  /** Whether refreshes replace its rows. */
  readonly isRefreshed: boolean
}

type StoredTable = Pick<
  NonNullable<Awaited<ReturnType<typeof store.findTable>>>,
  'id' | 'dataSourceId' | 'name' | 'columns' | 'rows' | 'version' | 'generationId' | 'isRefreshed'
>

/** A table of a data source, or null. */
export async function openTable(ports: Ports, sourceId: number, name: string): Promise<OpenTable | null> {
  const row = await store.findTable(ports.database, sourceId, name)
  return row && openedOf(row)
}

/** A table of a data source. @throws {Refusal} not_found */
export async function requireTable(ports: Ports, sourceId: number, name: string): Promise<OpenTable> {
  const table = await openTable(ports, sourceId, name)
  if (!table) throw noSuch('table')
  return table
}

/** @throws {Refusal} conflict for a table whose rows refreshes replace */
export function requireEditable({ name, isRefreshed }: OpenTable): void {
  if (!isRefreshed) return
  throw new Refusal(
    'conflict',
    `The rows of ${name} come from elsewhere, and the next refresh would replace this change. Delete its refresh first.`,
  )
}

/** The refreshes of the tables of a data source, by the name of the table. */
export async function refreshesOf(ports: Ports, sourceId: number): Promise<ReadonlyMap<string, RefreshRow>> {
  const rows = await store.listRefreshes(ports.database, sourceId)
  return new Map(rows.map(({ table, refresh }) => [table, refresh]))
}

/** The columns of all tables of a data source, in the form of a database. */
export async function relationColumns(ports: Ports, sourceId: number): Promise<RelationColumn[]> {
  const tables = await store.listTables(ports.database, sourceId)
  return tables.flatMap(({ name: table, columns, rows }) =>
    columns.map(({ name, type }, index) => ({
      table,
      kind: 'table' as const,
      tableComment: null,
      tableRows: rows,
      name,
      type,
      nativeType: type,
      isNullable: true,
      position: index + 1,
      comment: null,
    })),
  )
}

/** The entity tag and the refresh of each imported table of a data source, by name. */
export async function tableFacts(ports: Ports, sourceId: number): Promise<ReadonlyMap<string, TableFacts>> {
  const [tables, refreshes] = await Promise.all([
    store.listTables(ports.database, sourceId),
    refreshesOf(ports, sourceId),
  ])
  return new Map(
    tables.map(({ name, version }) => [
      name,
      { etag: entityTag(version), refresh: refreshes.get(name) ?? null },
    ]),
  )
}

type TableFacts = { readonly etag: string; readonly refresh: RefreshRow | null }

/** A new generation of a data source. It is deleted after this time, an hour, unless a table gets it. */
export async function beginGeneration(
  { database, clock }: Ports,
  sourceId: number,
  keptMs = LOAD_MAX_MS,
): Promise<Generation> {
  const dropAt = clock.now() + keptMs
  return generationOf(sourceId, await store.insertGeneration(database, { dataSourceId: sourceId, dropAt }))
}

export type TableRows = {
  readonly to: Generation
  readonly columns: readonly Column[]
  readonly rows: AsyncIterable<readonly Row[], void>
  readonly indexes?: readonly TableIndex[]
}

/** Fills a generation with rows as they come. They pass through a blob, so that the engine can begin anew.
 * @returns how many there were
 * @throws {Refusal} import_failed for values that are not of the types of their columns, unavailable, overloaded */
export async function fillGeneration(
  ports: Ports,
  { to, columns, rows, indexes = [] }: TableRows,
  signal: AbortSignal,
  progress?: Progress,
): Promise<number> {
  const lines = new RowLines(columns)
  const sent = { prefix: 'uploads', chunks: lines.write(rows), sizeMaxBytes: ROWS_MAX_BYTES }
  const { key: blob } = await putBlob(
    ports,
    sent,
    AbortSignal.any([signal, AbortSignal.timeout(LONG_UPLOAD_MAX_MS)]),
  )
  try {
    const order = {
      to,
      blob,
      plan: rowsPlan(columns, lines.plainRows),
      ...(indexes.length > 0 && { indexes }),
    }
    const counts = await ports.tables.load(order, signal, progress)
    return counts.rows
  } finally {
    await dropBlob(ports, blob)
  }
}

function rowsPlan(columns: readonly Column[], plainRows: number | null): ImportPlan {
  return {
    file: { kind: 'rows', plainRows },
    values: { nulls: [], decimal: '.', dateFormats: [], timeZone: 'UTC' },
    columns: columns.map(({ name, type }, source) => ({ name, type, source })),
    onError: 'abort',
    faultsMax: 0,
  }
}

/** Until when a generation that is replaced now can be read. */
export function readableUntil({ clock }: Pick<Ports, 'clock'>): number {
  return clock.now() + READ_MAX_MS
}

/** Does work that publishes a new generation; where it fails, the generation is abandoned. */
export async function inGeneration<Result>(
  ports: Ports,
  sourceId: number,
  work: (to: Generation) => Promise<Result>,
): Promise<Result> {
  const to = await beginGeneration(ports, sourceId)
  try {
    return await work(to)
  } catch (error) {
    await abandonGeneration(ports, to)
    throw error
  }
}

/** Lets the next sweep delete a generation unless a table has it: a commit may have succeeded although its answer was lost. A
 * failure is logged: the caller has the error of its work. */
export function abandonGeneration({ database, clock, log }: Ports, { tableId }: Generation): Promise<void> {
  return cleanUp(log, 'tables: abandoning a generation failed; a sweep deletes it within an hour', () =>
    commit(database, [store.setDropUnused(database, tableId, clock.now())]),
  )
}

type Contents = Pick<OpenTable, 'name' | 'columns' | 'rows' | 'generation'>

type Publication = {
  readonly before: OpenTable | null
  readonly others: readonly Write[]
  /** The refusal when the table has changed meanwhile. */
  readonly changed?: () => Refusal
  /** Where the name of the table is in the request. */
  readonly namePointer?: string
}

/** The write that fails, as `areTablesChanged` recognises, unless these tables have their names and columns still when it is
 * committed. */
export async function holdTables(
  { database }: Ports,
  sourceId: number,
  names: readonly string[],
): Promise<readonly Write[]> {
  const tables = { sourceId, names }
  return [store.requireTables(database, tables, await store.tablesMark(database, tables))]
}

export const areTablesChanged = store.areTablesChanged

/** Makes a table of a loaded generation, or gives it to the table that was there, in one commit with other writes.
 * @throws {Refusal} name_taken, `changed` when the table has changed meanwhile, not_found without its source */
export async function publishTable(
  context: Context,
  { name, columns, rows, generation }: Contents,
  { before, others, changed = changedMeanwhile, namePointer = '/table' }: Publication,
): Promise<void> {
  const { database, clock } = context.ports
  const { sourceId, tableId: generationId } = generation
  const [at, after] = [clock.now(), { name, rows, columns: columns.length, dataSourceId: sourceId }]
  const change = { dataSourceId: sourceId, name, columns, generationId, rows }
  const writes = before
    ? [
        store.updateTable(database, before, { ...change, updatedAt: at }),
        store.setDrop(database, before.generation.tableId, at + READ_MAX_MS),
        recorded(context, 'update', { objectId: before.id, before: { rows: before.rows }, after }),
      ]
    : [
        store.insertTable(database, change, at),
        recorded(context, 'create', { objectId: { inserted: true }, after }),
      ]
  try {
    await commit(database, [store.claimGeneration(database, generationId, before), ...writes, ...others])
  } catch (error) {
    if (store.isChanged(error)) throw changed()
    if (isUniqueViolation(error, 'data_tables.name')) throw nameTaken(name, namePointer)
    if (!store.hasNoSource(error)) throw error
    throw new Refusal('not_found', 'The data source was deleted or became a database during the import.')
  }
}

function changedMeanwhile(): Refusal {
  return new Refusal('conflict', 'The table was changed or deleted during the import. Import the file again.')
}

/** The refusal of a second table of a name. */
export function nameTaken(name: string, pointer = '/table'): Refusal {
  return new Refusal(
    'name_taken',
    `The data source has a table ${name}. Replace it, or choose another name.`,
    [{ pointer, message: 'is already used' }],
  )
}

/** @throws {Refusal} not_found, precondition_failed */
export async function deleteTable(
  context: Context,
  { id, table }: { readonly id: number; readonly table: string },
): Promise<void> {
  const { database, clock, scripts } = context.ports
  const { generation, name, rows, ...row } = await requireTable(context.ports, id, table)
  await commitIfMatch(context, { ...row, table: 'data_tables' }, [
    store.deleteTable(database, row.id),
    store.setDrop(database, generation.tableId, clock.now() + READ_MAX_MS),
    recorded(context, 'delete', { objectId: row.id, before: { name, rows } }),
    ...scripts.dependents({ kind: 'dataSource', ownerId: id, part: name }, []),
  ])
}

/** The write that belongs to the deletion of a data source, before it. */
export function dropTables(ports: Ports, sourceId: number): Write {
  return store.dropAllOf(ports.database, sourceId, readableUntil(ports))
}

/** Deletes generations that no table has. Failures are logged, and the next sweep tries again. */
export async function sweepGenerations({ database, tables, clock, log }: Ports): Promise<void> {
  try {
    for (;;) {
      const due = await store.listDue(database, clock.now(), SWEPT_AT_ONCE)
      for (const { id, dataSourceId } of due) {
        // The row goes last: it is what names the generation.
        await tables.drop([generationOf(dataSourceId, id)])
        await commit(database, [store.deleteGeneration(database, id)])
      }
      if (due.length < SWEPT_AT_ONCE) return
    }
  } catch (error) {
    log.error('tables: deleting generations failed; retrying later', error)
  }
}

/** A table as it is stored, ready to be read. */
export function openedOf(row: StoredTable): OpenTable {
  const { id, dataSourceId, name, columns, rows, version, generationId } = row
  const generation = generationOf(dataSourceId, generationId)
  return { id, name, columns, rows, version, generation, isRefreshed: row.isRefreshed === 1 }
}
