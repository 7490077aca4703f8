export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Structured log lines. Callers never pass secrets; a line is one JSON object. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  /** `cause` is written with its stack. */
  error(message: string, cause: unknown, fields?: LogFields): void
}

/** Cleans up after work whose own outcome counts: a failure is logged.
 * @param message the failure, and what becomes of the remains */
export async function cleanUp(
  log: Pick<Log, 'error'>,
  message: string,
  run: () => Promise<unknown>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    log.error(message, error)
  }
}
