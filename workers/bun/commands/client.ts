import { CommandFailure, EXIT } from '../../server/failures.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A stream leaves piece by piece; its length is a header field. */
type Sent = string | Blob | ReadableStream<Uint8Array>

type SentInit = {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Sent
}

type Problem = {
  readonly detail?: string
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[]
}

const REDIRECTS = 300
const REFUSALS = 400
const ANSWER_SHOWN_MAX_LENGTH = 200
const CONNECTION_FAULTS: Readonly<Record<string, string>> = {
  ConnectionRefused: 'the connection was refused',
  ECONNREFUSED: 'the connection was refused',
  FailedToOpenSocket: 'the host is unknown or out of reach',
  ENOTFOUND: 'the host is unknown',
  [String(DOMException.TIMEOUT_ERR)]: 'it did not answer in time',
}

const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:'])
const UNTRUSTED = /CERT|UNABLE_TO_VERIFY/
const TOKEN = /^[\x21-\x7e]+$/

const CLOSED: ReadonlySet<string> = new Set(['ConnectionClosed', 'ECONNRESET'])
const MAY_BE_DONE = 'The service may have carried the request out: check that before you repeat it.'

/** The address of the service that this environment describes. */
export function defaultUrl(environment: Environment): string {
  const { TIDEMARK_URL: url, TIDEMARK_BASE_PATH: basePath = '' } = environment
  if (url !== undefined && url !== '') return url
  const host = environment['TIDEMARK_HOST'] ?? ''
  const port = Number(environment['TIDEMARK_PORT'] ?? 0)
  return `http://${reachable(host)}:${port > 0 ? port : 8080}${basePath}`
}

/** @throws {CommandFailure} usage, for another text; without the credentials that it may have */
function addressOf(url: string): string {
  const { protocol = '', username, password, search, hash } = URL.parse(url) ?? {}
  if (PROTOCOLS.has(protocol) && [username, password, search, hash].every((part) => part === ''))
    return url.replace(/\/+$/, '')
  throw new CommandFailure(
    EXIT.usage,
    'The address of the service must be like http://127.0.0.1:8080 or https://example.org/monitor, without credentials.',
  )
}

/** The header field. @throws {RangeError} without credentials */
function authorizationOf(environment: Environment): string {
  const { TIDEMARK_USERNAME: username, TIDEMARK_PASSWORD: password } = environment
  const token = environment['TIDEMARK_TOKEN']?.trim() ?? ''
  if (TOKEN.test(token)) return `Bearer ${token}`
  if (token !== '') throw new RangeError('TIDEMARK_TOKEN has characters that no token has.')
  if (username !== undefined && password !== undefined)
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  throw new RangeError('Set TIDEMARK_USERNAME and TIDEMARK_PASSWORD, or TIDEMARK_TOKEN.')
}

