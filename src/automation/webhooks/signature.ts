import { Refusal } from '../../lib/errors.ts'
import { sameText } from '../../lib/text.ts'

/** The maximum difference between the time of a signature and the clock of the service. */
const SKEW_MAX_MS = 5 * 60_000

/** Holds a body to its signature: `t=<epoch seconds>,v1=<HMAC-SHA-256 of "t.body" with the key, hexadecimal>`, of which
 * there may be several `v1`. @returns the one that fits, which identifies this body and time
 * @throws {Refusal} unauthenticated without a fitting one, or for a time that differs by over 5 minutes */
export async function requireSignature(
  header: string | null,
  { body, signingKey, now }: { readonly body: Uint8Array; readonly signingKey: string; readonly now: number },
): Promise<string> {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('=', 2))
  const [time = ''] = parts.flatMap(([name, value = '']) => (name === 't' ? [value] : []))
  if (!/^\d{1,12}$/.test(time)) throw refused('The signature is missing or malformed.')
  if (Math.abs(Number(time) * 1_000 - now) > SKEW_MAX_MS)
    throw refused('The timestamp of the signature is more than 5 minutes off.')
  const wanted = await signatureOf(signingKey, time, body)
  if (!parts.some(([name, value = '']) => name === 'v1' && sameText(value.toLowerCase(), wanted)))
    throw refused('The signature does not match the request.')
  return wanted
}

async function signatureOf(signingKey: string, time: string, body: Uint8Array): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(signingKey), algorithm, false, ['sign'])
  const head = encoder.encode(`${time}.`)
  const signed = new Uint8Array(head.byteLength + body.byteLength)
  signed.set(head)
  signed.set(body, head.byteLength)
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)).toHex()
}

function refused(detail: string): Refusal {
  return new Refusal('unauthenticated', detail)
}
