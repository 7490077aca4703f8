import { base64url, fromBase64url } from '../../../lib/text.ts'
import type { ScryptCost, Secrets } from '../../../ports/secrets.ts'

/** As much as a password costs: 16 MiB, which fit a Worker. */
const COST: ScryptCost = { n: 16_384, r: 8, p: 5 }
const SALT_BYTES = 16
const IV_BYTES = 12
const CHECKED = 'tidemark backup'

/** The keys of one archive, derived from the operator's passphrase. */
export type ArchiveKeys = {
  /** Base64url; written into the archive. */
  readonly salt: string
  readonly seal: CryptoKey
  readonly sign: CryptoKey
}

/** The keys of an archive (scrypt, then HKDF); of a new one where no salt is given. */
export async function archiveKeys(
  secrets: Secrets,
  passphrase: string,
  salt = base64url(secrets.random(SALT_BYTES)),
): Promise<ArchiveKeys> {
  const hash = await secrets.scrypt(passphrase.normalize('NFC'), fromBase64url(salt), COST)
  const root = await crypto.subtle.importKey('raw', new Uint8Array(hash), 'HKDF', false, ['deriveKey'])
  const hkdf = (purpose: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(`tidemark backup ${purpose}`),
  })
  const aes = { name: 'AES-GCM', length: 256 }
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
  return {
    salt,
    seal: await crypto.subtle.deriveKey(hkdf('seal'), root, aes, false, ['encrypt', 'decrypt']),
    sign: await crypto.subtle.deriveKey(hkdf('proof'), root, hmac, false, ['sign', 'verify']),
  }
}

/** A secret as it stands in an archive; good for the one purpose only. */
export async function sealFor(
  { seal }: ArchiveKeys,
  iv: Uint8Array<ArrayBuffer>,
  secret: Uint8Array<ArrayBuffer>,
  purpose: string,
): Promise<string> {
  const sealed = await crypto.subtle.encrypt(cipher(iv, purpose), seal, secret)
  return `${base64url(iv)}.${base64url(new Uint8Array(sealed))}`
}

/** @throws {Error} when it was sealed with another key or for something else */
export async function unsealFrom(
  { seal }: ArchiveKeys,
  sealed: string,
  purpose: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const [iv = '', bytes = ''] = sealed.split('.')
  return new Uint8Array(
    await crypto.subtle.decrypt(cipher(fromBase64url(iv), purpose), seal, fromBase64url(bytes)),
  )
}

/** So many random bytes begin a secret in an archive. */
export const SEAL_IV_BYTES = IV_BYTES

/** The MAC of a text by the key of the passphrase, base64url. */
export async function proofOf({ sign }: ArchiveKeys, text = CHECKED): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', sign, new TextEncoder().encode(text))))
}

export async function isProof({ sign }: ArchiveKeys, proof: string, text = CHECKED): Promise<boolean> {
  try {
    return await crypto.subtle.verify('HMAC', sign, fromBase64url(proof), new TextEncoder().encode(text))
  } catch {
    return false
  }
}

function cipher(iv: Uint8Array<ArrayBuffer>, purpose: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(purpose) }
}
