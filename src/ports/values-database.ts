export type Cell = string | number | null | Uint8Array

export type Statement = { readonly sql: string; readonly cells: readonly Cell[] }

/** A row by column names. Integers come as numbers, blobs as bytes. */
export type Row = Readonly<Record<string, Cell>>

/** The SQLite database of one engine of jobs: a file of its own, or the storage of one Durable Object. One writer. */
export interface ValuesDatabase {
  read(statement: Statement): Promise<readonly Row[]>
  /** All or nothing, in order, and on stable storage when it resolves. */
  commit(statements: readonly Statement[]): Promise<void>
}
