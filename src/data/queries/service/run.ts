import type { Context } from '../../../context.ts'
import type { Cell, Row } from '../../../domain/table.ts'
import { durationText } from '../../../lib/duration.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { ResultColumn, RowStream } from '../../../ports/databases.ts'
import type { Asking } from '../../selection/service/waited.ts'
import { ageOf } from '../../sources/refresh-view.ts'
import { requireSource } from '../../sources/service.ts'
import { WRITERS } from '../../sql/dialects/writers.ts'
import { boundOf, joined, name, raw, sql } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'
import { valuesOf } from '../parameters.ts'
import { findReadable, listReadable } from '../results/service.ts'
import type { StoredResult } from '../results/service.ts'
import type { Definition, ParameterValue, PreviewBody, ResultView, RunBody } from '../schema.ts'
import { refusalOf } from '../statement.ts'
import * as store from '../store.ts'
import { readAllowed } from './allowed.ts'
import { examine, written } from './composition.ts'
import type { Composed } from './composition.ts'
import { openSource, storedRows } from './readable-source.ts'
import type { ReadableSource } from './readable-source.ts'

/** A parameter has one of so many values. */
const CHOICES_MAX = 10_000
const RESULT_MAX_BYTES = 32 * 1024 * 1024
/** Rows come in batches of fewer than these: a batch that passes the limit is cut and not refused. */
const BATCH_ROWS_MAX = 10_000

type Values = Readonly<Record<string, ParameterValue | null>>

/** Runs a data query.
 * @throws {Refusal} not_found, conflict for one that was never published, and as `previewQuery` */
export async function runQuery(
  context: Context,
  { id, body }: { readonly id: number; readonly body: RunBody },
  asking: Asking,
): Promise<ResultView> {
  const { parameters: values, limit, version } = body
  const definition = await definitionOf(context, id, version)
  const given = { values, limit, pointer: '/parameters', asking }
  const stored = await preparedResult(context, definition, values)
  return stored ? execute(context, shortened(stored, limit + 1), given) : run(context, definition, given)
}

async function definitionOf(
  { ports: { database } }: Context,
  id: number,
  version: RunBody['version'],
): Promise<Composed & { readonly queryId?: number; readonly number?: number }> {
  const row = await store.findQuery(database, id)
  if (!row) throw new Refusal('not_found', 'There is no such data query.')
  if (version === 'draft') return row
  const published = await store.findVersion(database, id, row.published)
  if (!published)
    throw new Refusal('conflict', 'The data query is not published. Publish it, or run its draft.')
  return { ...published, name: row.name }
}

/** Runs a data query that is not stored.
 * @throws {Refusal} invalid for values, a template or a statement with faults, forbidden where scopes restrict the caller in a
 * database, not_found for the data source, and the refusals of the ports `databases` and `tables` */
export function previewQuery(context: Context, body: PreviewBody, asking: Asking): Promise<ResultView> {
  const { values, limit, ...definition } = body
  const query = { ...definition, name: null, materialization: null }
  return run(context, query, { values, limit, pointer: '/values', asking })
}

type Given = {
  readonly values: Values
  /** Where the values are in the request. */
  readonly pointer: string
  readonly asking: Asking
  /** Whether the run reads values of a parameter. */
  readonly isOfValues?: boolean
}

type Text = Omit<Definition, 'materialization'>

/** A statement, the source that it reads, and the stored results that it may read. */
type Readable = {
  readonly source: Pick<ReadableSource, 'dialect' | 'query'>
  readonly statement: Fragment
  readonly results: readonly StoredResult[]
}
type Prepared = Readable & {
  readonly source: ReadableSource
  /** The statement as the template wrote it; `statement` is it within the scopes of the caller. */
  readonly own: Fragment
}

/** The statement that reads the stored result of a published version; null where its caller may not read it, where it is not
 * there, and for other values than the defaults. */
async function preparedResult(
  context: Context,
  { dataSourceId, queryId, number }: Awaited<ReturnType<typeof definitionOf>>,
  values: Values,
): Promise<Readable | null> {
  if (queryId === undefined || number === undefined) return null
  if (Object.values(values).some((value) => value !== null)) return null
  const source = await requireSource(context.ports, dataSourceId)
  const stored = await findReadable(context, source, { queryId, number })
  if (!stored) return null
  const names = stored.columns.map((column) => name(column.name))
  const statement = sql`SELECT ${joined(names, ', ')} FROM ${name(stored.name)}`
  return { source: storedRows(context, stored), statement, results: [stored] }
}

function shortened(prepared: Readable, limit: number): Readable {
  return { ...prepared, statement: sql`${prepared.statement} LIMIT ${raw(String(limit))}` }
}

/** The statement of a data query with these values, and the data source that it reads.
 * @throws {Refusal} as `previewQuery` */
