import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, partsOf } from '../../../db/lists.ts'
import { unlessFull } from '../../../db/row-limit.ts'
import { dataSourceCatalogues, dataSourceNotes, dataSources } from '../../../db/tables/sources.ts'
import { isNotNullViolation } from '../../ports/database.ts'
import type { Database, IdExpression, Write } from '../../ports/database.ts'
import { CONNECTION_DEFAULTS } from './schema.ts'
import type { Connection, DataSourceView } from './schema.ts'

export type DataSourceRow = Omit<typeof dataSources.$inferSelect, 'type' | 'connection' | 'scopeMode'> & {
  readonly type: DataSourceView['type']
  /** Null for sources of files. */
  readonly connection: Connection | null
  readonly scopeMode: DataSourceView['scopeMode']
}

export type DataSourceChange = Omit<DataSourceRow, 'id' | 'version' | 'createdAt' | keyof Note>

/** The data sources, by name. */
export async function listDataSources(database: Database): Promise<DataSourceRow[]> {
  const rows = await database
    .select()
    .from(dataSources)
    .orderBy(sql`${dataSources.name} collate nocase`)
  return rows.map(rowOf)
}

/** A data source by its id, or by its name in any case. */
export async function findDataSource(
  database: Database,
  key: number | string,
): Promise<DataSourceRow | null> {
  const [row] = await selectDataSource(database, key)
  return row ? rowOf(row) : null
}

/** As `findDataSource`, as a statement of a commit. */
export function selectDataSource(database: Database, key: number | string) {
  const isThis =
    typeof key === 'number' ? eq(dataSources.id, key) : sql`${dataSources.name} = ${key} collate nocase`
  return database.select().from(dataSources).where(isThis)
}

/** Older connections lack fields. The order of fields stays, since entries of the audit log compare it. */
function rowOf(stored: typeof dataSources.$inferSelect): DataSourceRow {
  const row = stored as DataSourceRow
  const connection = row.connection && { ...row.connection, ...missing(row.connection) }
  return { ...row, connection }
}

function missing(connection: object): Partial<Connection> {
  const lacking = Object.entries(CONNECTION_DEFAULTS).filter(([field]) => !Object.hasOwn(connection, field))
  return Object.fromEntries(lacking)
}

/** Adds a data source. Fails, as `refuseFull` recognises, when there are `max`. */
export function insertDataSource(
  database: Database,
  row: Omit<DataSourceRow, 'id' | keyof Note> & Partial<Note>,
  max: number,
): Write {
  const createdAt = unlessFull(row.createdAt, { rows: sql`select 1 from data_sources`, max })
  return database.insert(dataSources).values({ ...row, createdAt, connection: jsonOf(row) })
}

/** A null in JSON, since the column is never empty. */
function jsonOf({ connection }: DataSourceChange): Connection | SQL {
  return connection ?? sql`'null'`
}

/** Changes a data source that is still at this version; otherwise the batch fails as `isGuarded` recognises. */
export function updateDataSource(
  database: Database,
  { id, version }: Pick<DataSourceRow, 'id' | 'version'>,
  change: DataSourceChange & Partial<Note>,
): Write {
  const next = sql`case when ${dataSources.version} = cast(${version} as integer) then ${version + 1} end`
  return database
    .update(dataSources)
    .set({ ...change, version: next, connection: jsonOf(change) })
    .where(eq(dataSources.id, id))
}

/** Takes a data source away. Unless it is forced, the batch fails as `isGuarded` recognises while a run configuration or a
 * data query names it, or a table of another data source copies one of it. */
export function deleteDataSource(
  database: Database,
  id: number,
  { isForced }: { readonly isForced: boolean },
): Write[] {
  const isFree = sql`not exists (select 1 from run_configurations where ${namesSource(id)})
    and not exists (select 1 from data_queries q where ${readsSource(id)})
    and not exists (select 1 from data_refreshes r where ${copiesSource(id)})`
  const guard = database.run(
    sql`update data_sources set version = case when ${isFree} then version end where id = ${id}`,
  )
  return [...(isForced ? [] : [guard]), database.delete(dataSources).where(eq(dataSources.id, id))]
}

