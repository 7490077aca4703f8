import type { ScryptCost, Secrets } from '../../ports/secrets.ts'
import { base64url } from '../../lib/text.ts'

/** scrypt at 16 MiB of memory, which fits a Worker (OWASP Password Storage Cheat Sheet: N = 2^14, r = 8, p = 5). */
const COST: ScryptCost = { n: 16_384, r: 8, p: 5 }
const SALT_BYTES = 16

/** A self-describing hash of the password: `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(secrets: Secrets, password: string): Promise<string> {
  const salt = secrets.random(SALT_BYTES)
  const hash = await secrets.scrypt(normal(password), salt, COST)
  return ['scrypt', COST.n, COST.r, COST.p, base64url(salt), base64url(hash)].join('$')
}

/** Whether the password fits the hash. Takes as long when there is no hash, so that time tells nothing of who exists. */
export async function verifyPassword(
  secrets: Secrets,
  password: string,
  stored: string | null,
): Promise<boolean> {
  const parts = stored?.split('$') ?? []
  const [scheme, n, r, p, salt = '', hash = ''] = parts
  if (scheme !== 'scrypt') {
    await secrets.scrypt(normal(password), new Uint8Array(SALT_BYTES), COST)
    return false
  }
  const cost = { n: Number(n), r: Number(r), p: Number(p) }
  return sameText(base64url(await secrets.scrypt(normal(password), bytesOf(salt), cost)), hash)
}

/** Compares without telling by its time where two texts differ. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

function normal(password: string): string {
  return password.normalize('NFKC')
}

function bytesOf(text: string): Uint8Array {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (character) => character.charCodeAt(0))
}
