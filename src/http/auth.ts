import type { Caller } from '../context.ts'
import { runnerOf } from '../automation/runs/runners/service.ts'
import { Refusal } from '../lib/errors.ts'
import { thenSync } from '../lib/maybe-promise.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Ports } from '../ports/index.ts'
import {
  callerOfCredentials,
  callerOfPersonalToken,
  callerOfSession,
  callerOfToken,
} from '../access/session/service/callers.ts'
import type { FoundUser } from '../access/users/callers.ts'

type User = Extract<Caller, { kind: 'user' }>

/** Who sends this request: access token, Basic credentials, or session id, the first that is there.
 * @throws {Refusal} unauthenticated when there is none or it is not valid */
export function authenticate(request: Request, ports: Ports): MaybePromise<User> {
  const authorization = request.headers.get('authorization')
  const found = authorization === null ? bySession(request, ports) : byHeader(request, authorization, ports)
  return thenSync(found, requireFound)
}

function requireFound(caller: User | null): User {
  if (!caller) throw new Refusal('unauthenticated', 'The credentials are missing, wrong or no longer valid.')
  return caller
}

/** The runner that sends this request. @throws {Refusal} unauthenticated */
export async function authenticateRunner(
  request: Request,
  ports: Ports,
): Promise<Extract<Caller, { kind: 'runner' }>> {
  const { id } = await runnerOf(ports, request)
  return { kind: 'runner', runnerId: id }
}

/** Whether a request is to be proven by a session id, which is a way that goes away. */
export function sendsSession(request: Request, ports: Ports): boolean {
  const { headers } = request
  if (headers.has('authorization')) return false
  return headers.has('x-session-id') || queryIdsOf(request, ports).length > 0
}

function byHeader(request: Request, authorization: string, ports: Ports): FoundUser {
  // The specification spells the scheme `Baerer`; everybody else spells it `Bearer`.
  const token = /^(?:Baerer|Bearer) +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
  if (token !== undefined) return callerOfToken(ports, token)
  const personal = /^(?:Baerer|Bearer) +(tidemark_[\w-]{43})$/i.exec(authorization)?.[1]
  if (personal !== undefined) return callerOfPersonalToken(ports, personal)
  const basic = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const credentials = basic === undefined ? null : decodeBasic(basic)
  return credentials && callerOfCredentials(ports, credentials, request)
}

function bySession(request: Request, ports: Ports): FoundUser {
  const header = request.headers.get('x-session-id')
  if (header !== null) return callerOfSession(ports, header)
  const [id, another] = queryIdsOf(request, ports)
  return id === undefined || another !== undefined ? null : callerOfSession(ports, id)
}

function queryIdsOf({ url }: Request, { settings }: Ports): readonly string[] {
  return settings.takesQueryCredentials && url.includes('sessionId=')
    ? new URL(url).searchParams.getAll('sessionId')
    : []
}

function decodeBasic(encoded: string): { username: string; password: string } | null {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    const colon = text.indexOf(':')
    return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
  } catch {
    return null
  }
}
