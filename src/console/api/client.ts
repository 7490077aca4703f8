import { Failure, failureOf } from './failure.ts'
import type { paths } from './openapi.d.ts'

export type Route = keyof paths
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type Operation<R extends Route, M extends Method> = paths[R] extends { [K in M]: infer O } ? O : never
type Json<A> = A extends { content: { 'application/json': infer B } } ? B : undefined
type Answers<O> = O extends { responses: infer A } ? A : never
/** The JSON body of a success of an operation. */
export type Answer<R extends Route, M extends Method = 'get'> = Json<
  Answers<Operation<R, M>>[keyof Answers<Operation<R, M>> & (200 | 201 | 202 | 204)]
>
/** One item of the list that a route answers. */
export type Item<R extends Route> = Answer<R> extends { items: (infer I)[] } ? I : never
type Parameters_<O> = O extends { parameters: infer P } ? P : never
type PathOf<O> = Parameters_<O> extends { path: infer P } ? { path: P } : { path?: never }
type QueryOf<O> = Parameters_<O> extends { query?: infer Q } ? { query?: Q } : { query?: never }
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { body?: B }
    : { body?: undefined }

/** The arguments of an operation: values of its path and query, and its JSON body. */
export type Target<R extends Route, M extends Method = 'get'> = PathOf<Operation<R, M>> &
  QueryOf<Operation<R, M>>
export type Call<R extends Route, M extends Method> = Target<R, M> & BodyOf<Operation<R, M>> & Options
export type Options = {
  readonly signal?: AbortSignal
  /** The version of the object that the caller has seen; another one is refused with 412. */
  readonly ifMatch?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** The source of the access token of requests, and the function that renews a token that the service refuses. */
type Credentials = {
  /** The value of `Authorization`, null when no user is signed in. */
  token(): Promise<string | null>
  /** Called after a 401. Resolves to true when the request should be sent again. */
  renew(): Promise<boolean>
}
let credentials: Credentials = { token: async () => null, renew: async () => false }
export function useCredentials(source: Credentials): void {
  credentials = source
}

/** The folder of the API: `/ui/` is one level below it, wherever the service is mounted. */
export const API_BASE = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** The path and query of a call, below `API_BASE`. */
export function urlOf(route: string, target: { path?: unknown; query?: unknown } = {}): string {
  const values = (target.path ?? {}) as Record<string, string | number>
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries((target.query ?? {}) as Record<string, unknown>)) {
    if (value === undefined || value === null || value === '') continue
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  }
  return query.size > 0 ? `${path}?${query}` : path
}

/** Sends a request with the caller's credentials. A refused access token is renewed once.
 * @throws {Failure} when the service cannot be reached or refuses the request */
export async function send(method: string, url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await sendOnce(method, url, init)
  if (answer.status !== 401 || !(await credentials.renew())) return successOf(answer)
  return successOf(await sendOnce(method, url, init))
}

async function sendOnce(method: string, url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  const token = await credentials.token()
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  try {
    return await fetch(API_BASE + url, { ...init, method, headers })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw Failure.unreachable(error)
  }
}

/** Sends a large body with the caller's credentials.
 * @param onSent called with the share of the body that was sent, from 0 to 1
 * @throws {Failure} as `send` */
export async function upload(
  url: string,
  body: Blob | FormData,
  {
    headers = {},
    onSent,
    signal,
  }: {
    readonly headers?: Readonly<Record<string, string>>
    readonly onSent: (share: number) => void
    readonly signal?: AbortSignal
  },
): Promise<Response> {
  const once = async (): Promise<Response> =>
    uploadOnce(url, body, { headers, onSent, token: await credentials.token(), ...(signal && { signal }) })
  const answer = await once()
  if (answer.status !== 401 || !(await credentials.renew())) return successOf(answer)
  return successOf(await once())
}

/** Sends a body by `XMLHttpRequest`, because `fetch` does not report the number of sent bytes. */
function uploadOnce(
  url: string,
  body: Blob | FormData,
  {
    headers,
    onSent,
    token,
    signal,
  }: {
    readonly headers: Readonly<Record<string, string>>
    readonly onSent: (share: number) => void
    readonly token: string | null
    readonly signal?: AbortSignal
  },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', API_BASE + url)
    request.responseType = 'blob'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (token !== null) request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total)
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'))
    signal?.addEventListener('abort', () => request.abort())
    request.onerror = () => reject(Failure.unreachable(new Error('The connection was lost.')))
    request.onload = () => {
      const answered = new Headers()
      for (const name of ['content-type', 'x-request-id', 'retry-after']) {
        const value = request.getResponseHeader(name)
        if (value !== null) answered.set(name, value)
      }
      const content = request.status === 204 ? null : (request.response as Blob)
      resolve(new Response(content, { status: request.status, headers: answered }))
    }
    if (signal?.aborted) request.onabort?.(new ProgressEvent('abort'))
    else request.send(body)
  })
}

async function successOf(answer: Response): Promise<Response> {
  // A service that is not ready names its checks; refusals are problem documents.
  const isReadiness =
    answer.status === 503 && answer.headers.get('content-type')?.startsWith('application/json') === true
  if (answer.ok || answer.status === 304 || isReadiness) return answer
  throw await failureOf(answer)
}

/** An answer with the version that `If-Match` takes. */
export type Versioned<T> = { readonly data: T; readonly etag: string | undefined }

/** Calls an operation of the API.
 * @throws {Failure} */
export async function call<R extends Route, M extends Method>(
  method: M,
  route: R,
  options: Call<R, M>,
): Promise<Answer<R, M>> {
  return (await callVersioned(method, route, options)).data
}

/** The same, with the `ETag` of the answer.
 * @throws {Failure} */
export async function callVersioned<R extends Route, M extends Method>(
  method: M,
  route: R,
  options: Call<R, M>,
): Promise<Versioned<Answer<R, M>>> {
  const { body, ifMatch, signal } = options as Options & { body?: unknown }
  const headers = new Headers(options.headers)
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (ifMatch !== undefined) headers.set('if-match', ifMatch)
  const answer = await send(method.toUpperCase(), urlOf(route, options), {
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  return { data: (await jsonOf(answer)) as Answer<R, M>, etag: answer.headers.get('etag') ?? undefined }
}

/** The JSON of an answer; undefined for an empty one. */
export async function jsonOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}
