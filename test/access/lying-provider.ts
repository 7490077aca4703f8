import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWK, JWTPayload } from 'jose'

import { base64url } from '../../src/lib/text.ts'

type Json = Record<string, unknown>
type Header = { alg: string; kid?: string; [name: string]: unknown }

/** An ID token in the making: what a lie changes of it. */
export type Draft = {
  header: Header
  claims: JWTPayload
  sign: 'key' | 'other key' | 'nothing' | 'public key' | 'secret'
}

/** What the provider answers in place of the truth, by the place that it is asked for. */
export type Lie = {
  readonly draft?: (draft: Draft) => void
  readonly token?: (answer: Json) => Response | Json
  readonly userinfo?: (answer: Json) => Response | Json
  readonly metadata?: (answer: Json) => Response | Json
  readonly jwks?: (answer: Json) => Response | Json
  /** What the callback gets beside code and state. */
  readonly callback?: (parameters: URLSearchParams) => void
}

export const SUBJECT = 'somebody'
const CLIENT_ID = 'tidemark'
const LIFETIME_S = 300

/** A provider that says what a test tells it to, and the truth without a lie. */
export async function startLyingProvider() {
  const pair = await generateKeyPair('RS256', { extractable: true })
  const other = await generateKeyPair('RS256', { extractable: true })
  let keys: JWK[] = [{ ...(await exportJWK(pair.publicKey)), kid: 'first', use: 'sig', alg: 'RS256' }]
  let signing = { key: pair.privateKey, kid: 'first' }
  let lie: Lie = {}
  let nonce = ''
  const asked: string[] = []

  const idToken = async (): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const draft: Draft = {
      header: { alg: 'RS256', kid: signing.kid },
      claims: { iss: issuer, aud: CLIENT_ID, sub: SUBJECT, nonce, iat: now, exp: now + LIFETIME_S },
      sign: 'key',
    }
    lie.draft?.(draft)
    return signed(draft)
  }

  const signed = async ({ header, claims, sign }: Draft): Promise<string> => {
    if (sign === 'key')
      return new SignJWT(claims).setProtectedHeader(header).sign(signing.key, { crit: { made: true } })
    if (sign === 'other key') return new SignJWT(claims).setProtectedHeader(header).sign(other.privateKey)
    const text = [header, claims].map((part) => base64url(bytesOf(JSON.stringify(part)))).join('.')
    if (sign === 'nothing') return `${text}.`
    const secret = sign === 'secret' ? 'a secret between the two of them' : JSON.stringify(keys[0])
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['sign'])
    return `${text}.${base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text))))}`
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const place = new URL(request.url).pathname
      asked.push(place)
      if (place === '/.well-known/openid-configuration') return told(lie.metadata, metadata())
      if (place === '/jwks') return told(lie.jwks, { keys })
      if (place === '/userinfo')
        return told(lie.userinfo, { sub: SUBJECT, preferred_username: 'somebody there', groups: ['ops'] })
      if (place !== '/token') return new Response(null, { status: 404 })
      return told(lie.token, { access_token: 'x', token_type: 'Bearer', id_token: await idToken() })
    },
  })
  const issuer = server.url.origin

  function metadata(): Json {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${issuer}/logout`,
      authorization_response_iss_parameter_supported: true,
    }
  }

  return {
    issuer,
    /** What it was asked for so far, path by path. */
    asked,
    /** Tells this lie until the next, to the login that has this nonce. */
    tell(next: Lie, to = '') {
      lie = next
      nonce = to
    },
    /** Signs with a new key from now on, and publishes that alone. */
    async rotate(kid: string) {
      const next = await generateKeyPair('RS256', { extractable: true })
      keys = [{ ...(await exportJWK(next.publicKey)), kid, use: 'sig', alg: 'RS256' }]
      signing = { key: next.privateKey, kid }
    },
    /** A logout token that is right but for the lie. */
    async logoutToken(change: (draft: Draft) => void = () => {}): Promise<string> {
      const now = Math.floor(Date.now() / 1000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const claims = { iss: issuer, aud: CLIENT_ID, sub: SUBJECT, iat: now, exp: now + 120, jti: 'x', events }
      const draft: Draft = {
        header: { alg: 'RS256', kid: signing.kid, typ: 'logout+jwt' },
        claims,
        sign: 'key',
      }
      change(draft)
      return signed(draft)
    },
    close: () => server.stop(true),
  }
}

function told(lie: ((answer: Json) => Response | Json) | undefined, truth: Json): Response {
  const answer = lie ? lie(truth) : truth
  return answer instanceof Response ? answer : Response.json(answer)
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
