import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { patched } from '../../../http/merge-patch.ts'
import { invalidAt, Refusal, refusalIn } from '../../../lib/errors.ts'
import { retryOnConflict } from '../../../lib/retry.ts'
import { commit, isForeignKeyViolation, refuseFull } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Bind } from '../../../ports/databases.ts'
import type { Ports } from '../../../ports/index.ts'
import { cleanUp } from '../../../ports/log.ts'
import { ANNOTATIONS_UNSET, annotationsBody, NOTES_MAX } from '../notes.ts'
import type { CommentBody, NoteView } from '../notes.ts'
import { requireSource } from '../service.ts'
import * as store from '../store.ts'
import type { DataSourceRow, Note, NoteChange } from '../store.ts'
import { forgetSchemas, readSchema, targetOfSource } from './connect.ts'

const recorded = recorder('dataSource')

const WRITE_LIMITS = { timeoutMs: 15_000, rowsMax: 1, bytesMax: 100_000 }
const NO_NOTE: Note = { comment: null, annotations: {} }

/** A data source, or a table or column of it. */
export type NotePlace = {
  readonly id: number
  readonly table?: string | undefined
  readonly column?: string | undefined
}

/** Sets the comment on a data source, a table or a column.
 * @throws {Refusal} not_found, invalid or conflict for a data source that takes no comments, conflict when it has too many
 * notes, and the refusals of the port `databases` */
export async function writeComment(
  context: Context,
  place: NotePlace,
  { comment, target }: CommentBody,
): Promise<NoteView> {
  const { ports } = context
  const row = await requireSource(ports, place.id)
  if (target === 'source') requireWritable(row)
  const found = await findPlace(ports, row, place, { isRemoval: target === 'overlay' && comment === null })
  const { note, ofDatabase } = found
  const told = {
    objectId: place.id,
    before: { comment: note.comment ?? ofDatabase },
    after: { comment, target, table: place.table, column: place.column },
  }
  const entry = recorded(context, 'annotate', told)
  if (target === 'overlay') {
    await keep(context, { place, change: { comment }, entries: [entry] })
    return { comment: comment ?? ofDatabase, annotations: note.annotations }
  }
  // Once the database has the comment, no failure can undo it: the entry is there before.
  await commit(ports.database, [entry])
  try {
    await commentDatabase(ports, row, { place, comment })
  } catch (error) {
    const failed = refusalIn(error)?.code ?? 'internal'
    await cleanUp(ports.log, 'data: adding a failed comment to the audit log failed', () =>
      commit(ports.database, [
        recorded(context, 'annotate', { ...told, before: null, after: { ...told.after, failed } }),
      ]),
    )
    throw error
  }
  // Listings of data sources connect to no database. Elsewhere the comment of the database shows by itself.
  const kept = place.table === undefined ? comment : null
  await keep(context, { place, change: { comment: kept }, entries: [] })
  return { comment, annotations: note.annotations }
}

/** Changes annotations on a data source, a table or a column by a merge patch.
 * @throws {Refusal} not_found, invalid, conflict when the data source has too many notes, and the refusals of the port
 * `databases` */
export function patchAnnotations(
  context: Context,
  place: NotePlace,
  patch: Readonly<Record<string, unknown>>,
): Promise<NoteView> {
  const { ports } = context
  const isRemoval = Object.values(patch).every((value) => value === null)
  return retryOnConflict(store.isOtherNote, async () => {
    const row = await requireSource(ports, place.id)
    const { note, ofDatabase } = await findPlace(ports, row, place, { isRemoval })
    const before = note.annotations
    const after = patched(annotationsBody, { shown: before, patch, unset: ANNOTATIONS_UNSET })
    const entry = recorded(context, 'annotate', {
      objectId: place.id,
      before: { annotations: before },
      after: { annotations: after, table: place.table, column: place.column },
    })
    await keep(context, { place, change: { annotations: { before, after } }, entries: [entry] })
    return { comment: note.comment ?? ofDatabase, annotations: after }
  })
}

