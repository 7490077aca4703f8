import { ROLES } from '../../src/context.ts'
import type { Role } from '../../src/context.ts'
import { ADMIN } from '../hosts/host.ts'
import type { Host } from '../hosts/host.ts'
import { checkerOf, readDocument } from './openapi-checker.ts'
import type { Document } from './openapi-checker.ts'

export type Body = Record<string, unknown>

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly bytes: Uint8Array
  /** The parsed body; an empty object where there is none or it is not JSON. */
  readonly body: Body
}

export type Request = {
  readonly json?: unknown
  /** Raw body, for what is not JSON. */
  readonly text?: string
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** A body that is sent in chunks, without a content-length. */
  readonly chunks?: readonly (string | Uint8Array)[]
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** The caller; the administrator by default, `null` for a request without credentials. */
  readonly as?: Role | null
}

/** Speaks to a host as each role, and holds every answer against the OpenAPI document. */
export type Client = {
  readonly host: Host
  readonly document: Document
  /** The answers so far, as `GET /jobs/{id} 200`. */
  readonly seen: Set<string>
  /** Every good answer so far, as `POST /jobs` and its request id. */
  readonly changes: (readonly [route: string, requestId: string])[]
  readonly userIds: Readonly<Record<Role, number>>
  readonly sessionIds: Readonly<Record<Role, string>>
  request(method: string, path: string, request?: Request): Promise<Answer>
}

export const PASSWORD = 'a password of a test user'

/** Signs in as the administrator and makes one user of each role. */
export async function connect(host: Host): Promise<Client> {
  const sessionIds: Partial<Record<Role, string>> = {}
  const userIds: Partial<Record<Role, number>> = {}
  const speaker = await speakTo(host, { sessionIds })
  sessionIds.administrator = await logIn(speaker, ADMIN)
  const users = (await speaker.request('GET', '/users')).body as unknown as { id: number }[]
  userIds.administrator = users[0]?.id ?? 0
  for (const role of ROLES) {
    if (role === 'administrator') continue
    const user = { username: role, password: PASSWORD }
    const created = await speaker.request('POST', '/users', { json: { ...user, role } })
    userIds[role] = Number(created.body['id'])
    sessionIds[role] = await logIn(speaker, user)
  }
  return {
    ...speaker,
    host,
    userIds: userIds as Record<Role, number>,
    sessionIds: sessionIds as Record<Role, string>,
  }
}

/** Signs in as the administrator alone, on a host that has no other user. */
export async function connectAdministrator(host: Host): Promise<Speaker & { readonly sessionId: string }> {
  const sessionIds: Partial<Record<Role, string>> = {}
  const speaker = await speakTo(host, { sessionIds })
  const sessionId = await logIn(speaker, ADMIN)
  sessionIds.administrator = sessionId
  return { ...speaker, sessionId }
}

export async function logIn(
  { request }: Speaker,
  credentials: { username: string; password: string },
): Promise<string> {
  return String((await request('POST', '/session/login', { json: credentials, as: null })).body['sessionId'])
}

export type Speaker = Pick<Client, 'document' | 'seen' | 'changes' | 'request'>

/** Speaks to a host with the sessions there are, none at first; `seen` is filled with what it answers. */
export async function speakTo(
  host: Host,
  {
    sessionIds = {},
    seen = new Set(),
  }: { sessionIds?: Partial<Record<Role, string>>; seen?: Set<string> } = {},
): Promise<Speaker> {
  const document = await readDocument()
  const check = checkerOf(document)
  const changes: (readonly [string, string])[] = []
  const request = async (method: string, path: string, asked: Request = {}) => {
    const leaves = asked.signal ? { signal: asked.signal } : {}
    const sent = { ...requestOf(method, asked, sessionIds), ...leaves }
    const answer = await read(await fetch(host.url + path, sent))
    const route = check(method, path, answer)
    checkFrame(path, answer)
    if (route !== null) seen.add(`${route} ${answer.status}`)
    if (route !== null && answer.status < 300) changes.push([route, answer.headers.get('x-request-id') ?? ''])
    return answer
  }
  return { document, seen, changes, request }
}

function requestOf(method: string, asked: Request, sessionIds: Partial<Record<Role, string>>): RequestInit {
  const { json, text, bytes, chunks, headers = {}, as = 'administrator' } = asked
  const sessionId = as === null ? undefined : sessionIds[as]
  const body = json === undefined ? (text ?? bytes ?? (chunks && streamOf(chunks))) : JSON.stringify(json)
  return {
    method,
    redirect: 'manual',
    // A host may close the connection of a request whose body it did not read, or one that lay idle while a hash took
    // its time; only what changes nothing is sent anew by itself.
    keepalive: body === undefined && method === 'GET',
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(sessionId === undefined ? {} : { 'x-session-id': sessionId }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  }
}

function streamOf(chunks: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const chunk of chunks) {
        const sent = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
        if (sent.byteLength > 0) controller.enqueue(sent)
        await Bun.sleep(1)
      }
      controller.close()
    },
  })
}

async function read(response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    bytes,
    body: isJson && text !== '' ? (JSON.parse(text) as Body) : {},
  }
}

/** Header fields that no answer goes without. */
const FRAME = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Where an answer may be kept at all, and how long at most before it is asked for again. */
const KEPT = /^(?:no-store|private, no-cache)$/
/** Answers to public routes may be stored by caches. */
const PUBLIC = /^\/(?:status|badges|ui)\/|^\/styles\/custom\.css|^\/docs(?:\?|$)/
const KEPT_BY_OTHERS =
  /^(?:no-store|private, no-cache|no-cache|public, max-age=(?:30|60|31536000, immutable))$/

function checkFrame(path: string, { status, headers }: Answer): void {
  for (const [name, value] of Object.entries(FRAME)) {
    if (headers.get(name) !== value) throw new Error(`An answer ${status} comes without ${name}: ${value}.`)
  }
  if (!(PUBLIC.test(path) ? KEPT_BY_OTHERS : KEPT).test(headers.get('cache-control') ?? ''))
    throw new Error(`An answer ${status} may be kept: ${headers.get('cache-control')}.`)
  if (!headers.get('x-request-id')) throw new Error(`An answer ${status} comes without x-request-id.`)
}
