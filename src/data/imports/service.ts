import type { Context } from '../../context.ts'
import type {
  CsvFormat,
  FileColumn,
  FileContents,
  FileFormat,
  PlannedColumn,
} from '../../domain/import-plan.ts'
import type { Column } from '../../domain/table.ts'
import { invalidAt, Refusal } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import type { Work } from '../../operations/work/service.ts'
import type { Ports } from '../../ports/index.ts'
import { FILE_MISSING } from '../../ports/tables.ts'
import type { Generation } from '../../ports/tables.ts'
import { areScopesChanged, holdScopes, requireScopesFitting } from '../scopes/service.ts'
import type { ColumnsChange } from '../scopes/service.ts'
import { requireFileSource } from '../sources/service.ts'
import {
  abandonGeneration,
  beginGeneration,
  nameTaken,
  openTable,
  publishTable,
  requireEditable,
} from '../tables/service.ts'
import type { OpenTable } from '../tables/service.ts'
import { dropUploads, requireUpload, saveUpload } from '../uploads/service.ts'
import type { UploadRow } from '../uploads/service.ts'
import { joined } from '../../lib/chunks.ts'
import type { Chunks } from '../../lib/chunks.ts'
import { delimiterOf } from './delimiter.ts'
import { unreadable } from './failure.ts'
import { requireKind } from './kinds.ts'
import type { ImportBody, ImportView, PreviewBody, PreviewView, UploadView } from './schema.ts'

/** Bytes in which the kind and the delimiter are found. */
const HEAD_BYTES = 64 * 1024
/** The share of the work after which all types are known. */
const INSPECTED = 0.4

/** Stores a file to be imported into a data source. @throws {Refusal} not_found, conflict, and as `saveUpload` */
export async function uploadFile(context: Context, id: number, chunks: Chunks): Promise<UploadView> {
  const { ports } = context
  await requireFileSource(ports, id)
  const { id: upload, sizeBytes, expiresAt } = await saveUpload(context, id, chunks)
  return { id: upload, sizeBytes, expiresAt: timeFormat(ports.settings.timeZone)(expiresAt) }
}

/** The columns and types of a whole file. @throws {Refusal} not_found, import_failed */
export async function previewImport(
  { ports }: Context,
  { id, upload }: { readonly id: number; readonly upload: string },
  { body, work }: { readonly body: PreviewBody; readonly work: Work },
): Promise<PreviewView> {
  await requireFileSource(ports, id)
  const { blob } = await requireFile(ports, id, upload)
  work.begin()
  const { file, contents } = await inspectBlob(ports, blob, body, {
    signal: work.signal,
    progress: (share) => work.progress(share),
  })
  return {
    delimiter: file.kind === 'csv' ? file.delimiter : null,
    sheets: [...contents.sheets],
    sheet: contents.sheet,
    records: contents.records,
    columns: contents.columns.map((column) => ({
      source: column.name,
      name: column.name,
      type: typeOf(column),
      nullable: column.hasNulls,
      warnings: [...column.warnings],
    })),
    sample: contents.sample.map((record) => [...record]),
    faults: [...contents.faults],
  }
}

/** Makes a table of an uploaded file, replaces one, or adds rows to one. Readers see the rows of before or all of the new ones.
 * @throws {Refusal} not_found, name_taken, import_failed, invalid for columns that the file or the table has not, conflict
 * when the table has changed meanwhile */
