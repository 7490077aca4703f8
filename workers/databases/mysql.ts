import { createConnection } from 'mysql2'
import { connect as connectSocket } from 'node:net'

import type { Cell, Row } from '../../src/domain/table.ts'
import type { Bind, Bound, RelationColumn } from '../../src/ports/databases.ts'
import { BATCH_BYTES, CONNECT_MAX_MS, ROWS_AT_ONCE, ROWS_FIRST } from './connection.ts'
import type { Connect, Connection, Dialling, Fault, MysqlSocket, Place, Rows, Session } from './connection.ts'
import { Intake } from './intake.ts'
import type { Source } from './intake.ts'
import { mysqlType, readMysql } from './types.ts'
import type { MysqlField } from './types.ts'

const CANCEL_MAX_MS = 2_000
const SQL_MODE = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'

type Driver = ReturnType<typeof createConnection>

/** Connects to MySQL or MariaDB. Statements of callers are prepared, which takes one at a time. */
export const connectMysql: Connect = async (place, session, dialling) => {
  const opened = await open(place, CONNECT_MAX_MS, dialling)
  const { driver } = opened
  try {
    const [[version]] = (await ask(driver, 'select version()')) as [[string]]
    for (const statement of openings(session, /mariadb/i.test(version))) await ask(driver, statement)
    return connectionOf(opened, { place, version, dialling })
  } catch (error) {
    opened.destroy()
    throw error
  }
}

/** The first statements of a session. The session itself is set to read only, because a read-only transaction permits changes of
 * tables. */
function openings({ access, timeoutMs }: Session, isMariadb: boolean): readonly string[] {
  const limit = isMariadb ? `max_statement_time = ${timeoutMs / 1_000}` : `max_execution_time = ${timeoutMs}`
  const waitS = Math.max(1, Math.ceil(timeoutMs / 1_000))
  const settings = `set session sql_mode = '${SQL_MODE}', time_zone = '+00:00', ${limit}, lock_wait_timeout = ${waitS}, innodb_lock_wait_timeout = ${waitS}`
  return access === 'write'
    ? [settings, 'start transaction']
    : [settings, 'set session transaction read only', 'start transaction read only']
}

type Opened = {
  readonly driver: Driver
  readonly destroy: () => void
  /** Rejects when the connection is lost. A stream of rows does not end then. */
  readonly lost: Promise<never>
  readonly intake: Intake
}

function open(
  place: Place,
  timeoutMs: number,
  { signal, mysqlSocket, batchMaxBytes }: Dialling,
): Promise<Opened> {
  const { address, host, port, database, user, password, tls, ca } = place
  const own = mysqlSocket?.(place)
  const socket = own ?? connectSocket(port, address)
  const intake = new Intake(batchMaxBytes)
  intake.watch(socket)
  const driver = createConnection({
    host,
    port,
    user,
    password: password ?? '',
    database,
    connectTimeout: timeoutMs,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    jsonStrings: true,
    multipleStatements: false,
    // A server must not read files of this machine.
    flags: ['-LOCAL_FILES'],
    // Workers cannot evaluate text as code.
    disableEval: true,
    stream: () => socket,
    ...(tls !== 'disable' && {
      ssl: {
        rejectUnauthorized: tls === 'verify-full',
        verifyIdentity: tls === 'verify-full',
        ...(ca !== null && { ca }),
      },
    }),
  })
  secure(driver as unknown as Securing, own, intake)
  // The driver only ends its half of the connection: a server that sends rows would go on until a timeout.
  const destroy = () => {
    driver.destroy()
    socket.destroy()
  }
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      destroy()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    driver.on('error', (error: Error) => {
      lost.reject(error)
      reject(error)
    })
    driver.connect((error) => {
      signal.removeEventListener('abort', onAbort)
      if (error) {
        destroy()
        reject(error)
      } else resolve({ driver, destroy, lost: lost.promise, intake })
    })
    if (signal.aborted) onAbort()
  })
}

type Securing = { stream: Source; startTLS: (onSecure: (error: Error | null) => void) => void }

/** The driver replaces its stream by an encrypted one, unless the socket encrypts itself. */
function secure(driver: Securing, own: MysqlSocket | undefined, intake: Intake): void {
  const encrypt = driver.startTLS
  driver.startTLS = (onSecure) => {
    if (own) return void own.encrypt().then(() => onSecure(null), onSecure)
    encrypt.call(driver, onSecure)
    intake.watch(driver.stream)
  }
}

/** Runs a statement of this service. @returns rows as arrays */
function ask(driver: Driver, sql: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    driver.query({ sql, rowsAsArray: true }, (error, rows) => (error ? reject(error) : resolve(rows)))
  })
}

