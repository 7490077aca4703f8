import { Database as SqliteFile, SQLiteError, type SQLQueryBindings } from 'bun:sqlite'

/**
 * A libSQL server for tests: Hrana 2 over HTTP with JSON, on a file of its own.
 *
 * It answers what `@libsql/client` asks for and imitates a server's error texts. The file belongs to this server
 * alone: SQLite's locks do not hold between two libraries in one process.
 */
export function startHrana(path: string): { url: string; close: () => Promise<void> } {
  openConnection(path).run('pragma journal_mode = wal')
  const streams = new Map<string, Stream>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.method === 'GET' && pathname === '/v2') return new Response('ok')
      if (request.method !== 'POST' || pathname !== '/v2/pipeline') return new Response(null, { status: 404 })
      const pipeline = (await request.json()) as Pipeline
      const stream = takeStream(streams, pipeline.baton, path)
      if (stream === undefined) return Response.json({ message: 'Unknown baton' }, { status: 400 })
      const results = pipeline.requests.map((streamRequest) => answer(stream, streamRequest))
      if (stream.closed) return Response.json({ baton: null, base_url: null, results })
      const baton = crypto.randomUUID()
      streams.set(baton, stream)
      return Response.json({ baton, base_url: null, results })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    async close() {
      await server.stop(true)
      for (const stream of streams.values()) stream.connection.close()
    },
  }
}

interface Stream {
  connection: SqliteFile
  texts: Map<number, string>
  closed: boolean
}

interface Pipeline {
  baton?: string
  requests: StreamRequest[]
}

type StreamRequest =
  | { type: 'execute'; stmt: Statement }
  | { type: 'batch'; batch: { steps: Array<{ stmt: Statement; condition?: Condition }> } }
  | { type: 'sequence'; sql?: string; sql_id?: number }
  | { type: 'describe'; sql?: string; sql_id?: number }
  | { type: 'store_sql'; sql_id: number; sql: string }
  | { type: 'close_sql'; sql_id: number }
  | { type: 'get_autocommit' }
  | { type: 'close' }

interface Statement {
  sql?: string
  sql_id?: number
  args?: Value[]
  named_args?: Array<{ name: string; value: Value }>
  want_rows?: boolean
}

type Condition =
  | { type: 'ok' | 'error'; step: number }
  | { type: 'not'; cond: Condition }
  | { type: 'and' | 'or'; conds: Condition[] }
  | { type: 'is_autocommit' }

type Value =
  | { type: 'null' }
  | { type: 'integer'; value: string }
  | { type: 'float'; value: number }
  | { type: 'text'; value: string }
  | { type: 'blob'; base64: string }

interface Failure {
  message: string
  code: string
}

interface StatementResult {
  cols: Array<{ name: string; decltype: string | null }>
  rows: Value[][]
  affected_row_count: number
  last_insert_rowid: string | null
}

function openConnection(path: string): SqliteFile {
  const connection = new SqliteFile(path, { create: true, readwrite: true, safeIntegers: true })
  connection.run('pragma foreign_keys = on')
  connection.run('pragma synchronous = off')
  return connection
}

// A baton is good for one request, as on a server.
function takeStream(
  streams: Map<string, Stream>,
  baton: string | undefined,
  path: string,
): Stream | undefined {
  if (baton === undefined) return { connection: openConnection(path), texts: new Map(), closed: false }
  const stream = streams.get(baton)
  streams.delete(baton)
  return stream
}

function answer(stream: Stream, request: StreamRequest): unknown {
  try {
    return { type: 'ok', response: { type: request.type, ...respond(stream, request) } }
  } catch (error) {
    return { type: 'error', error: failure(error) }
  }
}

function respond(stream: Stream, request: StreamRequest): object {
  switch (request.type) {
    case 'execute':
      return { result: execute(stream, request.stmt) }
    case 'batch':
      return { result: executeBatch(stream, request.batch.steps) }
    case 'sequence':
      stream.connection.run(textOf(stream, request))
      return {}
    case 'describe':
      return { result: describe(stream, textOf(stream, request)) }
    case 'store_sql':
      stream.texts.set(request.sql_id, request.sql)
      return {}
    case 'close_sql':
      stream.texts.delete(request.sql_id)
      return {}
    case 'get_autocommit':
      return { is_autocommit: !stream.connection.inTransaction }
    case 'close':
      stream.connection.close()
      stream.closed = true
      return {}
  }
}

