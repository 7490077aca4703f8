/** Every refusal a caller can meet. One code, one meaning; the HTTP status of each stands in `http/problem.ts`. */
export type Code =
  | 'bad_request'
  | 'malformed_json'
  | 'unauthenticated'
  | 'mfa_code_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'name_taken'
  | 'has_children'
  | 'has_dependents'
  | 'scope_columns_missing'
  | 'not_empty'
  | 'newer_backup'
  | 'job_stopped'
  | 'alarm_closed'
  | 'no_runner'
  | 'fenced'
  | 'idempotency_conflict'
  | 'cycle'
  | 'last_administrator'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'invalid'
  | 'zip_unsafe'
  | 'value_in_future'
  | 'value_too_old'
  | 'value_not_defined'
  | 'value_out_of_range'
  | 'too_many_buckets'
  | 'too_many_jobs'
  | 'scope_unsupported_reference'
  | 'query_failed'
  | 'query_timeout'
  | 'query_too_large'
  | 'tls_unsupported_here'
  | 'import_failed'
  | 'too_fast'
  | 'too_many_attempts'
  | 'overloaded'
  | 'pool_exhausted'
  | 'source_unavailable'
  | 'unavailable'
  | 'storage_full'
  | 'not_configured'
  | 'internal'

/** One fault in the input: `pointer` is a JSON pointer into the body, `?name` for a query parameter, or
 * `{name}` for a part of the path. */
export type Fault = { readonly pointer: string; readonly message: string }

/** An error for the caller; every other error is a bug and answered with 500. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: Code,
    readonly detail: string,
    readonly errors: readonly Fault[] = [],
    /** When to come again, in seconds, where coming again may help. */
    readonly retryAfterS = 1,
  ) {
    super(`${code}: ${detail}`)
  }
}

/** The refusal of a request for a `noun` that does not exist or that the caller may not know of. */
export function noSuch(noun: string, errors: readonly Fault[] = []): Refusal {
  return new Refusal('not_found', `There is no such ${noun}.`, errors)
}

/** The refusal of an update that is based on an older version of the `noun`. */
export function stale(noun: string): Refusal {
  return new Refusal('precondition_failed', `The ${noun} was changed in the meantime. Read it again.`)
}

/** The refusal of a name that another `noun` has. */
export function nameTaken(noun: string, pointer = '/name'): Refusal {
  return new Refusal('name_taken', `Another ${noun} has this name.`, [
    { pointer, message: 'is already used' },
  ])
}

/** The refusal of a request with one fault: in the query if the pointer is `?name`, else in the body. */
export function invalidAt(pointer: string, message: string): Refusal {
  const part = pointer.startsWith('?') ? 'query' : 'body'
  return new Refusal('invalid', `The ${part} is invalid; see errors.`, [{ pointer, message }])
}

/** The refusal of a body whose media type is not accepted. */
export class TypeRefusal extends Refusal {
  constructor(
    detail: string,
    readonly allowed: readonly string[],
  ) {
    super('unsupported_media_type', detail)
  }
}

/** Returns a caught refusal. @throws any other error */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** The refusal that an error is, or the one that caused it: a host's refusal may come wrapped in an error of its client. */
export function refusalIn(error: unknown): Refusal | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Refusal) return cause
  }
  return null
}