/** The name in a URL of the address that a service listens on. */
function reachable(host: string): string {
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** A response of the service that is not a success. */
export class RequestFailure extends RangeError {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** A running service and the credentials for it. */
export class Client {
  readonly #url: string
  readonly #authorization: string
  readonly #timeoutMs: number | null
  /** The variable that names a proxy. */
  readonly #proxy: string | null

  /** Requests have no time limit unless `timeoutMs` sets one. @throws {RangeError} without credentials */
  constructor(url: unknown, environment: Environment, timeoutMs: number | null = null) {
    this.#timeoutMs = timeoutMs
    this.#url = addressOf(typeof url === 'string' ? url : defaultUrl(environment))
    this.#authorization = authorizationOf(environment)
    const variable = this.#url.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY'
    this.#proxy = [variable, variable.toLowerCase()].find((name) => (environment[name] ?? '') !== '') ?? null
  }

  /** The address of the service, without a slash at its end. */
  get url(): string {
    return this.#url
  }

  /** Sends a request.
   * @throws {RequestFailure} naming the request, where the service refuses it
   * @throws {CommandFailure} unavailable, where no service answers */
  async ask(
    method: string,
    path: string,
    body?: Sent,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const response = await this.#send(method, path, body === undefined ? { headers } : { headers, body })
    if (response.ok) return response
    throw new RequestFailure(
      `${method} ${path} failed with status ${response.status}. ${sentencesOf(await textOf(response))}`,
      response.status,
    )
  }

  async read<Result>(path: string): Promise<Result> {
    return jsonOf<Result>(await this.ask('GET', path))
  }

  /** All items of a list that has pages. */
  async readPages<Item>(path: string, limit: number): Promise<readonly Item[]> {
    const items: Item[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor !== '' && { cursor }) })
      const response = await this.ask('GET', `${path}?${query.toString()}`)
      items.push(...(await jsonOf<readonly Item[]>(response)))
      cursor = nextCursor(response)
    }
    return items
  }

  /** The body of a response of any status. @throws {CommandFailure} unavailable, where no service answers */
  async readAny<Result>(path: string): Promise<Result> {
    return jsonOf<Result>(await this.#send('GET', path, {}))
  }

  async json<Result>(
    method: string,
    path: string,
    body: Sent,
    headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  ): Promise<Result> {
    return jsonOf<Result>(await this.ask(method, path, body, headers))
  }

  async #send(method: string, path: string, init: SentInit): Promise<Response> {
    const headers = { authorization: this.#authorization, ...init.headers }
    const limit = this.#timeoutMs === null ? {} : { signal: AbortSignal.timeout(this.#timeoutMs) }
    // A redirected POST would become a GET, which changes nothing and succeeds.
    const request = { ...init, ...limit, method, headers, timeout: false, redirect: 'manual' } as const
    const response = await fetch(this.#url + path, request).catch((error: unknown) => {
      // The body failed, such as a file.
      if (error instanceof CommandFailure) throw error
      throw this.#failureOf(`${method} ${path}`, error as Error & { readonly code?: string | number })
    })
    const location = response.headers.get('location')
    if (response.status < REDIRECTS || response.status >= REFUSALS || location === null) return response
    throw new CommandFailure(
      EXIT.unavailable,
      `${this.#url} leads to ${location}: pass the address of the service with --url.`,
    )
  }

  #failureOf(
    asked: string,
    { code = '', message }: Error & { readonly code?: string | number },
  ): CommandFailure {
    return new CommandFailure(EXIT.unavailable, this.#sentencesOf(asked, String(code), message))
  }

  #sentencesOf(asked: string, code: string, message: string): string {
    if (CLOSED.has(code))
      return `${this.#url} closed the connection before it answered ${asked}. ${MAY_BE_DONE}`
    if (UNTRUSTED.test(code))
      return `The certificate of ${this.#url} is refused: ${message}. NODE_EXTRA_CA_CERTS names the file of a private authority.`
    const proxy = this.#proxy === null ? '' : ` (${this.#proxy} is set)`
    return `No service answers at ${this.#url}${proxy}: ${CONNECTION_FAULTS[code] ?? message}. Start it, or pass its address with --url.`
  }
}

/** The cursor in the Link header of a page; null after the last. */
function nextCursor({ headers, url }: Response): string | null {
  const [, next] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  return next === undefined ? null : new URL(next, url).searchParams.get('cursor')
}

/** The body of an answer. @throws {CommandFailure} unavailable, where it is cut off or another program answered */
export async function jsonOf<Result>(response: Response): Promise<Result> {
  const text = await textOf(response)
  try {
    return JSON.parse(text) as Result
  } catch {
    const type = response.headers.get('content-type') ?? 'no type'
    throw new CommandFailure(
      EXIT.unavailable,
      `${response.url} answered ${type} instead of JSON: another program answers there. Pass the address of the service with --url.`,
    )
  }
}

async function textOf(response: Response): Promise<string> {
  return response.text().catch((cause: unknown) => {
    const message = `The answer of ${response.url} was cut off. ${MAY_BE_DONE}`
    throw new CommandFailure(EXIT.unavailable, message, { cause })
  })
}

/** The detail of a problem document, and a line for each of its errors. */
function sentencesOf(text: string): string {
  try {
    const { detail = '', errors = [] } = JSON.parse(text) as Problem
    return [detail, ...errors.map(({ pointer, message }) => `  ${pointer} ${message}.`)].join('\n')
  } catch {
    return text.slice(0, ANSWER_SHOWN_MAX_LENGTH)
  }
}