function connectionOf(
  opened: Opened,
  {
    place,
    version,
    dialling,
  }: { readonly place: Place; readonly version: string; readonly dialling: Dialling },
): Connection {
  const { driver, destroy } = opened
  const pid = driver.threadId ?? 0
  const isMariadb = /mariadb/i.test(version)
  return {
    pid,
    read: (statement) => read(opened, statement),
    run: ({ text, binds }) =>
      new Promise((resolve, reject) => {
        driver.execute({ sql: text, values: binds.map(valueOf) }, (error, result) => {
          if (error) reject(error)
          else resolve((result as { readonly affectedRows?: number }).affectedRows ?? 0)
        })
      }),
    async explain({ text, binds }, isAnalyzed) {
      const analyze = isMariadb ? 'analyze format=json' : 'explain analyze'
      const verb = isAnalyzed ? analyze : 'explain format=json'
      const rows = await all(await read(opened, { text: `${verb} ${text}`, binds }))
      const plan = rows.map(([line]) => String(line)).join('\n')
      return { format: isAnalyzed && !isMariadb ? 'text' : 'json', text: plan }
    },
    async schema(rowsMax) {
      const binds = [{ type: 'integer', value: rowsMax }] as const
      return (await all(await read(opened, { text: COLUMNS, binds }))).map(relationColumnOf)
    },
    async probe() {
      const [[isReadOnly]] = (await ask(driver, 'select @@global.read_only')) as [[unknown]]
      const grants = (await ask(driver, 'show grants')) as string[][]
      const isWritable = Number(isReadOnly) === 0 && grants.some(([grant = '']) => WRITES.test(grant))
      return { serverVersion: version, isWritable, isAboveRowSecurity: true }
    },
    async commit() {
      await ask(driver, 'commit')
    },
    async cancel() {
      const other = await open(place, CANCEL_MAX_MS, {
        ...dialling,
        signal: AbortSignal.timeout(CANCEL_MAX_MS),
      })
      try {
        await ask(other.driver, `kill query ${pid}`)
      } finally {
        other.destroy()
      }
    },
    destroy,
  }
}

const WRITES = /^grant (?:(?!\bto\b).)*\b(?:all privileges|insert|update|delete|create)\b/i

async function all(rows: Rows): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let batch = await rows.next(); batch; batch = await rows.next()) found.push(...batch)
  return found
}

function read({ driver, lost, intake }: Opened, { text, binds }: Bound): Promise<Rows> {
  const stream = driver
    .execute({ sql: text, values: binds.map(valueOf), rowsAsArray: true })
    .stream({ highWaterMark: ROWS_FIRST })
  const { promise, resolve, reject } = Promise.withResolvers<Rows>()
  stream.once('fields', (fields: readonly MysqlField[]) => {
    const readings = fields.map(readMysql)
    const source: AsyncIterator<readonly unknown[]> = stream[Symbol.asyncIterator]()
    resolve({
      columns: readings.map(({ column }) => column),
      async next() {
        const batch: Row[] = []
        for (let bytes = 0; batch.length < ROWS_AT_ONCE && bytes < BATCH_BYTES; bytes += intake.taken()) {
          const item = await Promise.race([source.next(), lost])
          if (item.done === true) break
          batch.push(
            item.value.map((cell, index): Cell => {
              const value = textOf(cell)
              return value === null ? null : (readings[index]?.read(value) ?? null)
            }),
          )
        }
        return batch.length === 0 ? null : batch
      },
    })
  })
  stream.once('error', reject)
  lost.catch(reject)
  // A statement without a result, such as a comment.
  stream.once('end', () => resolve({ columns: [], next: () => Promise.resolve(null) }))
  return promise
}

/** The values of the binary protocol as text. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function valueOf({ type, value }: Bind) {
  if (value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return value
  if (type === 'binary') return Uint8Array.fromBase64(value)
  return type === 'datetime' ? value.replace('T', ' ').replace(/Z$/, '') : value
}

/** The columns of the schema. MySQL stores the word VIEW as the comment of a view. */
const COLUMNS = `
  select c.table_name, if(t.table_type = 'VIEW', 'view', 'table'),
         if(t.table_type = 'VIEW', null, nullif(t.table_comment, '')), if(t.table_type = 'VIEW', null, t.table_rows),
         c.column_name, c.data_type, c.column_type, c.is_nullable, c.ordinal_position, nullif(c.column_comment, '')
  from information_schema.columns c
  join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
  where c.table_schema = database() order by c.table_name, c.ordinal_position limit ?`

function relationColumnOf(row: Row): RelationColumn {
  const [table, kind, tableComment, tableRows, name, dataType, nativeType, isNullable, position, comment] =
    row
  return {
    table: String(table),
    kind: kind === 'view' ? 'view' : 'table',
    tableComment: textIn(tableComment),
    tableRows: tableRows == null ? null : Number(tableRows),
    name: String(name),
    type: mysqlType(String(dataType)),
    nativeType: String(nativeType),
    isNullable: isNullable === 'YES',
    position: Number(position),
    comment: textIn(comment),
  }
}

function textIn(cell: Cell | undefined): string | null {
  return cell == null ? null : String(cell)
}

/** The meanings of error numbers of the server; other numbers are `failed`. */
const KINDS: ReadonlyMap<number, Fault['kind']> = new Map(
  (
    [
      ['denied', [1044, 1045, 1049, 1251, 1698, 3118]],
      ['timeout', [1205, 1317, 1969, 3024]],
      ['unavailable', [1040, 1042, 1043, 1053, 1077, 1129, 1130, 1203, 1226, 1927, 2013]],
    ] as const
  ).flatMap(([kind, numbers]) => numbers.map((number) => [number, kind] as const)),
)
const LOST_CODE = /^(?:E[A-Z]+$|PROTOCOL_|HANDSHAKE_)/
const LOST_MESSAGE = /SSL|TLS|certificate|closed|socket|stream|network|connect|internal error/i

/** The meaning of an error of `mysql2`. */
export function mysqlFault(error: unknown): Fault | null {
  if (!(error instanceof Error)) return null
  const { errno, code, message, sqlState } = error as Error & Partial<MysqlError>
  const kind = KINDS.get(errno ?? 0)
  if (kind) return { kind, detail: message }
  if (sqlState) return { kind: 'failed', detail: `${message} (SQLSTATE ${sqlState})` }
  const isLost = LOST_CODE.test(code ?? '') || LOST_MESSAGE.test(message)
  return isLost ? { kind: 'unavailable', detail: message } : null
}

type MysqlError = { readonly errno: number; readonly code: string; readonly sqlState: string }
