import type { Context } from '../../../context.ts'
import { conditionSql } from '../../filters/emit.ts'
import type { Bound, RowStream } from '../../../ports/databases.ts'
import type { TableView } from '../../../ports/tables.ts'
import { isRestricted, sightedTables } from '../../scopes/service/sights.ts'
import type { Sighted } from '../../scopes/service/sights.ts'
import { isFileSource } from '../../sources/schema.ts'
import type { DataSourceView } from '../../sources/schema.ts'
import { openReader, timeLimitOf } from '../../sources/service/connect.ts'
import type { SourceReader } from '../../sources/service/connect.ts'
import { writerIn } from '../../sql/dialects/writers.ts'
import { boundOf } from '../../sql/fragment.ts'
import { tokensOf } from '../../sql/lexer.ts'
import type { Dialect } from '../../sql/spelling.ts'
import { statementScopes } from './scoped-statement.ts'
import type { StatementScopes } from './scoped-statement.ts'
import type { StoredResult } from '../results/service.ts'

/** Of a statement that reads a stored result alone. */
const STORED_TIMEOUT_MS = 60_000

const PLAN_MAX_BYTES = 4 * 1024 * 1024

type Source = Pick<DataSourceView, 'id' | 'type'> & { readonly timeoutMs: number }

/** A data source as statements of its caller may read it. */
export type ReadableSource = {
  /** Whether scopes restrict the rows and columns that statements see. */
  readonly isRestricted: () => Promise<boolean>
  /** The scopes of statements; null where nothing else can be named, or the caller has no scope. */
  readonly scopes: StatementScopes | null
  readonly dialect: Dialect
  readonly query: SourceReader['query']
  /** The tables of a statement at one time. */
  readonly open: (statement: Bound) => Promise<Opened>
  readonly explain: SourceReader['explain']
  /** The source of statements that may name stored results; absent where none can. */
  readonly withResults?: (results: readonly StoredResult[]) => ReadableSource
}

/** A statement over the columns and rows that its caller may read. */
type Opened = {
  /** Equal for statements that see the same rows and columns of the same source. */
  readonly key: string
  readonly query: (options: QueryOptions, signal: AbortSignal) => Promise<RowStream>
}
type QueryOptions = Parameters<SourceReader['query']>[1]

/** The dialect of statements of a data source. */
export function dialectOf({ ports }: Pick<Context, 'ports'>, { type }: Pick<Source, 'type'>): Dialect {
  return isFileSource(type) ? ports.tables.dialect : type
}

/** @throws {Refusal} as `openReader`, and the refusals of the port `databases` */
export async function openSource(context: Context, source: Source): Promise<ReadableSource> {
  const { id, type } = source
  if (isFileSource(type)) return importedTables(context, source, [])
  const hasScopes = await isRestricted(context, id)
  const reader = await openReader(context, id)
  const scopes = hasScopes ? await statementScopes(context, id, reader) : null
  const open = (statement: Bound) =>
    Promise.resolve({
      key: reader.key,
      query: (options: QueryOptions, signal: AbortSignal) => reader.query(statement, options, signal),
    })
  return { ...reader, open, isRestricted: () => Promise.resolve(hasScopes), scopes }
}

/** A statement runs over views that have no other rows and columns than those that the caller may read: nothing else has a
 * name. */
function importedTables(context: Context, source: Source, results: readonly StoredResult[]): ReadableSource {
  const { tables, settings } = context.ports
  const timeLimitMs = timeLimitOf(source)
  const open = async (statement: Bound): Promise<Opened> => {
    const views = await viewsOf(context, source.id, { statement, results })
    const query = { views, statement, timeZone: settings.timeZone }
    return {
      key: JSON.stringify([source.id, views]),
      query: ({ rowsMax, bytesMax, timeoutMs = timeLimitMs }, signal) =>
        tables.query(query, { timeoutMs, rowsMax, bytesMax }, signal),
    }
  }
  return {
    isRestricted: () => isRestricted(context, source.id),
    scopes: null,
    dialect: tables.dialect,
    withResults: (named) => importedTables(context, source, named),
    open,
    query: async (statement, options, signal) => (await open(statement)).query(options, signal),
    async explain(statement, { isAnalyzed }, signal) {
      const views = await viewsOf(context, source.id, { statement, results })
      const query = { views, statement, timeZone: settings.timeZone }
      const limits = { timeoutMs: timeLimitMs, rowsMax: 1, bytesMax: PLAN_MAX_BYTES }
      return tables.explain(query, { isAnalyzed }, limits, signal)
    },
  }
}

type Naming = { readonly statement: Bound; readonly results: readonly StoredResult[] }

/** The tables and stored results whose names are in a statement. */
async function viewsOf(context: Context, id: number, { statement, results }: Naming): Promise<TableView[]> {
  const { dialect } = context.ports.tables
  const named = new Set(tokensOf(statement.text, dialect).map(({ value }) => value.toLowerCase()))
  const stored = results.filter(({ name }) => named.has(name)).map(viewOfResult)
  const taken = new Set(stored.map(({ name }) => name))
  const sighted = [...(await sightedTables(context, id))].filter(
    ([name]) => named.has(name.toLowerCase()) && !taken.has(name.toLowerCase()),
  )
  return [...stored, ...sighted.map(([name, one]) => viewOf(context, name, one))]
}

/** A source that has a stored result and nothing else. */
export function storedRows(
  { ports: { tables, settings } }: Context,
  stored: StoredResult,
): Pick<ReadableSource, 'dialect' | 'query' | 'open'> {
  const types = new Map(stored.columns.map(({ name, type }) => [name, type]))
  const views = [viewOfResult(stored)]
  const query: ReadableSource['query'] = async (
    statement,
    { rowsMax, bytesMax, timeoutMs = STORED_TIMEOUT_MS },
    signal,
  ) => {
    const asked = { views, statement, timeZone: settings.timeZone }
    const { columns, rows } = await tables.query(asked, { timeoutMs, rowsMax, bytesMax }, signal)
    // An engine of tables may have fewer types than they.
    const typed = columns.map((column) => ({ ...column, type: types.get(column.name) ?? column.type }))
    return { columns: typed, rows }
  }
  return {
    dialect: tables.dialect,
    query,
    open: (statement) =>
      Promise.resolve({
        key: JSON.stringify(views),
        query: (options, signal) => query(statement, options, signal),
      }),
  }
}

/** A stored result as a table whose rows are all visible. */
function viewOfResult({ name, of, columns }: StoredResult): TableView {
  return { name, of, columns: columns.map((column) => column.name), where: null }
}

function viewOf({ ports }: Context, name: string, { opened, sight }: Sighted): TableView {
  const writer = writerIn(ports.tables.dialect, ports.settings.timeZone)
  return {
    name,
    of: opened.generation,
    columns: sight.columns.map((column) => column.name),
    where: sight.rows && boundOf(conditionSql(sight.rows, writer), writer),
  }
}
