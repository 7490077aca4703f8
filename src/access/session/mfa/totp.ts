import { sameText } from '../../../lib/text.ts'

/** Time-based one-time codes (RFC 6238) of six digits, HMAC-SHA-1, 30 seconds: what every authenticator takes. */

const STEP_MS = 30_000
const DIGITS = 6
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The number of the step in which an instant lies. */
export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS)
}

/** The code of a step, with leading zeros. */
export async function codeOf(secret: Uint8Array<ArrayBuffer>, step: number): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(step))
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter))
  const offset = mac.getUint8(mac.byteLength - 1) & 0x0f
  const number = mac.getUint32(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step whose code this is: the present one, the one before or the one after; null for any other code. */
export async function stepOf(
  secret: Uint8Array<ArrayBuffer>,
  code: string,
  nowMs: number,
): Promise<number | null> {
  const now = stepAt(nowMs)
  let found: number | null = null
  for (const step of [now - 1, now, now + 1]) if (sameText(await codeOf(secret, step), code)) found = step
  return found
}

/** Bytes as base32 without padding (RFC 4648 section 6), which is how authenticators take a secret. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((value >>> (bits - 5)) & 31)
    value &= 31
  }
  return bits === 0 ? text : text + ALPHABET.charAt((value << (5 - bits)) & 31)
}
