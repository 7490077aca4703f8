import type { Context } from '../../../context.ts'
import type { Cell } from '../../../domain/table.ts'
import { durationText } from '../../../lib/duration.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { instantReader } from '../../selection/cells.ts'
import type { Asking } from '../../selection/service/waited.ts'
import { ageOf } from '../../sources/refresh-view.ts'
import { requireSource } from '../../sources/service.ts'
import { joined, name, raw, sql } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'
import { checkDefaults, valuesOf } from '../parameters.ts'
import { refuseLegacyRun, refuseLegacyText } from '../legacy.ts'
import { findReadable, listReadable } from '../results/service.ts'
import type { StoredResult } from '../results/service.ts'
import type { CheckedAssertions } from '../assertion-schema.ts'
import { failuresOf } from '../assertions.ts'
import type { PreviewBody, ResultView, RunBody } from '../run-schema.ts'
import type { Definition, ParameterValue } from '../schema.ts'
import { refusalOf } from '../statement.ts'
import * as store from '../store.ts'
import { readAllowed } from './allowed.ts'
import { examine, written } from './composition.ts'
import type { Composed } from './composition.ts'
import { openSource, storedRows } from './readable-source.ts'
import type { ReadableSource } from './readable-source.ts'
import { sharedRead } from './shared-read.ts'
import type { Read, Readable, Sharing } from './shared-read.ts'

/** A parameter has one of so many values. */
const CHOICES_MAX = 10_000

type Values = Readonly<Record<string, ParameterValue | null>>

/** Runs a data query.
 * @throws {Refusal} not_found, conflict for one that was never published, and as `previewQuery` */
export async function runQuery(
  context: Context,
  { id, body }: { readonly id: number; readonly body: RunBody },
  asking: Asking,
): Promise<ResultView> {
  const { parameters: values, limit, version, maxAge: ageMaxMs, check } = body
  const { of, ...definition } = await definitionOf(context, id, version)
  const given = { values, limit, pointer: '/parameters', asking, sharing: { of, ageMaxMs } }
  const stored = await preparedResult(context, definition, values)
  const readable = stored ?? (await prepare(context, definition, given))
  const result = await execute(context, stored ? shortened(stored, limit + 1) : readable, given)
  return check
    ? { ...result, assertions: await checked(context, readable, { ...given, definition }) }
    : result
}

/** The assertions of a data query, each checked by a statement of its own. */
async function checked(
  context: Context,
  readable: Readable,
  {
    definition: { assertions },
    asking,
    sharing,
  }: { readonly definition: Composed; readonly asking: Asking; readonly sharing: Sharing },
): Promise<CheckedAssertions> {
  const from = sql`(${readable.statement}) AS ${name('q')}`
  return Array.fromAsync(assertions, async (assertion) => {
    const counting = { ...readable, statement: failuresOf(assertion, from) }
    const { rows } = await sharedRead(context, counting, { limit: 1, asking, sharing })
    return { kind: assertion.kind, columns: assertion.columns, failures: Number(rows[0]?.[0] ?? 0) }
  })
}

/** A version of a data query. @throws {Refusal} not_found, conflict for one that was never published */
export async function definitionOf(
  { ports: { database } }: Context,
  id: number,
  version: RunBody['version'],
): Promise<VersionOfQuery> {
  const row = await store.findQuery(database, id)
  if (!row) throw noSuch('data query')
  if (version === 'draft') return { ...row, of: `${id} draft ${row.version}` }
  const published = await store.findVersion(database, id, row.published)
  if (!published)
    throw new Refusal('conflict', 'The data query is not published. Publish it, or run its draft.')
  return { ...published, name: row.name, of: `${id} version ${row.published}` }
}

type VersionOfQuery = Composed & {
  /** Absent for a draft, as `number` is. */
  readonly queryId?: number
  readonly number?: number
  /** Names the data query and its version. */
  readonly of: string
}

