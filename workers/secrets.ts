import { scrypt } from 'node:crypto'

import type { ScryptCost, Secrets } from '../src/ports/secrets.ts'

const HASH_BYTES = 32

/** Chance and scrypt from `node:crypto`, which both Bun and workerd have, around the installation's key. */
export function secretsOf(
  key: Uint8Array<ArrayBuffer>,
  formerKeys: readonly Uint8Array<ArrayBuffer>[] = [],
): Secrets {
  if ([key, ...formerKeys].some(({ byteLength }) => byteLength < 32))
    throw new RangeError('A key of the installation must have 32 bytes at least.')
  return {
    key,
    formerKeys,
    random: (sizeBytes) => crypto.getRandomValues(new Uint8Array(sizeBytes)),
    scrypt: (password, salt, cost) => scryptOf(password, salt, cost),
  }
}

function scryptOf(password: string, salt: Uint8Array, { n, r, p }: ScryptCost): Promise<Uint8Array> {
  const maxmem = 256 * n * r
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, { N: n, r, p, maxmem }, (error, hash) => {
      if (error) reject(error)
      else resolve(new Uint8Array(hash))
    })
  })
}
