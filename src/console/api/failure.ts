import { faultText, problemText } from '../language/problems.ts'

/** One field that the service refused. */
export type FieldError = { readonly pointer: string; readonly message: string }

/** An object of the tree, by its place in the API. */
export type Subject = { readonly type: string; readonly id: number }

/** A request that failed: the problem document of the service (RFC 9457), or a network failure with `status` 0. Its texts are
 * in the language of the page. */
export class Failure extends Error {
  readonly status: number
  readonly code: string
  /** The detail of the API in English, where the page speaks another language and says less. */
  readonly original: string | null
  readonly errors: readonly FieldError[]
  readonly requestId: string | null
  readonly retryAfterS: number | null
  /** The object whose route was called; null for another route. */
  readonly object: Subject | null
  readonly #drawn = new Set<string>()

  constructor(problem: {
    readonly status: number
    readonly code: string
    readonly detail: string
    readonly errors?: readonly FieldError[]
    readonly requestId?: string | null
    readonly retryAfterS?: number | null
    readonly object?: Subject | null
    readonly cause?: unknown
  }) {
    const { text, original } = problemText(problem.code, problem.detail)
    super(text, { cause: problem.cause })
    const errors = problem.errors ?? []
    this.status = problem.status
    this.code = problem.code
    // Of an input that is not valid the fields say more than the detail.
    this.original = problem.code === 'invalid' && errors.length > 0 ? null : original
    this.errors = errors.map(({ pointer, message }) => ({ pointer, message: faultText(message) }))
    this.requestId = problem.requestId ?? null
    this.retryAfterS = problem.retryAfterS ?? null
    this.object = problem.object ?? null
  }

  static unreachable(cause: unknown): Failure {
    return new Failure({ status: 0, code: 'unreachable', detail: 'The service cannot be reached.', cause })
  }

  /** The refusal of the field at a JSON pointer, which the form draws at the field. */
  at(pointer: string): string | undefined {
    this.#drawn.add(pointer)
    return this.errors.find((error) => error.pointer === pointer)?.message
  }

  /** Whether the object was deleted, or the user may no longer see it: what the page has of it is not shown. */
  get isGone(): boolean {
    return this.status === 403 || this.status === 404
  }

  /** The refusals of fields that the form does not draw. */
  get elsewhere(): readonly FieldError[] {
    return this.errors.filter(({ pointer }) => !this.#drawn.has(pointer))
  }
}

/** Reads the problem document of a refused request. */
export async function failureOf(answer: Response): Promise<Failure> {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const common = {
    status: answer.status,
    requestId: answer.headers.get('x-request-id'),
    retryAfterS: Number.isFinite(seconds) ? seconds : null,
    object: objectOf(answer.url),
  }
  const problem = (await answer.json().catch(() => ({}))) as {
    readonly code?: string
    readonly detail?: string
    readonly title?: string
    readonly errors?: readonly { readonly pointer: string; readonly message: string }[]
  }
  return new Failure({
    ...common,
    code: problem.code ?? `http_${answer.status}`,
    detail: problem.detail ?? problem.title ?? `The service answered with status ${answer.status}.`,
    errors: problem.errors ?? [],
  })
}

/** The object that the URL of a route names; null for none. */
export function objectOf(url: string): Subject | null {
  const match = /\/(group|device|job|slo|slc)s?\/(\d+)(?=\/|\?|$)/.exec(url)
  return match ? { type: String(match[1]), id: Number(match[2]) } : null
}

/** Any thrown value as a failure; aborted requests stay what they are. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  return new Failure({
    status: 0,
    code: 'page',
    detail: error instanceof Error ? error.message : String(error),
    cause: error,
  })
}
