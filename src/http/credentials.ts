import type { Ports } from '../ports/index.ts'

/** A user name with its password. */
export type Credentials = { readonly username: string; readonly password: string }

/** The access token in an `Authorization` header. The specification spells the scheme `Baerer`, all clients `Bearer`. */
export function accessTokenIn(authorization: string): string | undefined {
  return /^(?:Baerer|Bearer) +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
}

/** The personal token in an `Authorization` header. */
export function personalTokenIn(authorization: string): string | undefined {
  return /^(?:Baerer|Bearer) +(tidemark_[\w-]{43})$/i.exec(authorization)?.[1]
}

/** The Basic credentials in an `Authorization` header; null for another scheme and for malformed credentials. */
export function basicCredentialsIn(authorization: string): Credentials | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  return encoded === undefined ? null : decodeBasic(encoded)
}

/** The token with which a script runner registers or works. */
export function runnerTokenOf({ headers }: Request): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,1024})$/i.exec(headers.get('authorization') ?? '')?.[1]
}

/** The session id in the header, else in the query; undefined when the query has more than one. */
export function sessionIdOf(request: Request, ports: Ports): string | undefined {
  const header = request.headers.get('x-session-id')
  if (header !== null) return header
  const [id, another] = queryIdsOf(request, ports)
  return another === undefined ? id : undefined
}

/** Whether a request authenticates by a session id, which is deprecated. */
export function sendsSession(request: Request, ports: Ports): boolean {
  const { headers } = request
  if (headers.has('authorization')) return false
  return headers.has('x-session-id') || queryIdsOf(request, ports).length > 0
}

function queryIdsOf({ url }: Request, { settings }: Ports): readonly string[] {
  return settings.takesQueryCredentials && url.includes('sessionId=')
    ? new URL(url).searchParams.getAll('sessionId')
    : []
}

function decodeBasic(encoded: string): Credentials | null {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    const colon = text.indexOf(':')
    return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
  } catch {
    return null
  }
}
