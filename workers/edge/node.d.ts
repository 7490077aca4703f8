/** The part of Node's library that the edge uses under the `nodejs_compat` flag; all of its types would clash. */
declare module 'node:crypto' {
  interface Hmac {
    update(text: string): Hmac
    digest(encoding: 'hex'): string
  }
  export function createHmac(algorithm: 'sha256', key: Uint8Array): Hmac
  export function scrypt(
    password: string,
    salt: Uint8Array,
    sizeBytes: number,
    options: { N: number; r: number; p: number; maxmem: number },
    done: (error: Error | null, hash: Uint8Array) => void,
  ): void
  export function scryptSync(
    password: string,
    salt: Uint8Array,
    sizeBytes: number,
    options: { N: number; r: number; p: number; maxmem: number },
  ): Uint8Array
  export function pbkdf2Sync(
    password: string | Uint8Array,
    salt: Uint8Array,
    iterations: number,
    sizeBytes: number,
    digest: string,
  ): Uint8Array
}

declare module 'node:buffer' {
  export const Buffer: { from(text: string, encoding: 'hex'): Buffer }
  export type Buffer = Uint8Array<ArrayBuffer>
}

declare module 'node:net' {
  export interface Socket {
    on(event: 'data', listener: (chunk: Uint8Array) => void): this
    emit: (...event: never[]) => boolean
    destroy(error?: Error): this
  }
  export function connect(port: number, host: string): Socket
}

declare module 'node:tls' {
  import type { Socket } from 'node:net'

  export type TLSSocket = Socket
  export type ConnectionOptions = {
    readonly host?: string
    readonly servername?: string
    readonly ca?: string
    readonly rejectUnauthorized?: boolean
  }
  export function connect(port: number, host: string, options: ConnectionOptions): TLSSocket
}

declare module 'node:stream' {
  export class Duplex {
    constructor(options: {
      readonly allowHalfOpen: boolean
      readonly read: () => void
      readonly write: (chunk: Uint8Array, encoding: string, done: (error?: Error | null) => void) => void
      readonly destroy: (error: Error | null, done: (error: Error | null) => void) => void
    })
    push(chunk: Uint8Array | null): boolean
    emit: (...event: never[]) => boolean
    destroy(error?: Error): this
  }
}
