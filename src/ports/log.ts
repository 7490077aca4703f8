export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Structured log lines. Callers never pass secrets; a line is one JSON object. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  /** `cause` is written with its stack. */
  error(message: string, cause: unknown, fields?: LogFields): void
}
