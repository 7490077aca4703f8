import { generateKeyPair, SignJWT } from 'jose'

import { base64url } from '../../src/lib/text.ts'

type Json = Record<string, unknown>
type Forgery = readonly [kind: string, token: string]
type Known = { readonly hostKey: Uint8Array<ArrayBuffer>; readonly sessionId: string }

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A token with the same header and claims, signed anew with the key of the installation. */
export async function tokenLike(genuine: string, hostKey: Uint8Array<ArrayBuffer>): Promise<string> {
  const [header, claims] = partsOf(genuine)
  return sign(header, claims, await derivedKey(hostKey))
}

/** Tokens that must not be taken for the genuine one's session; most are signed with the right key. */
export async function forgeries(genuine: string, { hostKey, sessionId }: Known): Promise<Forgery[]> {
  const key = await derivedKey(hostKey)
  const claims = await forgedClaims(genuine, { key, sessionId })
  return [
    ...claims,
    ...(await forgedHeaders(genuine, key)),
    ...(await foreignKeys(genuine, hostKey)),
    ...altered(genuine),
    ...malformed(genuine),
  ]
}

/** The right key under wrong claims. */
async function forgedClaims(
  genuine: string,
  { key, sessionId }: { key: CryptoKey; sessionId: string },
): Promise<Forgery[]> {
  const [header, claims] = partsOf(genuine)
  const now = Math.floor(Date.now() / 1000)
  const wrong: readonly (readonly [kind: string, name: string, values: readonly unknown[]])[] = [
    ['issuer', 'iss', [undefined, null, '', 'Tidemark', 'tidemark ', 'https://tidemark', ['tidemark'], 1]],
    ['audience', 'aud', [undefined, null, '', 'Tidemark', 'another', [], ['another'], 1]],
    [
      'subject',
      'sub',
      [
        undefined,
        null,
        '',
        'admin',
        '1',
        1,
        ['x'],
        sessionId,
        String(claims['sub']).toUpperCase(),
        "' or 1=1 --",
      ],
    ],
    ['expiry', 'exp', [undefined, null, 0, 1, now - 1, now - 300, -1, String(now + 300), '', {}]],
    ['not yet', 'nbf', [now + 60, now + 86_400, String(now), null]],
    ['issued', 'iat', [undefined, null, String(now), {}]],
  ]
  const forged: Forgery[] = []
  for (const [kind, name, values] of wrong) {
    for (const value of values) forged.push([kind, await sign(header, { ...claims, [name]: value }, key)])
  }
  return forged
}

/** The right key under wrong headers. */
async function forgedHeaders(genuine: string, key: CryptoKey): Promise<Forgery[]> {
  const [header, claims] = partsOf(genuine)
  const wrong: readonly (readonly [kind: string, change: Json])[] = [
    ...[undefined, null, '', 'JWT', 'at', 'application/at+jwt+x', 1].map((typ) => ['type', { typ }] as const),
    ...[
      undefined,
      null,
      '',
      'none',
      'None',
      'NONE',
      'nOnE',
      'HS384',
      'HS512',
      'hs256',
      'RS256',
      'ES256',
      'EdDSA',
      'dir',
      ['HS256'],
    ].map((alg) => ['algorithm', { alg }] as const),
    ...[['exp'], ['b64'], [], 'exp', null].map(
      (crit) => ['critical extension', { crit, b64: false, exp: 1 }] as const,
    ),
  ]
  const forged: Forgery[] = []
  for (const [kind, change] of wrong) forged.push([kind, await sign({ ...header, ...change }, claims, key)])
  const [head, body] = [base64url(bytesOf({ alg: 'none', typ: 'at+jwt' })), base64url(bytesOf(claims))]
  return [
    ...forged,
    ['unsigned', `${head}.${body}.`],
    ['unsigned', `${head}.${body}`],
    ['unsigned', `${head}.${body}.AA`],
  ]
}

/** The right claims under wrong keys, also such as the header offers. */
async function foreignKeys(genuine: string, hostKey: Uint8Array<ArrayBuffer>): Promise<Forgery[]> {
  const [header, claims] = partsOf(genuine)
  const zeros = await hmacKey(new Uint8Array(32))
  const secrets = ['tidemark', 'secret', '\0'].map((text) => new TextEncoder().encode(text))
  const forged: Forgery[] = []
  for (const secret of [new Uint8Array(32), hostKey, ...secrets]) {
    forged.push(['other key', await sign(header, claims, await hmacKey(secret))])
  }
  for (const kid of ['../../../../dev/null', '', "x' union select 'key", 'key', 0]) {
    forged.push(['key id', await sign({ ...header, kid }, claims, zeros)])
  }
  const jwk = { kty: 'oct', k: base64url(new Uint8Array(32)), alg: 'HS256' }
  for (const offer of [
    { jwk },
    { jku: 'https://example.org/keys' },
    { x5u: 'https://example.org/x' },
    { x5c: ['AA=='] },
  ]) {
    forged.push(['offered key', await sign({ ...header, ...offer }, claims, zeros)])
  }
  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
    const { privateKey } = await generateKeyPair(alg)
    forged.push([
      'asymmetric',
      await new SignJWT(claims).setProtectedHeader({ ...header, alg }).sign(privateKey),
    ])
  }
  return forged
}

/** One character of a genuine token exchanged for one that means other bits. */
function altered(genuine: string): Forgery[] {
  const forged: Forgery[] = []
  for (let index = 0; index < genuine.length; index += 2) {
    const place = ALPHABET.indexOf(genuine.charAt(index))
    if (place < 0) continue
    forged.push(['altered', genuine.slice(0, index) + ALPHABET.charAt(place ^ 32) + genuine.slice(index + 1)])
  }
  return forged
}

/** Texts that are not tokens, made from a genuine token. */
function malformed(genuine: string): Forgery[] {
  const [head = '', body = '', signature = ''] = genuine.split('.')
  const tokens = [
    `${genuine}.`,
    `${genuine}.${signature}`,
    `.${genuine}`,
    `${head}.${body}.${signature.slice(0, -2)}`,
    `${head}.${body}.${signature}AAAA`,
    `${head}..${signature}`,
    `.${body}.${signature}`,
    `${head}.${body}.${signature}=`,
    `${genuine},${genuine}`,
    `${genuine} x`,
    `${body}.${head}.${signature}`,
    `${base64url(bytesOf([]))}.${body}.${signature}`,
    `${head}.${base64url(bytesOf('text'))}.${signature}`,
    `${head}.${base64url(new Uint8Array([0xff, 0xfe]))}.${signature}`,
  ]
  return tokens.map((token) => ['malformed', token])
}

function partsOf(token: string): [header: Json, claims: Json] {
  const [header = '', claims = ''] = token.split('.')
  const read = (part: string) => JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))) as Json
  return [read(header), read(claims)]
}

/** Signs whatever it is given: jose would refuse most of it. */
async function sign(header: Json, claims: unknown, key: CryptoKey): Promise<string> {
  const text = `${base64url(bytesOf(header))}.${base64url(bytesOf(claims))}`
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return `${text}.${base64url(new Uint8Array(signature))}`
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function hmacKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

async function derivedKey(hostKey: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey('raw', hostKey, 'HKDF', false, ['deriveBits'])
  const info = new TextEncoder().encode('tidemark access token')
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return hmacKey(new Uint8Array(await crypto.subtle.deriveBits(hkdf, root, 256)))
}
