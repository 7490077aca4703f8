/** What the edge takes from Node's library under the `nodejs_compat` flag; the whole of its types would clash. */
declare module 'node:crypto' {
  export function scrypt(
    password: string,
    salt: Uint8Array,
    sizeBytes: number,
    options: { N: number; r: number; p: number; maxmem: number },
    done: (error: Error | null, hash: Uint8Array) => void,
  ): void
}
