import { createHmac, scrypt, scryptSync } from 'node:crypto'

import type { ScryptCost, Secrets } from '../src/ports/secrets.ts'

const HASH_BYTES = 32

/** The key of the installation, with random bytes, HMAC and scrypt.
 * @param hash by default scrypt of `node:crypto`, which both Bun and workerd have */
export function secretsOf(
  key: Uint8Array<ArrayBuffer>,
  formerKeys: readonly Uint8Array<ArrayBuffer>[] = [],
  hash: Secrets['scrypt'] = scryptInPool,
): Secrets {
  if ([key, ...formerKeys].some(({ byteLength }) => byteLength < 32))
    throw new RangeError('The installation key must have at least 32 bytes.')
  return {
    key,
    formerKeys,
    hmac: (text) => createHmac('sha256', key).update(text).digest('hex'),
    random: (sizeBytes) => crypto.getRandomValues(new Uint8Array(sizeBytes)),
    scrypt: hash,
  }
}

/** scrypt (RFC 7914) in the calling thread, which it blocks. */
export function scryptNow(password: string, salt: Uint8Array, cost: ScryptCost): Uint8Array {
  return new Uint8Array(scryptSync(password, salt, HASH_BYTES, optionsOf(cost)))
}

function optionsOf({ n, r, p }: ScryptCost) {
  return { N: n, r, p, maxmem: 256 * n * r }
}

/** scrypt (RFC 7914) in the thread pool of the host, with normal priority. */
export function scryptInPool(password: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, optionsOf(cost), (error, hash) => {
      if (error) reject(error)
      else resolve(new Uint8Array(hash))
    })
  })
}