/** Runs a data query that is not stored.
 * @throws {Refusal} invalid for values, a template or a statement with faults, forbidden where scopes restrict the caller in a
 * database and for values that become SQL unless the caller is an administrator, not_found for the data source, and the refusals of
 * the ports `databases` and `tables` */
export async function previewQuery(context: Context, body: PreviewBody, asking: Asking): Promise<ResultView> {
  const { values, limit, ...text } = body
  const given = { values, pointer: '/values', asking }
  return execute(context, await prepareText(context, text, given), { limit, asking, sharing: null })
}

type Given = {
  readonly values: Values
  /** Where the values are in the request. */
  readonly pointer: string
  readonly asking: Asking
  /** Whether the run reads values of a parameter. */
  readonly isOfValues?: boolean
}

type Text = Omit<Definition, 'materialization' | 'assertions'>

type Prepared = Readable & {
  readonly source: ReadableSource
  /** The statement as the template wrote it; `statement` is it within the scopes of the caller. */
  readonly own: Fragment
}

/** The statement that reads the stored result of a published version; null where its caller may not read it, where it is not
 * there, and for other values than the defaults. */
async function preparedResult(
  context: Context,
  { dataSourceId, queryId, number, materialization }: Omit<VersionOfQuery, 'of'>,
  values: Values,
): Promise<Readable | null> {
  if (queryId === undefined || number === undefined || materialization === null) return null
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
  refuseLegacyRun(context, query)
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
export async function prepareText(context: Context, text: Text, given: Given) {
  refuseLegacyText(context, text)
  checkDefaults(text.parameters)
  return prepare(context, { ...text, name: null, materialization: null, assertions: [] }, given)
}

/** The published version of a data query with these values, or its stored result.
 * @throws {Refusal} as `prepareStored` */
export async function preparePublished(context: Context, id: number, given: Given): Promise<Readable> {
  const definition = await definitionOf(context, id, 'published')
  const stored = await preparedResult(context, definition, given.values)
  return stored ?? prepare(context, definition, given)
}

/** The rows with the offset of a zone in their instants. */
function zonedRows(columns: Read['columns'], rows: Read['rows'], timeZone: string): Cell[][] {
  const zoned = instantReader(timeZone)
  const areInstants = columns.map(({ type }) => type === 'datetime')
  if (!areInstants.includes(true)) return rows.map((row) => [...row])
  return rows.map((row) => row.map((cell, at) => (areInstants[at] ? zoned(cell) : cell)))
}

async function execute(
  context: Context,
  readable: Readable,
  reading: { readonly limit: number; readonly asking: Asking; readonly sharing: Sharing | null },
): Promise<ResultView> {
  const { clock, settings } = context.ports
  const read = await sharedRead(context, readable, reading)
  const { columns, rows, truncated, beganAt, durationMs, refreshedAt, isShared } = read
  const format = timeFormat(settings.timeZone)
  return {
    columns: columns.map(({ isExact, ...column }) => ({ ...column, exact: isExact })),
    rows: zonedRows(columns, rows, settings.timeZone),
    rowCount: rows.length,
    truncated,
    durationMs,
    duration: durationText(durationMs),
    cached: isShared,
    computedAt: format(beganAt),
    assertions: null,
    refreshedAt: refreshedAt === null ? null : format(refreshedAt),
    age: refreshedAt === null ? null : ageOf(clock.now() - refreshedAt),
  }
}

/** The values in the first column of a data query, as its caller sees them. */
async function valuesOfQuery(context: Context, id: number, asking: Asking): Promise<ReadonlySet<string>> {
  const query = await definitionOf(context, id, 'published')
  const reading = {
    values: {},
    limit: CHOICES_MAX,
    pointer: '/parameters',
    asking,
    isOfValues: true,
    sharing: null,
  }
  const { columns, rows } = await sharedRead(context, await prepare(context, query, reading), reading)
  // An instant is allowed as it is answered, and in UTC.
  const all = [...rows, ...zonedRows(columns, rows, context.ports.settings.timeZone)]
  return new Set(all.flatMap(([first]) => (first === null || first === undefined ? [] : [String(first)])))
}