async function prepare(
  context: Context,
  query: Composed,
  { values, pointer, asking, isOfValues = false }: Given,
): Promise<Prepared> {
  const row = await requireSource(context.ports, query.dataSourceId)
  const source = await openSource(context, row)
  const examined = await examine(context.ports, query)
  if ('errors' in examined) throw refusalOf(examined.errors)
  const read = isOfValues ? null : (id: number) => valuesOfQuery(context, id, asking)
  const allowed = await readAllowed(context, query, { library: examined.reached, read })
  const given = valuesOf(query.parameters, values, { pointer, allowed })
  const results = source.withResults
    ? await listReadable(context, row, [...examined.reached.keys()])
    : new Map<string, StoredResult>()
  const { dialect, scopes } = source
  const relations = scopes && scopes.relations
  const made = await written(context, examined, { dialect, relations, values: given, allowed, results })
  if ('errors' in made) throw refusalOf(made.errors)
  const [own, named] = [made.statement, [...results.values()]]
  const statement = scopes ? scopes.scoped(own) : own
  return { source: source.withResults?.(named) ?? source, own, statement, results: named }
}

/** A version of a data query with these values.
 * @throws {Refusal} not_found, conflict for one that was never published, and as `previewQuery` */
export async function prepareStored(
  context: Context,
  { id, version = 'published' }: { readonly id: number; readonly version?: RunBody['version'] },
  given: Given,
) {
  return prepare(context, await definitionOf(context, id, version), given)
}

/** A data query that is not stored, with these values. @throws {Refusal} as `previewQuery` */
export function prepareText(context: Context, definition: Text, given: Given) {
  return prepare(context, { ...definition, name: null, materialization: null }, given)
}

/** The published version of a data query with these values, or its stored result.
 * @throws {Refusal} as `prepareStored` */
export async function preparePublished(context: Context, id: number, given: Given): Promise<Readable> {
  const definition = await definitionOf(context, id, 'published')
  const stored = await preparedResult(context, definition, given.values)
  return stored ?? prepare(context, definition, given)
}

async function run(
  context: Context,
  query: Composed,
  { limit, ...given }: Given & { readonly limit: number },
): Promise<ResultView> {
  return execute(context, await prepare(context, query, given), { limit, asking: given.asking })
}

async function execute(
  { ports: { clock, settings } }: Context,
  { source, statement, results }: Readable,
  { limit, asking }: { readonly limit: number; readonly asking: Asking },
): Promise<ResultView> {
  const beganAt = clock.now()
  const options = {
    rowsMax: limit + BATCH_ROWS_MAX,
    bytesMax: RESULT_MAX_BYTES,
    onBackend: asking.onBackend,
  }
  const bound = boundOf(statement, WRITERS[source.dialect])
  const stream = await source.query(bound, options, asking.signal)
  const { rows, truncated } = await firstRows(stream, limit)
  const now = clock.now()
  const durationMs = now - beganAt
  const read = results.filter((stored) => bound.text.includes(stored.name))
  const refreshedAt = read.length === 0 ? null : Math.min(...read.map((stored) => stored.refreshedAt))
  return {
    columns: stream.columns.map(({ isExact, ...column }) => ({ ...column, exact: isExact })),
    rows: rows.map((row) => row.map((cell, at) => cellOf(cell, stream.columns[at]))),
    rowCount: rows.length,
    truncated,
    durationMs,
    duration: durationText(durationMs),
    refreshedAt: refreshedAt === null ? null : timeFormat(settings.timeZone)(refreshedAt),
    age: refreshedAt === null ? null : ageOf(now - refreshedAt),
  }
}

/** The values in the first column of a data query, as its caller sees them. */
async function valuesOfQuery(context: Context, id: number, asking: Asking): Promise<ReadonlySet<string>> {
  const query = await definitionOf(context, id, 'published')
  const reading = { values: {}, limit: CHOICES_MAX, pointer: '/parameters', asking, isOfValues: true }
  const { rows } = await run(context, query, reading)
  return new Set(rows.flatMap(([first]) => (first === null || first === undefined ? [] : [String(first)])))
}

/** Some dialects have no type for truth values. */
function cellOf(cell: Cell, column: ResultColumn | undefined): Cell {
  return column?.type === 'boolean' && cell !== null ? Boolean(Number(cell)) : cell
}

/** The first rows of a result, after which its statement ends. */
async function firstRows(
  { rows: stream }: RowStream,
  limit: number,
): Promise<{ readonly rows: readonly Row[]; readonly truncated: boolean }> {
  const rows: Row[] = []
  const reader = stream.getReader()
  for (let batch = await reader.read(); !batch.done; batch = await reader.read()) {
    for (const row of batch.value) rows.push(row)
    if (rows.length <= limit) continue
    await reader.cancel()
    return { rows: rows.slice(0, limit), truncated: true }
  }
  return { rows, truncated: false }
}
