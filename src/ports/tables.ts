import type { FileContents, FileFormat, ImportFault, ImportPlan, ValueFormat } from '../domain/import-plan.ts'
import type { Column, Row } from '../domain/table.ts'
import type { Bound, Plan, QueryLimits, RowStream } from './databases.ts'

/**
 * Imported and materialised tables, and the statements that read them.
 *
 * A table consists of generations. A generation never changes once its `load` or `edit` resolves; the system database
 * names the generation that counts. A statement sees nothing but its views.
 */
export interface Tables {
  readonly dialect: 'duckdb' | 'sqlite'

  /** Runs one statement that only reads.
   * @throws {Refusal} query_failed, query_timeout, query_too_large or overloaded; also while the rows are read */
  query(query: TableQuery, limits: QueryLimits, signal: AbortSignal): Promise<RowStream>

  /** The plan of a statement, in JSON: of DuckDB as it writes it, of SQLite its `steps` and, if it ran, its `rows`.
   * With `isAnalyzed` the statement runs. The names of the views stand for their tables. @throws {Refusal} as `query` */
  explain(
    query: TableQuery,
    options: { readonly isAnalyzed: boolean },
    limits: QueryLimits,
    signal: AbortSignal,
  ): Promise<Plan>

  /** All rows of a generation, at the pace of the reader. Cancelling the stream ends it.
   * @throws {Refusal} unavailable when the generation is gone, overloaded; also while the rows are read */
  read(
    of: Generation,
    columns: readonly Column[],
    signal: AbortSignal,
  ): Promise<ReadableStream<readonly Row[]>>

  /** Reads a whole file and finds the types of its columns.
   * @throws {Refusal} not_found when the blob is missing, overloaded, query_too_large */
  inspect(
    blob: string,
    file: FileFormat,
    values: ValueFormat,
    signal: AbortSignal,
    progress?: Progress,
  ): Promise<FileContents>

  /** Fills a generation from a file, in place of what an earlier call left of it.
   * @throws {Refusal} import_failed with the faults of the file; then the generation does not exist */
  load(order: LoadOrder, signal: AbortSignal, progress?: Progress): Promise<LoadCounts>

  /** Fills a generation with the rows of another one and changes them. A change that a check finds ends the edit; then the
   * generation does not exist. @throws {Refusal} unavailable when the other one is gone, overloaded, query_timeout,
   * query_too_large */
  edit(order: EditOrder): Promise<EditOutcome>

  /** Fills a generation with the rows of others, in other columns. A value that is not of the type of its new column ends
   * it, as do keys that are null or twice; then the generation does not exist. @throws {Refusal} as `edit` */
  reshape(order: ReshapeOrder): Promise<ReshapeOutcome>

  /** Deletes generations. A statement that reads one of them goes on. A missing generation is fine. */
  drop(generations: readonly Generation[]): Promise<void>

  /** The generations of a source, in no order. */
  list(sourceId: number): Promise<readonly Generation[]>
}

/** The detail of the refusal `not_found` of a file without its blob. */
export const FILE_MISSING = 'The file does not exist any more. Upload it again.'
/** The detail of the refusal `query_timeout`. */
export const STATEMENT_TOO_SLOW = 'The statement did not end within its time. Narrow it, or raise the time.'
/** The detail of the refusal `unavailable` of a generation that is gone. */
export const TABLE_REPLACED = 'A table was replaced meanwhile. Try again.'

/** Called now and then with the share that is done, from 0 to 1. */
export type Progress = (share: number) => void

/** A version of a table. `key` has 1 to 64 characters of `a-z 0-9`. */
export type Generation = { readonly sourceId: number; readonly tableId: number; readonly key: string }

/** The generation of a table under its id in the system database. */
export function generationOf(sourceId: number, id: number): Generation {
  return { sourceId, tableId: id, key: 'rows' }
}

/** A table as a statement sees it: these columns of the rows that satisfy `where`. */
export type TableView = {
  readonly name: string
  readonly of: Generation
  readonly columns: readonly string[]
  /** A condition with placeholders `$1`, `$2` …; null for all rows. */
  readonly where: Bound | null
}

export type TableQuery = {
  /** The views of one data source. */
  readonly views: readonly TableView[]
  readonly statement: Bound
  /** The IANA zone in which the statement reads and truncates instants. */
  readonly timeZone: string
  /** Whether the service wrote the statement: it names nothing but the views and changes no setting, so that the engine may keep
   * what it opened for the next such statement over the same views. */
  readonly isGenerated?: boolean
}

/** A file that was uploaded, by the key of its blob. */
export type LoadOrder = {
  readonly to: Generation
  readonly blob: string
  readonly plan: ImportPlan
  /** Absent for none. */
  readonly indexes?: readonly TableIndex[]
}

/** Columns, in their order, by which rows are found. `isUnique`: rows that have the same values, none of which is null, end the
 * load with import_failed. */
export type TableIndex = { readonly columns: readonly string[]; readonly isUnique: boolean }

export type LoadCounts = {
  readonly rows: number
  /** The records that were left out, with the first of their faults. */
  readonly skipped: number
  readonly faults: readonly ImportFault[]
}

/** The names by which the statements of an edit call the rows of the table and the changes. */
export const EDIT_TABLES = { rows: 't', changes: 'changes' } as const

/** Changes of a table, and statements that run in order, all of them or none. */
export type EditOrder = {
  readonly from: Generation
  readonly to: Generation
  readonly columns: readonly Column[]
  readonly changes: { readonly columns: readonly Column[]; readonly rows: readonly Row[] }
  readonly steps: readonly EditStep[]
}

/** A `check` selects the numbers of changes that cannot be made; a `write` changes rows. */
export type EditStep = { readonly kind: 'check' | 'write'; readonly statement: Bound }

export type EditOutcome =
  /** The rows of the table, and how many each step has written. */
  | { readonly rows: number; readonly written: readonly number[] }
  /** The step that found a change that cannot be made, and the number of the change. */
  | { readonly step: number; readonly change: number }

export type ReshapeOrder = {
  /** The rows, part by part; none for a table without rows. */
  readonly parts: readonly ReshapePart[]
  readonly to: Generation
  readonly columns: readonly Column[]
  /** The zone of texts that become instants and have no offset. */
  readonly timeZone: string
  /** Columns by which the rows of the last part replace rows of the parts before; null where all rows stay. */
  readonly key: readonly string[] | null
  /** Absent for none. Rows that a unique one forbids end the reshape with import_failed. */
  readonly indexes?: readonly TableIndex[]
}

/** The rows of a generation. */
export type ReshapePart = {
  readonly of: Generation
  /** The column of the generation that gives each new column its values; null for a column of nulls. */
  readonly from: readonly (Column | null)[]
}

export type ReshapeOutcome =
  /** The rows of the generation, and how many rows were replaced. */
  | { readonly rows: number; readonly replaced: number }
  /** A value that is not of the type of its new column. */
  | { readonly column: string; readonly value: string }
  /** A key of the last part that is null, or that two of its rows have. */
  | { readonly key: readonly string[]; readonly fault: 'null' | 'twice' }
