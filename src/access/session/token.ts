import { errors, jwtVerify, SignJWT } from 'jose'

export const TOKEN_LIFETIME_S = 300

const ISSUER = 'tidemark'
const TYPE = 'at+jwt'

/** A signed access token that stands for a session (RFC 9068, HS256). */
export async function signToken(hostKey: Uint8Array, sessionHash: string, nowMs: number): Promise<string> {
  const nowS = Math.floor(nowMs / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', typ: TYPE })
    .setIssuer(ISSUER)
    .setAudience(ISSUER)
    .setSubject(sessionHash)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + TOKEN_LIFETIME_S)
    .sign(await tokenKey(hostKey))
}

/** The hash of the session that the token stands for; null when the token is not one of ours or has expired. */
export async function readToken(hostKey: Uint8Array, token: string, nowMs: number): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, await tokenKey(hostKey), {
      algorithms: ['HS256'],
      typ: TYPE,
      issuer: ISSUER,
      audience: ISSUER,
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: new Date(nowMs),
    })
    // jose checks that the claim is there, not what it is.
    return typeof payload.sub === 'string' ? payload.sub : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

const keys = new WeakMap<Uint8Array, Promise<CryptoKey>>()

/** A key of its own for tokens, derived from the host's key (HKDF, RFC 5869). */
function tokenKey(hostKey: Uint8Array): Promise<CryptoKey> {
  const known = keys.get(hostKey)
  if (known) return known
  const derived = deriveKey(hostKey)
  keys.set(hostKey, derived)
  return derived
}

async function deriveKey(hostKey: Uint8Array): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey('raw', hostKey.slice(), 'HKDF', false, ['deriveKey'])
  const info = new TextEncoder().encode('tidemark access token')
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return crypto.subtle.deriveKey(parameters, root, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, [
    'sign',
    'verify',
  ])
}
