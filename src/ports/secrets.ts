/** Secrets and randomness: the host's key, random bytes, and a slow hash of passwords. */
export interface Secrets {
  /** At least 32 bytes, the same at every start of this installation, never stored in the system database. */
  readonly key: Uint8Array<ArrayBuffer>
  /** Former keys, the latest first: texts that were sealed with them are still valid. */
  readonly formerKeys: readonly Uint8Array<ArrayBuffer>[]
  /** HMAC-SHA-256 (RFC 2104) of a text under `key`, as hexadecimal digits; in the same turn, as each request with a password
   * needs it. */
  hmac(text: string): string
  random(sizeBytes: number): Uint8Array<ArrayBuffer>
  /** scrypt (RFC 7914), 32 bytes of output; leaves the event loop free. */
  scrypt(password: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array>
}

export type ScryptCost = { readonly n: number; readonly r: number; readonly p: number }
