import type { Cell, Column, ColumnType, Row } from '../domain/table.ts'

/**
 * Databases of users: PostgreSQL and MySQL or MariaDB.
 *
 * Every method opens a connection of its own, which counts to the 60 of the installation and to `connectionsMax` of the
 * source, and closes it before it resolves or, for rows, at their end. Each rejects with a refusal:
 * - `forbidden`: the host leads to a private address that the operator did not allow
 * - `pool_exhausted`: no connection was free for 5 seconds
 * - `source_unavailable`: the server cannot be reached, or does not let the user in
 * - `tls_unsupported_here`: the platform cannot make this TLS connection
 * - `query_failed`, `query_timeout`, `query_too_large`: the statement
 */
export interface Databases {
  /** Runs one statement, which only reads unless `access` is `write`. Refusals may come while the rows are read. */
  query(
    target: DatabaseTarget,
    query: DatabaseQuery,
    limits: QueryLimits,
    signal: AbortSignal,
  ): Promise<RowStream>
  /** Runs statements in one transaction. @returns the number of rows that each has changed */
  write(
    target: DatabaseTarget,
    statements: readonly Bound[],
    limits: QueryLimits,
    signal: AbortSignal,
  ): Promise<readonly number[]>
  /** The plan of a statement. With `isAnalyzed` the statement runs, in a transaction that only reads. */
  explain(
    target: DatabaseTarget,
    query: Pick<DatabaseQuery, 'statement' | 'session'> & { readonly isAnalyzed: boolean },
    limits: QueryLimits,
    signal: AbortSignal,
  ): Promise<Plan>
  /** The columns of the tables and views in the schema of the target. */
  schema(target: DatabaseTarget, signal: AbortSignal): Promise<readonly RelationColumn[]>
  probe(target: DatabaseTarget, signal: AbortSignal): Promise<Probe>
}

export type DatabaseTarget = {
  readonly type: 'postgresql' | 'mysql'
  readonly host: string
  readonly port: number
  readonly database: string
  /** Null for the default of the user. MySQL has none. */
  readonly schema: string | null
  readonly user: string
  readonly password: string | null
  readonly tls: 'disable' | 'require' | 'verify-full'
  /** The certificates, in PEM, that `verify-full` trusts in place of the public ones; null for these. */
  readonly ca: string | null
  /** Connections of one name share `connectionsMax`. */
  readonly name: string
  readonly connectionsMax: number
}

export type Bind = { readonly type: ColumnType; readonly value: Cell }

/** SQL with the placeholders of its dialect: `$1` for PostgreSQL, `?` for MySQL. */
export type Bound = { readonly text: string; readonly binds: readonly Bind[] }

export type DatabaseQuery = {
  readonly statement: Bound
  readonly access: 'read' | 'write'
  /** Settings of PostgreSQL for the transaction, such as `TimeZone` or `tidemark.user_id`. MySQL ignores them. */
  readonly session: Readonly<Record<string, string>>
  /** Called with the process of the server that runs the statement. */
  readonly onBackend?: (pid: number) => void
}

export type QueryLimits = { readonly timeoutMs: number; readonly rowsMax: number; readonly bytesMax: number }

export type ResultColumn = Column & {
  /** Whether numbers may come as text, since a double would change them. */
  readonly isExact: boolean
}

export type RowStream = {
  readonly columns: readonly ResultColumn[]
  /** Arrays of rows, each of at least one. Cancelling it ends the statement. */
  readonly rows: ReadableStream<readonly Row[]>
}

export type Plan = { readonly format: 'json' | 'text'; readonly text: string }

export type RelationColumn = {
  readonly table: string
  readonly kind: 'table' | 'view'
  readonly tableComment: string | null
  /** The estimate of the database; null for views, and where it has none. */
  readonly tableRows: number | null
  readonly name: string
  readonly type: ColumnType
  readonly nativeType: string
  readonly isNullable: boolean
  /** The place in the table, from 1. */
  readonly position: number
  readonly comment: string | null
}

export type Probe = {
  readonly serverVersion: string
  readonly isWritable: boolean
  /** Whether row security of the database does not restrict the user, or not in tables of its own. */
  readonly isAboveRowSecurity: boolean
}
