import { Refusal } from '../../lib/errors.ts'
import { base64url, fromBase64url } from '../../lib/text.ts'
import type { Secrets } from '../../ports/secrets.ts'

/** The keys derived from the key of the installation (HKDF, RFC 5869), each for one purpose. */
export type Keys = {
  /** Identifies the key and reveals nothing of it. */
  readonly id: string
  readonly accessToken: CryptoKey
  readonly refreshToken: CryptoKey
  readonly seal: CryptoKey
}

const ID_BITS = 48
const known = new WeakMap<Uint8Array, Keys>()

/** The keys that sign and seal now. */
export function presentKeys({ key }: Secrets): Promise<Keys> {
  return keysOf(key)
}

/** The keys of this id, present or former; null for an unknown id. */
export async function keysCalled(secrets: Secrets, id: unknown): Promise<Keys | null> {
  for (const key of [secrets.key, ...secrets.formerKeys]) {
    const keys = await keysOf(key)
    if (keys.id === id) return keys
  }
  return null
}

/** Encrypts bytes with the key of the installation. @returns a text that `unseal` opens for the same purpose only */
export async function seal(
  secrets: Secrets,
  bytes: Uint8Array<ArrayBuffer>,
  purpose: string,
): Promise<string> {
  const { id, seal: key } = await presentKeys(secrets)
  const iv = secrets.random(12)
  const sealed = await crypto.subtle.encrypt(cipher(iv, purpose), key, bytes)
  return [id, base64url(iv), base64url(new Uint8Array(sealed))].join('.')
}

/** Encrypts a text, as `seal` does. */
export function sealText(secrets: Secrets, text: string, purpose: string): Promise<string> {
  return seal(secrets, new Uint8Array(new TextEncoder().encode(text)), purpose)
}

/** Decrypts a sealed value. @throws {Error} when it was sealed with an unknown key or for another purpose */
export async function unseal(
  secrets: Secrets,
  sealed: string,
  purpose: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const [id, iv = '', bytes = ''] = sealed.split('.')
  const keys = await keysCalled(secrets, id)
  if (!keys) throw new Error('Cannot decrypt a secret: the installation key has changed or is missing.')
  const plain = await crypto.subtle.decrypt(
    cipher(fromBase64url(iv), purpose),
    keys.seal,
    fromBase64url(bytes),
  )
  return new Uint8Array(plain)
}

/** Decrypts a sealed text. @param what the name of the secret, for the user who can enter it again
 * @throws {Refusal} conflict when it was sealed with an unknown key or for another purpose */
export async function unsealText(
  secrets: Secrets,
  sealed: string,
  { purpose, what }: { readonly purpose: string; readonly what: string },
): Promise<string> {
  try {
    return new TextDecoder().decode(await unseal(secrets, sealed, purpose))
  } catch (error) {
    const refusal = new Refusal(
      'conflict',
      `${what} cannot be decrypted: the installation key has changed or is missing. Enter it again.`,
    )
    refusal.cause = error
    throw refusal
  }
}

function cipher(iv: Uint8Array<ArrayBuffer>, purpose: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(purpose) }
}

async function keysOf(key: Uint8Array<ArrayBuffer>): Promise<Keys> {
  let keys = known.get(key)
  if (!keys) known.set(key, (keys = await derive(key)))
  return keys
}

async function derive(key: Uint8Array<ArrayBuffer>): Promise<Keys> {
  const root = await crypto.subtle.importKey('raw', key.slice(), 'HKDF', false, ['deriveKey', 'deriveBits'])
  const hkdf = (purpose: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(`tidemark ${purpose}`),
  })
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
  const signing = (purpose: string) =>
    crypto.subtle.deriveKey(hkdf(purpose), root, hmac, false, ['sign', 'verify'])
  const aes = { name: 'AES-GCM', length: 256 }
  return {
    id: base64url(new Uint8Array(await crypto.subtle.deriveBits(hkdf('key id'), root, ID_BITS))),
    accessToken: await signing('access token'),
    refreshToken: await signing('refresh token'),
    seal: await crypto.subtle.deriveKey(hkdf('sealed secret'), root, aes, false, ['encrypt', 'decrypt']),
  }
}
