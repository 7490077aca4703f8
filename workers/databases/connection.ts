import type { Row } from '../../src/domain/table.ts'
import type {
  Bound,
  DatabaseQuery,
  DatabaseTarget,
  Plan,
  Probe,
  RelationColumn,
  ResultColumn,
} from '../../src/ports/databases.ts'
import type { Source } from './intake.ts'

/** A server and its address. */
export type Place = DatabaseTarget & {
  /** The address of the host; the host itself where the platform resolves names. */
  readonly address: string
}

/** The bounds of the statements of a connection. */
export type Session = Pick<DatabaseQuery, 'access' | 'session'> & {
  /** The time limit of one statement on the server. */
  readonly timeoutMs: number
}

/** A connection with an open transaction. Its methods reject with the error of the driver. */
export interface Connection {
  /** The process of the server that works for the connection. */
  readonly pid: number
  read(statement: Bound): Promise<Rows>
  /** @returns the number of changed rows */
  run(statement: Bound): Promise<number>
  explain(statement: Bound, isAnalyzed: boolean): Promise<Plan>
  schema(rowsMax: number): Promise<readonly RelationColumn[]>
  probe(): Promise<Probe>
  commit(): Promise<void>
  /** Ends the running statement, through a second connection. */
  cancel(): Promise<void>
  /** Closes the connection at once. */
  destroy(): void
}

/** The result of a statement, batch by batch; null after the last batch. */
export type Rows = { readonly columns: readonly ResultColumn[]; next(): Promise<readonly Row[] | null> }

/** Opens a connection and begins a transaction. The signal ends the attempt. */
export type Connect = (place: Place, session: Session, dialling: Dialling) => Promise<Connection>

export type Dialling = {
  readonly signal: AbortSignal
  /** The bytes that a server may send for a batch of rows. */
  readonly batchMaxBytes: number
  /** Opens the sockets for MySQL where the driver cannot encrypt them itself; else null. */
  readonly mysqlSocket: ((place: Place) => MysqlSocket) | null
}

/** A stream of Node to a server. */
export type MysqlSocket = Source & {
  /** Encrypts all further bytes. Rejects if the certificate is not a certificate of the host. */
  encrypt(): Promise<void>
}

/** The meaning of an error of a driver. */
export type Fault = {
  readonly kind: 'unavailable' | 'denied' | 'timeout' | 'failed'
  readonly detail: string
}

export const CONNECT_MAX_MS = 10_000
export const ROWS_AT_ONCE = 1_000
/** The rows of the first batch, whose size is unknown. */
export const ROWS_FIRST = 16
/** The approximate size of a batch. */
export const BATCH_BYTES = 1_024 * 1_024
