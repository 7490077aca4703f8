import createClient from 'openapi-fetch'
import type { Client, Middleware } from 'openapi-fetch'

import type { components, paths } from './openapi.d.ts'

/** The shapes of requests and answers by their names, such as `Schemas['Job']`. */
export type Schemas = components['schemas']

/** The body of a refusal (RFC 9457). */
export type Problem = Schemas['Problem']

/** A response that is not a success. */
export class TidemarkError extends Error {
  /** @param problem the body; null where a proxy answered in the place of the service */
  constructor(
    readonly status: number,
    readonly problem: Problem | null,
  ) {
    super(problem?.detail ?? `The service answered ${status}.`)
    this.name = 'TidemarkError'
  }
}

export type Options = {
  /** The address of the service with its base path, such as `https://tidemark.example.org`. */
  readonly url: string
  /** A personal token. */
  readonly token: string
  /** Sends the requests; the `fetch` of the platform by default. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** Calls a service: each operation of its OpenAPI document by path, with the types of its parameters, body and answers.
 * A call rejects with a {@link TidemarkError} unless it succeeds. */
export function tidemark({ url, token, fetch }: Options): Client<paths> {
  const client = createClient<paths>({
    baseUrl: url.replace(/\/$/, ''),
    headers: { authorization: `Bearer ${token}` },
    ...(fetch && { fetch }),
  })
  client.use(rejecting)
  return client
}

const rejecting: Middleware = {
  async onResponse({ response }) {
    if (response.ok || response.status === 304) return undefined
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
    throw new TidemarkError(response.status, isProblem ? ((await response.json()) as Problem) : null)
  },
}