/** Whether a commit failed because a data source was not as it had to be for it. */
export function isGuarded(error: unknown): boolean {
  return isNotNullViolation(error, 'data_sources.version')
}

export type Naming = {
  readonly id: number
  readonly name: string
  readonly scriptId: number
  readonly scriptName: string
}

/** The run configurations that name a data source, by script and id. */
export function listNaming(database: Database, id: number): Promise<readonly Naming[]> {
  return database.all<Naming>(sql`
    select c.id as "id", c.name as "name", s.id as "scriptId", s.name as "scriptName"
    from run_configurations c join scripts s on s.id = c.script_id where ${namesSource(id)} order by s.id, c.id`)
}

export type Reading = { readonly id: number; readonly name: string }

/** The data queries whose draft or published version reads a data source, by id. */
export function listReading(database: Database, id: number): Promise<readonly Reading[]> {
  return database.all<Reading>(
    sql`select q.id as "id", q.name as "name" from data_queries q where ${readsSource(id)} order by q.id`,
  )
}

export type Copying = { readonly id: number; readonly name: string; readonly table: string }

/** The tables of other data sources that copy tables of a data source, by data source and name. */
export function listCopying(database: Database, id: number): Promise<readonly Copying[]> {
  return database.all<Copying>(sql`
    select s.id as "id", s.name as "name", t.name as "table" from data_refreshes r
    join data_tables t on t.id = r.table_id join data_sources s on s.id = t.data_source_id
    where ${copiesSource(id)} order by s.id, t.name`)
}

/** A write that fails as `isGuarded` recognises while a data query reads a data source, or it has imported tables. */
export function guardType(database: Database, id: number): Write {
  return database.run(sql`
    update data_sources set version = null
    where id = ${id} and (exists (select 1 from data_queries q where ${readsSource(id)})
      or exists (select 1 from data_tables where data_source_id = ${id}))`)
}

function readsSource(id: number) {
  return sql`(q.data_source_id = ${id} or exists (
    select 1 from data_query_versions v
    where v.query_id = q.id and v.number = q.published and v.data_source_id = ${id}))`
}

function copiesSource(id: number) {
  return sql`r.origin ->> '$.kind' = 'foreign' and r.origin ->> '$.dataSourceId' = cast(${id} as integer)`
}

function namesSource(id: number) {
  return sql`rules ->> '$.database.dataSourceId' = cast(${id} as integer)`
}

type Catalogue = typeof dataSourceCatalogues.$inferSelect

/** The digests of the tables at the last sync; none before the first one. */
export async function readDigests(database: Database, id: number): Promise<Catalogue['digests']> {
  const isThis = eq(dataSourceCatalogues.dataSourceId, id)
  const [row] = await database.select().from(dataSourceCatalogues).where(isThis)
  return row?.digests ?? {}
}

/** The write fails, as `isForeignKeyViolation` recognises, without its data source. */
export function replaceDigests(database: Database, row: Catalogue): Write {
  const { digests, syncedAt } = row
  return database
    .insert(dataSourceCatalogues)
    .values(row)
    .onConflictDoUpdate({ target: dataSourceCatalogues.dataSourceId, set: { digests, syncedAt } })
}

export type NoteRow = typeof dataSourceNotes.$inferSelect

/** A column of a data source, its table where the column is empty, or the data source where both are. */
export type Place = Pick<NoteRow, 'dataSourceId' | 'tableName' | 'columnName'>

export type Note = Pick<NoteRow, 'comment' | 'annotations'>

/** The notes on tables and columns of a data source, by name. */
export function listNotes(database: Database, id: number): Promise<NoteRow[]> {
  return database
    .select()
    .from(dataSourceNotes)
    .where(eq(dataSourceNotes.dataSourceId, id))
    .orderBy(asc(dataSourceNotes.tableName), asc(dataSourceNotes.columnName))
}

