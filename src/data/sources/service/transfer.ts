import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { invalidAt } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import type { IdExpression, Write } from '../../../ports/database.ts'
import type { NoteView } from '../notes.ts'
import { SOURCES_MAX } from '../schema.ts'
import type { DataSourceBody, DataSourceView } from '../schema.ts'
import { auditFieldsOf, changeOf, fieldsOf, guardType } from '../service.ts'
import * as store from '../store.ts'
import type { DataSourceRow } from '../store.ts'

const recorded = recorder('dataSource')

/** A note on a table, or on a column of it. */
export type PortableNote = NoteView & { readonly table: string; readonly column: string | null }

type Notes = NoteView & { readonly notes: readonly PortableNote[] }

/** A data source with its notes, as another installation may have it: without its password. */
export type ExportedSource = Notes & {
  readonly id: number
  readonly settings: Omit<DataSourceView, 'id' | keyof NoteView | 'createdAt' | 'updatedAt'>
}

export type IncomingSource = Notes & { readonly settings: DataSourceBody }

/** Data sources by name, one after the other: together they can be large.
 * @param ids of some of them; all if absent @throws {Refusal} invalid for unknown ids */
export async function* exportSources(
  { database }: Ports,
  ids: readonly number[] | undefined,
): AsyncGenerator<ExportedSource> {
  const rows = await store.listDataSources(database)
  const known = new Set(rows.map(({ id }) => id))
  for (const [place, id] of ids?.entries() ?? [])
    if (!known.has(id)) throw invalidAt(`/ids/${place}`, 'is not the id of a data source')
  for (const row of rows) {
    if (ids?.includes(row.id) === false) continue
    const notes = await store.listNotes(database, row.id)
    yield {
      id: row.id,
      settings: {
        ...fieldsOf(row),
        connection: row.connection && { ...row.connection, passwordSet: row.password !== null },
      },
      comment: row.comment,
      annotations: row.annotations,
      notes: notes.map(({ tableName: table, columnName, comment, annotations }) => {
        return { table, column: columnName === '' ? null : columnName, comment, annotations }
      }),
    }
  }
}

/** A data source that has the name of one that comes; null for none. */
export function findSource({ database }: Ports, name: string): Promise<DataSourceRow | null> {
  return store.findDataSource(database, name)
}

/** The data source of a name, as a statement of the commit that makes it. */
export const selectSource = store.selectDataSource

/** The writes that make a data source with its notes, or replace one.
 * @param before the data source that is replaced. Its password stays if no other one comes and it is for the same user of the
 * same database @throws {Refusal} has_dependents for another type while data queries read it or it has imported tables */
export async function importSource(
  context: Context,
  { settings, notes, ...note }: IncomingSource,
  before: DataSourceRow | null,
): Promise<{
  readonly writes: readonly Write[]
  readonly hasPassword: boolean
  /** The id of the data source within the commit. */
  readonly source: IdExpression
}> {
  const { ports } = context
  const { database, clock } = ports
  const change = await changeOf(ports, settings, before && isSameAccount(before, settings) ? before : null)
  const after = { ...auditFieldsOf(change), ...note, notes: notes.length }
  const source = store.sourceNamed(settings.name)
  const replaced = store.replaceNotes(database, source, {
    notes: notes.map(({ table, column, ...rest }) => ({
      ...rest,
      tableName: table,
      columnName: column ?? '',
    })),
    at: clock.now(),
  })
  const own = before
    ? [
        ...(await guardType(ports, before, change)),
        store.updateDataSource(database, before, { ...change, ...note }),
        recorded(context, 'update', {
          objectId: before.id,
          before: { ...auditFieldsOf(before), comment: before.comment, annotations: before.annotations },
          after,
        }),
      ]
    : [
        store.insertDataSource(
          database,
          { ...change, ...note, version: 1, createdAt: change.updatedAt },
          SOURCES_MAX,
        ),
        recorded(context, 'create', { objectId: { inserted: true }, after }),
      ]
  return { writes: [...own, ...replaced], hasPassword: change.password !== null, source }
}

function isSameAccount({ connection: before }: DataSourceRow, { connection }: DataSourceBody): boolean {
  const fields = ['host', 'port', 'database', 'user', 'tls'] as const
  return (
    before !== null && connection !== null && fields.every((field) => before[field] === connection[field])
  )
}
