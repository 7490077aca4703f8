import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { timeFormat } from '../../../lib/time.ts'
import { tableFacts } from '../../tables/service.ts'
import { commit, isForeignKeyViolation } from '../../../ports/database.ts'
import type { RelationColumn } from '../../../ports/databases.ts'
import type { Ports } from '../../../ports/index.ts'
import type { ColumnView, SyncView, TableView } from '../schema.ts'
import { requireSource } from '../service.ts'
import * as store from '../store.ts'
import type { NoteRow } from '../store.ts'
import { refreshView } from '../refresh-view.ts'
import { forgetSchemas, readSchema } from './connect.ts'

const recorded = recorder('dataSource')

const DIGEST_LENGTH = 16

/** The tables and views in the schema of a data source, by name. @throws {Refusal} as `readSchema` */
export async function listTables({ ports }: Context, id: number): Promise<TableView[]> {
  const [columns, noteOn] = [await readSchema(ports, id), await readNotes(ports, id)]
  const facts = await tableFacts(ports, id)
  return [...Map.groupBy(columns, ({ table }) => table).values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const note = noteOn(first.table, '')
    return {
      name: first.table,
      kind: first.kind,
      comment: note?.comment ?? first.tableComment,
      annotations: note?.annotations ?? {},
      approximateRows: first.tableRows,
      columns: 1 + others.length,
      etag: facts.get(first.table)?.etag ?? null,
      refresh: refreshView(ports, facts.get(first.table)?.refresh ?? null),
    }
  })
}

/** The columns of the tables and views in the schema of a data source. @throws {Refusal} as `readSchema` */
export async function listColumns({ ports }: Context, id: number): Promise<ColumnView[]> {
  const [columns, noteOn] = [await readSchema(ports, id), await readNotes(ports, id)]
  return columns.map((column) => {
    const note = noteOn(column.table, column.name)
    return {
      table: column.table,
      tableKind: column.kind,
      tableComment: noteOn(column.table, '')?.comment ?? column.tableComment,
      name: column.name,
      type: column.type,
      nativeType: column.nativeType,
      nullable: column.isNullable,
      position: column.position,
      comment: note?.comment ?? column.comment,
      annotations: note?.annotations ?? {},
    }
  })
}

/** The function that finds the note on a table, whose column is empty, or on a column of it. */
async function readNotes(
  { database }: Ports,
  id: number,
): Promise<(table: string, column: string) => NoteRow | undefined> {
  const tables = Map.groupBy(await store.listNotes(database, id), ({ tableName }) => tableName)
  const notes = new Map(
    [...tables].map(([table, own]) => [table, new Map(own.map((note) => [note.columnName, note]))]),
  )
  return (table, column) => notes.get(table)?.get(column)
}

/** Reads the schema of a data source anew and compares it with the last sync. @throws {Refusal} as `readSchema` */
export async function syncSchema(context: Context, id: number): Promise<SyncView> {
  const { ports } = context
  const { database, clock, settings } = ports
  await requireSource(ports, id)
  forgetSchemas(ports)
  const columns = await readSchema(ports, id)
  const before = await store.readDigests(database, id)
  const digests = await digestsOf(columns)
  const names = Object.keys(digests)
  const changes = {
    added: names.filter((name) => !Object.hasOwn(before, name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(digests, name)),
    changed: names.filter((name) => Object.hasOwn(before, name) && before[name] !== digests[name]),
  }
  const syncedAt = clock.now()
  const counts = Object.entries(changes).map(([change, tables]) => [change, tables.length] as const)
  const entry = recorded(context, 'sync', { objectId: id, after: Object.fromEntries(counts) })
  try {
    await commit(database, [store.replaceDigests(database, { dataSourceId: id, digests, syncedAt }), entry])
  } catch (error) {
    // Another caller has deleted the data source.
    if (isForeignKeyViolation(error)) await requireSource(ports, id)
    throw error
  }
  return {
    syncedAt: timeFormat(settings.timeZone)(syncedAt),
    tables: names.length,
    columns: columns.length,
    ...changes,
    unmatchedNotes: await unmatchedNotes(ports, id, columns),
  }
}

async function unmatchedNotes(
  { database }: Ports,
  id: number,
  columns: readonly RelationColumn[],
): Promise<SyncView['unmatchedNotes']> {
  const known = new Map(
    [...Map.groupBy(columns, ({ table }) => table)].map(([table, own]) => [
      table,
      new Set(['', ...own.map(({ name }) => name)]),
    ]),
  )
  const notes = await store.listNotes(database, id)
  return notes
    .filter(({ tableName, columnName }) => known.get(tableName)?.has(columnName) !== true)
    .map(({ tableName, columnName }) => ({
      table: tableName,
      column: columnName === '' ? null : columnName,
    }))
}

async function digestsOf(columns: readonly RelationColumn[]): Promise<Record<string, string>> {
  const digests: [name: string, digest: string][] = []
  for (const [name, ofTable] of Map.groupBy(columns, ({ table }) => table)) {
    // The estimate changes with each row.
    const text = JSON.stringify(ofTable.map((column) => ({ ...column, tableRows: null })))
    const digest = await sha256(text)
    digests.push([name, digest.slice(0, DIGEST_LENGTH)])
  }
  return Object.fromEntries(digests)
}