async function keep(
  { ports }: Context,
  {
    place: { id, table, column },
    change,
    entries,
  }: { readonly place: NotePlace; readonly change: NoteChange; readonly entries: readonly Write[] },
): Promise<void> {
  const { database, clock } = ports
  const keys = { dataSourceId: id, tableName: table ?? '', columnName: column ?? '' }
  const writes = store.changeNote(database, keys, { change, at: clock.now(), max: NOTES_MAX })
  const full = `A data source has comments and annotations on at most ${NOTES_MAX} tables and columns. Remove some first.`
  try {
    await refuseFull('data_source_notes', full, () => commit(database, [...writes, ...entries]))
  } catch (error) {
    // Another caller has deleted the data source.
    if (isForeignKeyViolation(error)) await requireSource(ports, id)
    throw error
  }
}

type Found = {
  readonly note: Note
  /** The comment in the database, which a note replaces. */
  readonly ofDatabase: string | null
}

/** @throws {Refusal} not_found for a table or column that is not in the schema, unless its note is to be removed */
async function findPlace(
  ports: Ports,
  row: DataSourceRow,
  { id, table, column }: NotePlace,
  { isRemoval }: { readonly isRemoval: boolean },
): Promise<Found> {
  if (table === undefined) return { note: row, ofDatabase: null }
  const ofTable = (await readSchema(ports, id)).filter((one) => one.table === table)
  const found = column === undefined ? ofTable[0] : ofTable.find(({ name }) => name === column)
  const keys = { dataSourceId: id, tableName: table, columnName: column ?? '' }
  const note = await store.findNote(ports.database, keys)
  if (!found && !(isRemoval && note)) throw notThere({ table, column })
  const ofDatabase = (column === undefined ? found?.tableComment : found?.comment) ?? null
  return { note: note ?? NO_NOTE, ofDatabase }
}

function notThere({ column }: Omit<NotePlace, 'id'>): Refusal {
  return new Refusal(
    'not_found',
    column === undefined
      ? 'The data source has no such table.'
      : 'The data source has no such table or column.',
  )
}

/** @throws {Refusal} invalid, conflict */
function requireWritable({ type, name, isReadOnly }: DataSourceRow): void {
  if (type !== 'postgresql')
    throw invalidAt('/target', 'must be overlay: only databases of the type postgresql take comments')
  if (isReadOnly) throw new Refusal('conflict', `The data source ${name} is read-only.`)
}

/** Sets a comment in PostgreSQL. `COMMENT ON` has no placeholders, so the server itself quotes names and text.
 * @throws {Refusal} not_found for a table or column that is gone, and the refusals of the port `databases` */
async function commentDatabase(
  ports: Ports,
  row: DataSourceRow,
  { place, comment }: { readonly place: NotePlace; readonly comment: string | null },
): Promise<void> {
  const { databases } = ports
  const target = await targetOfSource(ports, row)
  const signal = AbortSignal.timeout(WRITE_LIMITS.timeoutMs)
  const names = [place.table, place.column].filter((name) => name !== undefined)
  const statement = {
    text: statementOn(place),
    binds: [comment, ...names].map((value): Bind => ({ type: 'string', value })),
  }
  const asked = { statement, access: 'read', session: {} } as const
  const { rows } = await databases.query(target, asked, WRITE_LIMITS, signal)
  const [[text] = []] = (await Array.fromAsync(rows)).flat()
  forgetSchemas(ports)
  if (typeof text !== 'string') throw notThere(place)
  await databases.write(target, [{ text, binds: [] }], WRITE_LIMITS, signal)
  forgetSchemas(ports)
}

function statementOn({ table, column }: NotePlace): string {
  if (table === undefined) return ON_DATABASE
  return column === undefined ? ON_TABLE : ON_COLUMN
}

const ON_DATABASE = `select format('comment on database %I is %L', current_database(), $1::text)`

const RELATION = `pg_class c where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
  and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')`

const ON_TABLE = `
  select format('comment on %s %I.%I is %L', case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
    when 'f' then 'foreign table' else 'table' end, current_schema(), c.relname, $1::text)
  from ${RELATION}`

const ON_COLUMN = `
  select format('comment on column %I.%I.%I is %L', current_schema(), a.relname, a.attname, $1::text)
  from (select t.attname, c.relname from pg_attribute t, ${RELATION}
    and t.attrelid = c.oid and t.attname = $3 and t.attnum > 0 and not t.attisdropped) a`
