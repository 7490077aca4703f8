import type { FileContents, FileFormat, ImportFault, ImportPlan, ValueFormat } from '../domain/import-plan.ts'
import type { Bound, QueryLimits, RowStream } from './databases.ts'

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

  /** Deletes generations. A statement that reads one of them goes on. A missing generation is fine. */
  drop(generations: readonly Generation[]): Promise<void>

  /** The generations of a source, in no order. */
  list(sourceId: number): Promise<readonly Generation[]>
}

/** Called now and then with the share that is done, from 0 to 1. */
export type Progress = (share: number) => void

/** A version of a table. `key` has 1 to 64 characters of `a-z 0-9`. */
export type Generation = { readonly sourceId: number; readonly tableId: number; readonly key: string }

/** A table as a statement sees it: these columns of the rows that satisfy `where`. */
export type TableView = {
  readonly name: string
  readonly of: Generation
  readonly columns: readonly string[]
  /** A condition with placeholders `$1`, `$2` …; null for all rows. */
  readonly where: Bound | null
}

export type TableQuery = {
  /** Of one source. */
  readonly views: readonly TableView[]
  readonly statement: Bound
  /** The IANA zone in which the statement reads and truncates instants. */
  readonly timeZone: string
}

/** A file that was uploaded, by the key of its blob. */
export type LoadOrder = {
  readonly to: Generation
  readonly blob: string
  readonly plan: ImportPlan
}

export type LoadCounts = {
  readonly rows: number
  /** The records that were left out, with the first of their faults. */
  readonly skipped: number
  readonly faults: readonly ImportFault[]
}