export async function importFile(
  context: Context,
  id: number,
  { body, work }: { readonly body: ImportBody; readonly work: Work },
): Promise<{ readonly result: ImportView; readonly isNew: boolean }> {
  const { ports } = context
  await requireFileSource(ports, id)
  const upload = await requireFile(ports, id, body.upload)
  const before = await openTable(ports, id, body.table)
  if (before && body.mode === 'create') throw nameTaken(before.name)
  if (before) requireEditable(before)
  const extended = isAdding(body) ? requireExtended(before, body) : null
  work.begin()
  const { file, contents } = await inspectBlob(ports, upload.blob, body, {
    signal: work.signal,
    progress: (share) => work.progress(share * INSPECTED),
  })
  const planned = plannedOf(contents, body.columns)
  const columns = extended ? fittedTo(extended, planned, body) : planned
  const change = changeOf(before, body, columns)
  await requireFits(ports, id, change)
  const plan = {
    file,
    values: body.values,
    columns,
    onError: body.onError,
    faultsMax: body.maxErrors,
    plain: contents.plain,
  }
  const generation = await beginGeneration(ports, id)
  // The generation of an extended table; the sweep deletes the one of the file in an hour.
  const to = extended ? await beginGeneration(ports, id) : generation
  try {
    const order = { to: generation, blob: upload.blob, plan }
    const { rows, skipped, faults } = await ports.tables.load(order, work.signal, (share) =>
      work.progress(INSPECTED + share * (1 - INSPECTED)),
    )
    work.signal.throwIfAborted()
    const loaded = { columns: columns.map(({ name, type }) => ({ name, type })), rows, generation }
    const made = extended
      ? await extend(context, { extended, loaded, to, key: keyOf(body) })
      : { ...loaded, replaced: 0 }
    const { replaced, ...stored } = made
    const named = { ...stored, name: before?.name ?? body.table }
    await publish(context, { contents: named, before, upload, change })
    const result = { table: body.table, rows: made.rows, replaced, skipped, faults: [...faults] }
    return { result, isNew: before === null }
  } catch (error) {
    for (const one of new Set([generation, to])) await abandonGeneration(ports, one)
    throw error
  }
}

/** The change of the columns; null where they stay. */
function changeOf(
  before: OpenTable | null,
  body: ImportBody,
  after: readonly Column[],
): ColumnsChange | null {
  if (isAdding(body)) return null
  const { table } = body
  return before ? { table: before.name, before: before.columns, after } : { table, before: null, after }
}

/** @throws {Refusal} as `requireScopesFitting` */
async function requireFits(ports: Ports, id: number, change: ColumnsChange | null): Promise<void> {
  if (change) await requireScopesFitting(ports, id, change)
}

/** Publishes a table, and with it that the scopes of now fit its columns.
 * @throws {Refusal} as `publishTable` and `requireScopesFitting` */
async function publish(
  context: Context,
  {
    contents,
    before,
    upload,
    change,
  }: {
    readonly contents: Parameters<typeof publishTable>[1]
    readonly before: OpenTable | null
    readonly upload: UploadRow
    /** Null where the columns stay. */
    readonly change: ColumnsChange | null
  },
): Promise<void> {
  const { ports } = context
  const { sourceId } = contents.generation
  const held = change ? await holdScopes(ports, sourceId) : []
  await requireFits(ports, sourceId, change)
  try {
    await publishTable(context, contents, { before, others: [...dropUploads(ports, [upload]), ...held] })
  } catch (error) {
    if (!areScopesChanged(error)) throw error
    throw new Refusal('conflict', 'The scopes were changed during the import. Import the file again.')
  }
}

/** The signal and the reports of work on a file. */
export type Course = { readonly signal: AbortSignal; readonly progress: (share: number) => void }

/** The format of a stored file, and its contents. @throws {Refusal} not_found, import_failed */
export async function inspectBlob(
  ports: Ports,
  blob: string,
  { file: asked, values }: PreviewBody,
  { signal, progress }: Course,
): Promise<{ readonly file: FileFormat; readonly contents: FileContents }> {
  const file = await formatOf(ports, blob, asked)
  return { file, contents: await ports.tables.inspect(blob, file, values, signal, progress) }
}

const isAdding = ({ mode }: ImportBody) => mode === 'append' || mode === 'upsert'
const keyOf = ({ mode, key }: ImportBody) => (mode === 'upsert' ? key : null)

/** @throws {Refusal} not_found, invalid */
function requireExtended(table: OpenTable | null, body: ImportBody): OpenTable {
  if (!table)
    throw new Refusal('not_found', `There is no table ${body.table}. Import the file with the mode create.`)
  const names = new Set(table.columns.map(({ name }) => name))
  if (body.mode === 'upsert' && body.key.length === 0) throw invalidAt('/key', 'must have a column')
  for (const [at, column] of body.key.entries())
    if (!names.has(column)) throw invalidAt(`/key/${at}`, 'is not a column of the table')
  return table
}

/** The columns of the file with the types of the table, where whole numbers become fractions if the file has some.
 * @throws {Refusal} invalid for columns that the table has not, and for an upsert without all of its columns */
