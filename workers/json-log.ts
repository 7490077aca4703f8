import type { LogFields, Log } from '../src/ports/log.ts'

/** Log lines as JSON, one a line: `level`, `at`, `message`, then the fields. Control characters are escaped by JSON. */
export function jsonLog(write: (line: string) => void): Log {
  const line = (level: string, message: string, fields: LogFields) =>
    write(JSON.stringify({ level, at: new Date().toISOString(), message, ...fields }))
  return {
    info: (message, fields = {}) => line('info', message, fields),
    warn: (message, fields = {}) => line('warn', message, fields),
    error: (message, cause, fields = {}) => line('error', message, { ...fields, cause: stackOf(cause) }),
  }
}

/** The stack with the stacks of its causes. Drizzle's own message is left out: it holds the parameters of the statement. */
function stackOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const isQuery = cause.name === 'DrizzleQueryError' || cause.message.startsWith('Failed query')
  // The stack of the reason of a time limit is empty.
  const own = isQuery ? 'A query failed.' : cause.stack || String(cause)
  return cause.cause === undefined ? own : `${own}\ncaused by ${stackOf(cause.cause)}`
}
