import { errors, jwtVerify, SignJWT } from 'jose'
import type { Secrets } from '../../ports/secrets.ts'
import { keysCalled, presentKeys } from './keys.ts'

export const TOKEN_LIFETIME_S = 300

const ISSUER = 'tidemark'
const ACCESS = { typ: 'at+jwt', audience: 'tidemark', key: 'accessToken' } as const
const REFRESH = {
  body: { typ: 'rt+jwt', audience: 'tidemark refresh', key: 'refreshToken' },
  cookie: { typ: 'rt+jwt', audience: 'tidemark refresh cookie', key: 'refreshToken' },
} as const

/** Where a refresh token travels. One of a cookie is not accepted in a body, nor the reverse. */
export type Carrier = keyof typeof REFRESH
type Kind = typeof ACCESS | (typeof REFRESH)[Carrier]

/** The content of a refresh token: a session, and the number of its earlier refreshes. */
export type Refresh = { readonly sessionHash: string; readonly count: number; readonly carrier: Carrier }

/** A signed access token that stands for a session (RFC 9068, HS256). */
export function signToken(secrets: Secrets, sessionHash: string, nowMs: number): Promise<string> {
  return sign(secrets, ACCESS, { sessionHash, nowMs, endMs: nowMs + TOKEN_LIFETIME_S * 1000 })
}

/** The hash of the session that the token stands for; null when the token is not one of ours or has expired. */
export async function readToken(secrets: Secrets, token: string, nowMs: number): Promise<string | null> {
  const claims = await read(secrets, ACCESS, token, nowMs)
  return claims && claims.sub
}

/** A signed token that is good for one refresh of its session until `endMs`. */
export function signRefresh(
  secrets: Secrets,
  { sessionHash, count, carrier }: Refresh,
  { nowMs, endMs }: { readonly nowMs: number; readonly endMs: number },
): Promise<string> {
  return sign(secrets, REFRESH[carrier], { sessionHash, nowMs, endMs, count })
}

/** The content of a refresh token; null for an unknown or expired one. */
export async function readRefresh(
  secrets: Secrets,
  { token, carrier }: { readonly token: string; readonly carrier: Carrier },
  nowMs: number,
): Promise<Refresh | null> {
  const claims = await read(secrets, REFRESH[carrier], token, nowMs)
  return claims && Number.isSafeInteger(claims.count)
    ? { sessionHash: claims.sub, count: claims.count as number, carrier }
    : null
}

async function sign(
  secrets: Secrets,
  kind: Kind,
  about: { sessionHash: string; nowMs: number; endMs: number; count?: number },
): Promise<string> {
  const keys = await presentKeys(secrets)
  return new SignJWT(about.count === undefined ? {} : { count: about.count })
    .setProtectedHeader({ alg: 'HS256', typ: kind.typ, kid: keys.id })
    .setIssuer(ISSUER)
    .setAudience(kind.audience)
    .setSubject(about.sessionHash)
    .setIssuedAt(Math.floor(about.nowMs / 1000))
    .setExpirationTime(Math.floor(about.endMs / 1000))
    .sign(keys[kind.key])
}

async function read(
  secrets: Secrets,
  kind: Kind,
  token: string,
  nowMs: number,
): Promise<{ sub: string; count?: unknown } | null> {
  const keyOf = async ({ kid }: { kid?: string }) => {
    const keys = await keysCalled(secrets, kid)
    if (!keys) throw new errors.JWKSNoMatchingKey()
    return keys[kind.key]
  }
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: ['HS256'],
      typ: kind.typ,
      issuer: ISSUER,
      audience: kind.audience,
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: new Date(nowMs),
    })
    // jose checks that the claim exists, not its value.
    return typeof payload.sub === 'string' ? { sub: payload.sub, count: payload['count'] } : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
