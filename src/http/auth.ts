import type { Context as HonoContext } from 'hono'
import type { Caller } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import type { Ports } from '../ports/index.ts'
import { callerOfCredentials, callerOfSession, callerOfToken } from '../access/session/service.ts'

type User = Extract<Caller, { kind: 'user' }>

/** Who sends this request: access token, Basic credentials, or session id, the first that is there.
 * @throws {Refusal} unauthenticated when there is none or it is not valid */
export async function authenticate(c: HonoContext, ports: Ports): Promise<User> {
  const authorization = c.req.header('authorization')
  const caller =
    authorization === undefined ? await bySession(c, ports) : await byHeader(authorization, ports)
  if (!caller) throw new Refusal('unauthenticated', 'The credentials are missing, wrong or no longer valid.')
  return caller
}

function byHeader(authorization: string, ports: Ports): Promise<User | null> {
  // The specification spells the scheme `Baerer`; everybody else spells it `Bearer`.
  const token = /^(?:Baerer|Bearer) ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
  if (token !== undefined) return callerOfToken(ports, token)
  const basic = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const credentials = basic === undefined ? null : decodeBasic(basic)
  return credentials ? callerOfCredentials(ports, credentials) : Promise.resolve(null)
}

function bySession(c: HonoContext, ports: Ports): Promise<User | null> {
  const header = c.req.header('x-session-id')
  const given = header === undefined ? (c.req.queries('sessionId') ?? []) : [header]
  const [sessionId] = given
  if (sessionId === undefined) return Promise.resolve(null)
  c.set('isDeprecated', true)
  return given.length === 1 ? callerOfSession(ports, sessionId) : Promise.resolve(null)
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