function executeBatch(stream: Stream, steps: Array<{ stmt: Statement; condition?: Condition }>): object {
  const results: Array<StatementResult | null> = []
  const errors: Array<Failure | null> = []
  const holds = (condition: Condition): boolean => {
    switch (condition.type) {
      case 'ok':
        return (results[condition.step] ?? null) !== null
      case 'error':
        return (errors[condition.step] ?? null) !== null
      case 'not':
        return !holds(condition.cond)
      case 'and':
        return condition.conds.every(holds)
      case 'or':
        return condition.conds.some(holds)
      case 'is_autocommit':
        return !stream.connection.inTransaction
    }
  }
  for (const { stmt, condition } of steps) {
    let result: StatementResult | null = null
    let error: Failure | null = null
    try {
      if (condition === undefined || holds(condition)) result = execute(stream, stmt)
    } catch (thrown) {
      error = failure(thrown)
    }
    results.push(result)
    errors.push(error)
  }
  return { step_results: results, step_errors: errors }
}

function execute(stream: Stream, statement: Statement): StatementResult {
  const prepared = stream.connection.prepare(textOf(stream, statement))
  try {
    const rows = prepared.values(...bindings(statement)) as unknown[][]
    const [changes, rowid] =
      stream.connection.prepare('select changes(), last_insert_rowid()').values()[0] ?? []
    return {
      cols: prepared.columnNames.map((name, index) => ({
        name,
        decltype: prepared.declaredTypes[index] ?? null,
      })),
      rows: statement.want_rows === false ? [] : rows.map((row) => row.map(encodeValue)),
      affected_row_count: Number(changes),
      last_insert_rowid: String(rowid),
    }
  } finally {
    prepared.finalize()
  }
}

function describe(stream: Stream, sql: string): object {
  const prepared = stream.connection.prepare(sql)
  try {
    return {
      params: Array.from({ length: prepared.paramsCount }, () => ({ name: null })),
      cols: prepared.columnNames.map((name) => ({ name, decltype: null })),
      is_explain: /^\s*explain\b/i.test(sql),
      is_readonly: /^\s*(?:select|values|explain)\b/i.test(sql),
    }
  } finally {
    prepared.finalize()
  }
}

function textOf(stream: Stream, { sql, sql_id: sqlId }: { sql?: string; sql_id?: number }): string {
  const text = sql ?? (sqlId === undefined ? undefined : stream.texts.get(sqlId))
  if (text === undefined) throw new TypeError('The request has no SQL text')
  return text
}

function bindings({ args = [], named_args: named = [] }: Statement): SQLQueryBindings[] {
  if (named.length === 0) return args.map(decodeValue)
  return [Object.fromEntries(named.map(({ name, value }) => [name, decodeValue(value)]))]
}

function decodeValue(value: Value): string | number | bigint | Uint8Array | null {
  switch (value.type) {
    case 'null':
      return null
    case 'integer':
      return BigInt(value.value)
    case 'blob':
      return Uint8Array.fromBase64(value.base64)
    default:
      return value.value
  }
}

function encodeValue(value: unknown): Value {
  if (value === null) return { type: 'null' }
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
  if (typeof value === 'number') return { type: 'float', value }
  if (value instanceof Uint8Array) return { type: 'blob', base64: value.toBase64() }
  if (typeof value === 'string') return { type: 'text', value }
  throw new TypeError('SQLite has no such value')
}

// A server names the base code only; the rest is in the text.
function failure(error: unknown): Failure {
  if (!(error instanceof SQLiteError)) return { message: String(error), code: 'INTERNAL_ERROR' }
  const code = /^SQLITE_[A-Z]+/.exec(error.code ?? '')?.[0] ?? 'SQLITE_ERROR'
  return { message: `SQLite error: ${error.message}`, code }
}
