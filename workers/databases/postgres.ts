import { Client } from 'pg'
import type { ClientOptions } from 'pg'
import Cursor from 'pg-cursor'

import type { Cell } from '../../src/domain/table.ts'
import type { Bind, Bound, RelationColumn } from '../../src/ports/databases.ts'
import { BATCH_BYTES, CONNECT_MAX_MS, ROWS_AT_ONCE, ROWS_FIRST } from './connection.ts'
import type { Connect, Connection, Fault, Place, Rows, Session } from './connection.ts'
import { Intake } from './intake.ts'
import { postgresType, readPostgres } from './types.ts'

/** The wait for a server beyond its own limit of a statement. */
const SILENCE_MAX_MS = 2_000
/** Keeps values as the texts that the server sends. */
const TEXT = { getTypeParser: () => (text: string) => text }

/** Connects to PostgreSQL. Statements of callers use the extended protocol, which accepts one statement at a time. */
export const connectPostgres: Connect = async (place, session, { signal, batchMaxBytes }) => {
  const client = new Client(optionsOf(place))
  // A lost connection rejects the pending calls. Without a listener its error would end the process.
  client.on('error', () => undefined)
  const intake = new Intake(batchMaxBytes)
  watch(client, intake)
  const onAbort = () => client.connection.stream.destroy()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await client.connect()
    const query_timeout = session.timeoutMs + SILENCE_MAX_MS
    await client.query({ text: session.access === 'write' ? 'begin' : 'begin read only', query_timeout })
    await client.query({
      text: SET,
      values: [JSON.stringify(settingsOf(session)), place.schema],
      query_timeout,
    })
    return connectionOf({ client, intake }, place, query_timeout)
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The driver replaces its stream by an encrypted one. */
function watch({ connection }: Client, intake: Intake): void {
  const attach = connection.attachListeners
  connection.attachListeners = (stream) => {
    intake.watch(stream)
    attach.call(connection, stream)
  }
}

/** Settings that a server does not know are left out; those with a dot are the caller's own. */
const SET = `
  select set_config(w.name, w.value, true) from json_each_text($1::json) as w(name, value)
  where w.name like '%.%' or exists (select from pg_settings s where lower(s.name) = lower(w.name))
  union all
  select set_config('search_path', quote_ident($2::text), true) where $2::text is not null`

function settingsOf({ timeoutMs, session }: Session): Readonly<Record<string, string>> {
  return {
    TimeZone: 'UTC',
    ...session,
    statement_timeout: String(timeoutMs),
    lock_timeout: String(timeoutMs),
    idle_in_transaction_session_timeout: String(timeoutMs + SILENCE_MAX_MS),
    client_connection_check_interval: '1s',
    standard_conforming_strings: 'on',
    DateStyle: 'ISO, YMD',
    IntervalStyle: 'iso_8601',
    bytea_output: 'hex',
    extra_float_digits: '1',
  }
}

function optionsOf(place: Place): ClientOptions {
  const { address, port, database, user, password, tls } = place
  return {
    host: address,
    port,
    database,
    user,
    // A function, because for an empty text the driver reads the environment and files.
    password: () => password ?? '',
    application_name: 'tidemark',
    connectionTimeoutMillis: CONNECT_MAX_MS,
    types: TEXT,
    ssl: tls === 'disable' ? false : tlsOf(place),
  }
}

/** The options with the name of the host, because the driver would use the address. TLS has no server names that are
 * addresses. */
function tlsOf({ host, tls, ca }: Place): object {
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  return {
    rejectUnauthorized: tls === 'verify-full',
    host,
    ...(!isAddress && { servername: host }),
    ...(ca !== null && { ca }),
  }
}

type Opened = { readonly client: Client; readonly intake: Intake }

function connectionOf(opened: Opened, place: Place, query_timeout: number): Connection {
  const { client } = opened
  const pid = client.processID
  const rowsOf = async (text: string, values: readonly unknown[] = []) =>
    (await client.query({ text, values, rowMode: 'array', queryMode: 'extended', query_timeout })).rows as (
      | string
      | null
    )[][]
  return {
    pid,
    read: (statement) => read(opened, statement),
    async run({ text, binds }) {
      const values = binds.map(valueOf)
      const { rowCount } = await client.query({ text, values, queryMode: 'extended', query_timeout })
      return rowCount ?? 0
    },
    async explain({ text, binds }, isAnalyzed) {
      const options = isAnalyzed ? 'format json, analyze, buffers' : 'format json'
      const rows = await rowsOf(`explain (${options}) ${text}`, binds.map(valueOf))
      return { format: 'json', text: rows.map(([line]) => line ?? '').join('\n') }
    },
    async schema(rowsMax) {
      return (await rowsOf(COLUMNS, [rowsMax])).map(relationColumnOf)
    },
    async probe() {
      const [[serverVersion = '', isWritable, isAbove] = []] = await rowsOf(PROBE)
      return {
        serverVersion: serverVersion ?? '',
        isWritable: isWritable === 't',
        isAboveRowSecurity: isAbove === 't',
      }
    },
    async commit() {
      await client.query({ text: 'commit', query_timeout })
    },
    async cancel() {
      const other = new Client({ ...optionsOf(place), connectionTimeoutMillis: SILENCE_MAX_MS })
      other.on('error', () => undefined)
      try {
        await other.connect()
        const text = 'select pg_cancel_backend($1)'
        await other.query({ text, values: [pid], query_timeout: SILENCE_MAX_MS })
      } finally {
        other.connection.stream.destroy()
      }
    },
    destroy: () => client.connection.stream.destroy(),
  }
}

async function read({ client, intake }: Opened, { text, binds }: Bound): Promise<Rows> {
  const cursor = client.query(new Cursor(text, binds.map(valueOf), { rowMode: 'array', types: TEXT }))
  // The driver may forget a cursor whose connection is lost.
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  client.once('error', lost.reject)
  client.once('end', () => lost.reject(new Error('Connection terminated unexpectedly')))
  let isFirst = true
  let wanted = ROWS_FIRST
  const next = () => {
    const batch = Promise.withResolvers<{
      rows: readonly (readonly (string | null)[])[]
      fields: readonly Field[]
    }>()
    intake.taken()
    cursor.read(wanted, (error, rows, result) => {
      if (error) return batch.reject(error)
      const rowBytes = intake.taken() / Math.max(1, rows.length)
      wanted = Math.min(ROWS_AT_ONCE, Math.max(1, Math.floor(BATCH_BYTES / Math.max(1, rowBytes))))
      batch.resolve({ rows, fields: result?.fields ?? [] })
    })
    return Promise.race([batch.promise, lost.promise])
  }
  const { rows: first, fields } = await next()
  const readings = fields.map(({ name, dataTypeID }) => readPostgres(name, dataTypeID))
  return {
    columns: readings.map(({ column }) => column),
    async next() {
      const rows = isFirst ? first : (await next()).rows
      isFirst = false
      if (rows.length === 0) return null
      return rows.map((row) =>
        row.map((cell, index): Cell => (cell === null ? null : (readings[index]?.read(cell) ?? null))),
      )
    },
  }
}

type Field = { readonly name: string; readonly dataTypeID: number }

function valueOf({ type, value }: Bind): string | null {
  if (value === null) return null
  if (type === 'binary' && typeof value === 'string') return `\\x${Uint8Array.fromBase64(value).toHex()}`
  return String(value)
}

const COLUMNS = `
  select c.relname, c.relkind, obj_description(c.oid, 'pg_class'), a.attname, a.atttypid::int,
         format_type(a.atttypid, a.atttypmod), not a.attnotnull,
         row_number() over (partition by c.oid order by a.attnum), col_description(c.oid, a.attnum),
         case when c.relkind <> 'v' and c.reltuples >= 0 then c.reltuples::bigint end
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and a.attnum > 0 and not a.attisdropped
    and has_column_privilege(c.oid, a.attnum, 'select')
  order by c.relname, a.attnum limit $1`

function relationColumnOf(row: readonly (string | null)[]): RelationColumn {
  const [
    table,
    kind,
    tableComment = null,
    name,
    oid,
    nativeType,
    isNullable,
    position,
    comment = null,
    count,
  ] = row
  return {
    table: table ?? '',
    kind: kind === 'v' || kind === 'm' ? 'view' : 'table',
    tableComment,
    tableRows: count == null ? null : Number(count),
    name: name ?? '',
    type: postgresType(Number(oid)),
    nativeType: nativeType ?? '',
    isNullable: isNullable === 't',
    position: Number(position),
    comment,
  }
}

const PROBE = `
  select current_setting('server_version'),
    not pg_is_in_recovery() and (
      coalesce(has_schema_privilege(current_schema(), 'create'), false)
      or exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = current_schema() and c.relkind in ('r', 'p')
                   and has_table_privilege(c.oid, 'insert, update, delete'))),
    (select rolsuper or rolbypassrls from pg_roles where rolname = current_user)
      or exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = current_schema() and c.relrowsecurity and not c.relforcerowsecurity
                   and pg_has_role(c.relowner, 'usage'))`

const UNAVAILABLE = /^(?:08|53|57P)|^E[A-Z]+$/

/** The meaning of an error of `pg`. */
export function postgresFault(error: unknown): Fault | null {
  if (!(error instanceof Error)) return null
  const { code = '', message } = error as Error & { code?: string }
  if (code === '57014') return { kind: 'timeout', detail: message }
  if (/^(?:28|3D)/.test(code)) return { kind: 'denied', detail: message }
  if (UNAVAILABLE.test(code)) return { kind: 'unavailable', detail: message }
  if (/^[0-9A-Z]{5}$/.test(code)) return { kind: 'failed', detail: `${message} (SQLSTATE ${code})` }
  if (/timeout/i.test(message)) return { kind: 'timeout', detail: message }
  if (
    /SSL|TLS|certificate|terminated|not queryable|ended|socket|stream|network|connect|internal error/i.test(
      message,
    )
  )
    return { kind: 'unavailable', detail: message }
  return null
}
