import { recorder } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../domain/table.ts'
import { commitIfMatch } from '../../http/preconditions.ts'
import { Refusal } from '../../lib/errors.ts'
import {
  commit,
  guardVersion,
  isForeignKeyViolation,
  isOffVersion,
  isUniqueViolation,
} from '../../ports/database.ts'
import type { RelationColumn } from '../../ports/databases.ts'
import type { Ports } from '../../ports/index.ts'
import type { Generation } from '../../ports/tables.ts'
import * as store from './store.ts'
import type { TableRow } from './store.ts'

const recorded = recorder('dataTable')

/** How long a load may take; later its generation is deleted. */
const LOAD_MAX_MS = 60 * 60_000
/** Statements that read a generation may go on for as long after it was replaced. */
const READ_MAX_MS = 60_000
const SWEPT_AT_ONCE = 100

/** An imported table, ready to be read by `ports.tables`. */
export type OpenTable = {
  readonly name: string
  readonly columns: readonly Column[]
  readonly rows: number
  readonly version: number
  readonly generation: Generation
}

/** A table of a data source, or null. */
export async function openTable(ports: Ports, sourceId: number, name: string): Promise<OpenTable | null> {
  const row = await store.findTable(ports.database, sourceId, name)
  return row && openedOf(row)
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

/** A new generation of a data source. It is deleted in an hour unless `publishTable` gives it to a table. */
export async function beginGeneration({ database, clock }: Ports, sourceId: number): Promise<Generation> {
  const dropAt = clock.now() + LOAD_MAX_MS
  return generationOf(sourceId, await store.insertGeneration(database, { dataSourceId: sourceId, dropAt }))
}

/** Lets the next sweep delete a generation that no table gets. */
export async function abandonGeneration({ database, clock }: Ports, { tableId }: Generation): Promise<void> {
  await commit(database, [store.setDrop(database, tableId, clock.now())])
}

type Contents = Pick<OpenTable, 'name' | 'columns' | 'rows' | 'generation'>

/** Makes a table of a loaded generation, or gives it to the table that was there, in one commit.
 * @throws {Refusal} name_taken, conflict when the table has changed meanwhile, not_found without its source */
export async function publishTable(
  context: Context,
  { name, columns, rows, generation }: Contents,
  before: Pick<OpenTable, 'version' | 'rows' | 'generation'> | null,
): Promise<void> {
  const { database, clock } = context.ports
  const { sourceId, tableId: generationId } = generation
  const row = before && (await store.findTable(database, sourceId, name))
  if (before && row?.version !== before.version) throw changedMeanwhile()
  const [at, after] = [clock.now(), { name, rows, columns: columns.length, dataSourceId: sourceId }]
  const change = { dataSourceId: sourceId, name, columns, generationId, rows }
  const writes = row
    ? [
        guardVersion(database, { ...row, table: 'data_tables' }),
        store.updateTable(database, row, { ...change, updatedAt: at }),
        store.setDrop(database, row.generationId, at + READ_MAX_MS),
        recorded(context, 'update', { objectId: row.id, before: { rows: row.rows }, after }),
      ]
    : [
        store.insertTable(database, change, at),
        recorded(context, 'create', { objectId: { inserted: true }, after }),
      ]
  try {
    await commit(database, [...writes, store.setDrop(database, generationId, null)])
  } catch (error) {
    if (isOffVersion(error, 'data_tables')) throw changedMeanwhile()
    if (isUniqueViolation(error, 'data_tables.name')) throw nameTaken(name)
    if (!isForeignKeyViolation(error)) throw error
    throw new Refusal('not_found', 'The data source was deleted during the import.')
  }
}

function changedMeanwhile(): Refusal {
  return new Refusal('conflict', 'Another import changed the table during this one. Import the file again.')
}

/** The refusal of a second table of a name. */
export function nameTaken(name: string): Refusal {
  return new Refusal(
    'name_taken',
    `The data source has a table ${name}. Replace it, or choose another name.`,
    [{ pointer: '/table', message: 'is already used' }],
  )
}

/** @throws {Refusal} not_found, precondition_failed */
export async function deleteTable(
  context: Context,
  { id, table }: { readonly id: number; readonly table: string },
): Promise<void> {
  const { database, clock } = context.ports
  const row = await store.findTable(database, id, table)
  if (!row) throw new Refusal('not_found', 'There is no such table.')
  await commitIfMatch(context, { ...row, table: 'data_tables' }, [
    store.deleteTable(database, row.id),
    store.setDrop(database, row.generationId, clock.now() + READ_MAX_MS),
    recorded(context, 'delete', { objectId: row.id, before: { name: row.name, rows: row.rows } }),
  ])
}

/** The writes that belong to the deletion of a data source, before it. */
export function dropTables({ database, clock }: Ports, sourceId: number) {
  return [store.dropAllOf(database, sourceId, clock.now() + READ_MAX_MS)]
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

function generationOf(sourceId: number, id: number): Generation {
  return { sourceId, tableId: id, key: 'rows' }
}

function openedOf({ dataSourceId, name, columns, rows, version, generationId }: TableRow): OpenTable {
  return { name, columns, rows, version, generation: generationOf(dataSourceId, generationId) }
}
