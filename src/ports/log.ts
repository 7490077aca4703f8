export type Fields = Readonly<Record<string, string | number | boolean | null>>

/** Structured log lines. Callers never pass secrets; a line is one JSON object. */
export interface Log {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  /** `cause` is written with its stack. */
  error(message: string, cause: unknown, fields?: Fields): void
}