function fittedTo(
  { columns }: OpenTable,
  planned: readonly PlannedColumn[],
  { mode }: ImportBody,
): PlannedColumn[] {
  const fitted = planned.map((column) => {
    const own = columns.find(({ name }) => name === column.name)
    if (!own) throw invalidAt('/columns', `${column.name} is not a column of the table`)
    return { ...column, type: own.type === 'integer' && column.type === 'number' ? 'number' : own.type }
  })
  const missing = columns.find(({ name }) => fitted.every((column) => column.name !== name))
  if (mode === 'upsert' && missing)
    throw invalidAt('/columns', `must have ${missing.name}: an upsert replaces whole rows`)
  return fitted
}

type Loaded = Pick<OpenTable, 'columns' | 'rows' | 'generation'>

/** Fills a generation with the rows of a table and of a file. @throws {Refusal} import_failed for keys of the file */
async function extend(
  { ports }: Context,
  {
    extended,
    loaded,
    to,
    key,
  }: {
    readonly extended: OpenTable
    readonly loaded: Loaded
    readonly to: Generation
    readonly key: readonly string[] | null
  },
): Promise<Loaded & { readonly replaced: number }> {
  const inFile = new Map(loaded.columns.map((column) => [column.name, column]))
  const columns = extended.columns.map(({ name, type }) => ({ name, type: inFile.get(name)?.type ?? type }))
  const parts = [
    { of: extended.generation, from: extended.columns },
    { of: loaded.generation, from: columns.map(({ name }) => inFile.get(name) ?? null) },
  ]
  const outcome = await ports.tables.reshape({ parts, to, columns, timeZone: ports.settings.timeZone, key })
  if ('rows' in outcome) return { columns, generation: to, ...outcome }
  const detail =
    'fault' in outcome
      ? `The file has a key (${outcome.key.join(', ')}) that is ${outcome.fault === 'null' ? 'null' : 'there twice'}. Nothing was imported.`
      : `The column ${outcome.column} has the value ${outcome.value}, which is not of its new type.`
  throw unreadable(detail, 'fault' in outcome ? '/key' : '/columns')
}

/** @throws {Refusal} not_found, import_failed for an empty file */
async function requireFile(ports: Ports, id: number, key: string): Promise<UploadRow> {
  const upload = await requireUpload(ports, id, key)
  if (upload.sizeBytes === 0) throw unreadable('The file is empty.')
  return upload
}

/** @throws {Refusal} import_failed for a file that is not of its kind */
async function formatOf(ports: Ports, blob: string, file: PreviewBody['file']): Promise<FileFormat> {
  const head = await headOf(ports, blob)
  const format = 'delimiter' in file ? csvFormatOf(head, file) : file
  await requireKind(head, format)
  return format
}

function csvFormatOf(head: Uint8Array, file: Extract<PreviewBody['file'], { delimiter: string }>): CsvFormat {
  const { delimiter, encoding, quote } = file
  const text = () => new TextDecoder(encoding === 'latin-1' ? 'latin1' : encoding).decode(head)
  return { ...file, kind: 'csv', delimiter: delimiter === 'auto' ? delimiterOf(text(), quote) : delimiter }
}

async function headOf({ blobs }: Ports, blob: string): Promise<Uint8Array> {
  const stored = await blobs.get(blob)
  if (!stored) throw new Refusal('not_found', FILE_MISSING)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stored.body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes >= HEAD_BYTES) break
  }
  return joined(chunks, bytes)
}

/** @throws {Refusal} invalid for columns that the file has not, and for two of one name */
function plannedOf({ columns }: FileContents, wanted: ImportBody['columns']): PlannedColumn[] {
  if (columns.length === 0) throw unreadable('The file has no columns: all of it is blank or was skipped.')
  if (wanted === null) return columns.map((column) => ({ ...column, type: typeOf(column) }))
  const taken = new Set<string>()
  return wanted.map(({ source, name = source, type }, index) => {
    const found = columns.find((column) => column.name === source)
    if (!found) throw invalidAt(`/columns/${index}/source`, 'is not a column of the file')
    if (taken.has(name.toLowerCase())) throw invalidAt(`/columns/${index}/name`, 'is already used')
    taken.add(name.toLowerCase())
    return { name, type: type ?? typeOf(found), source: found.source }
  })
}

/** A column of texts becomes `binary` only by the plan of the import. */
function typeOf({ type }: FileColumn): Exclude<FileColumn['type'], 'binary'> {
  return type === 'binary' ? 'string' : type
}