/** The note on a table or column. */
export async function findNote(database: Database, place: Place): Promise<Note | null> {
  const [row] = await database.select().from(dataSourceNotes).where(isAt(place))
  return row ?? null
}

/** The change of a note: another comment, or other annotations in place of those that were read. */
export type NoteChange =
  | { readonly comment: string | null }
  | { readonly annotations: Readonly<Record<'before' | 'after', Note['annotations']>> }

/** Changes a note. The batch fails
 * - as `isForeignKeyViolation` recognises, for a table or column without its data source
 * - as `isOtherNote` recognises, when the annotations are not those that were read
 * - as `refuseFull` recognises, for a new note when the data source has `max` */
export function changeNote(
  database: Database,
  place: Place,
  { change, at, max }: { readonly change: NoteChange; readonly at: number; readonly max: number },
): Write[] {
  const { dataSourceId, tableName } = place
  if (tableName === '') {
    const set = {
      ...columnsOf(change, sql`${dataSources.annotations}`),
      version: sql`${dataSources.version} + 1`,
    }
    return [database.update(dataSources).set(set).where(eq(dataSources.id, dataSourceId))]
  }
  const present = sql`(select annotations from data_source_notes where ${isAt(place)})`
  const rows = sql`select 1 from data_source_notes where ${eq(dataSourceNotes.dataSourceId, dataSourceId)}`
  const set = columnsOf(change, sql`coalesce(${present}, '{}')`)
  const isRemoval =
    'comment' in change ? change.comment === null : Object.keys(change.annotations.after).length === 0
  const createdAt = unlessFull(at, { rows, isThere: sql`${present} is not null`, max })
  const { columnName, comment, annotations } = dataSourceNotes
  return [
    database
      .insert(dataSourceNotes)
      .values({ ...place, comment: null, annotations: {}, createdAt: isRemoval ? at : createdAt, ...set })
      .onConflictDoUpdate({
        target: [dataSourceNotes.dataSourceId, dataSourceNotes.tableName, columnName],
        set,
      }),
    database.delete(dataSourceNotes).where(and(isAt(place), isNull(comment), eq(annotations, {}))),
  ]
}

function isAt({ dataSourceId, tableName, columnName }: Place): SQL | undefined {
  return and(
    eq(dataSourceNotes.dataSourceId, dataSourceId),
    eq(dataSourceNotes.tableName, tableName),
    eq(dataSourceNotes.columnName, columnName),
  )
}

function columnsOf(change: NoteChange, present: SQL) {
  if ('comment' in change) return change
  const { before, after } = change.annotations
  const annotations = sql`case when ${present} = ${JSON.stringify(before)} then ${JSON.stringify(after)} end`
  return { annotations }
}

/** The id of the data source with this name, within a commit. */
export function sourceNamed(name: string): SQL {
  return sql`(select id from data_sources where name = ${name} collate nocase)`
}

/** Replaces all notes on tables and columns of a data source. */
export function replaceNotes(
  database: Database,
  source: IdExpression,
  {
    notes,
    at,
  }: { readonly notes: readonly Omit<NoteRow, 'dataSourceId' | 'createdAt'>[]; readonly at: number },
): Write[] {
  const rows = notes.map(({ annotations, ...note }) => ({
    ...note,
    annotations: JSON.stringify(annotations),
  }))
  return [
    database.run(sql`delete from data_source_notes where data_source_id = ${source}`),
    ...partsOf(rows).map((part) =>
      database.run(sql`
        insert into data_source_notes (data_source_id, table_name, column_name, comment, annotations, created_at)
        select ${source}, value ->> 'tableName', value ->> 'columnName', value ->> 'comment', value ->> 'annotations', ${at}
        from ${eachOf(part)}`),
    ),
  ]
}

/** Whether a commit failed because annotations had changed since they were read. */
export function isOtherNote(error: unknown): boolean {
  return (
    isNotNullViolation(error, 'data_source_notes.annotations') ||
    isNotNullViolation(error, 'data_sources.annotations')
  )
}
