import type {
  FileContents,
  FileFormat,
  ImportFault,
  ImportPlan,
  ValueFormat,
} from '../../../src/domain/import-plan.ts'
import type { Fault } from '../../../src/lib/errors.ts'
import type { QueryLimits, ResultColumn } from '../../../src/ports/databases.ts'
import type {
  EditOrder,
  EditOutcome,
  LoadCounts,
  ReshapeOrder,
  ReshapeOutcome,
  ReshapePart,
  TableIndex,
  TableQuery,
} from '../../../src/ports/tables.ts'

/** A view with the path of the file of its generation. */
export type FileView = Omit<TableQuery['views'][number], 'of'> & { readonly path: string }

export type QueryTask = Omit<TableQuery, 'views'> & {
  readonly kind: 'query'
  readonly views: readonly FileView[]
  readonly limits: QueryLimits
  readonly threads: number
  /** The plan of the statement in place of its rows. */
  readonly explain?: Explain
}

export type Explain = { readonly isAnalyzed: boolean }

/** The work with a file. */
export type FileOrder =
  | { readonly kind: 'inspect'; readonly format: FileFormat; readonly values: ValueFormat }
  | {
      readonly kind: 'load'
      readonly plan: ImportPlan
      readonly path: string
      readonly indexes: readonly TableIndex[]
    }

/** A task that reads a file, which has so many bytes. */
export type FileTask = FileOrder & { readonly file: { readonly path: string; readonly sizeBytes: number } }

/** An edit of the file `from`, which makes the file `to`. */
export type EditTask = Pick<EditOrder, 'changes' | 'steps'> & {
  readonly kind: 'edit'
  readonly from: string
  readonly to: string
}

/** The part of a new file that comes from another one. */
export type FilePart = ReshapePart & { readonly path: string }

/** A file with other columns, made of other files. */
export type ReshapeTask = Pick<ReshapeOrder, 'columns' | 'timeZone' | 'key' | 'indexes'> & {
  readonly kind: 'reshape'
  readonly parts: readonly FilePart[]
  readonly to: string
}

/** A task that makes a file of another one. */
export type FileChange = EditTask | ReshapeTask

/** Messages to a child. */
export type ToChild =
  | QueryTask
  | FileTask
  | FileChange
  | { readonly kind: 'more' }
  | { readonly kind: 'interrupt' }

export type TaskFailure = {
  readonly code:
    | 'query_failed'
    | 'query_too_large'
    | 'import_failed'
    | 'not_found'
    | 'unavailable'
    | 'internal'
  readonly message: string
  readonly faults?: readonly ImportFault[]
  /** Of a file that is not of its kind, in place of faults. */
  readonly errors?: readonly Fault[]
}

/** Messages of a child: `ready` once; to a query `columns`, then `rows` in JSON as long as it is sent `more`, then `done`; of a file now and
 * then the bytes that were `read`; or `failed` at any time. */
export type FromChild =
  | { readonly kind: 'ready' }
  | { readonly kind: 'columns'; readonly columns: readonly ResultColumn[] }
  | { readonly kind: 'rows'; readonly text: string }
  | { readonly kind: 'read'; readonly bytes: number }
  | ({ readonly kind: 'done' } & TaskResult)
  | ({ readonly kind: 'failed' } & TaskFailure)

/** The result of a task, but for a query. */
export type TaskResult = {
  readonly contents?: FileContents
  readonly counts?: LoadCounts
  readonly edited?: EditOutcome
  readonly reshaped?: ReshapeOutcome
}
