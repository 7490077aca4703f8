import { connect } from 'cloudflare:sockets'
import { Duplex } from 'node:stream'

import type { MysqlSocket, Place } from '../databases/connection.ts'

const HEADER_BYTES = 4

/** A connection for MySQL. To encrypt it the driver would use `node:tls`, which takes over no connection in workerd. */
export function connectMysqlSocket({ address, host, port, tls }: Place): MysqlSocket {
  const isEncrypted = tls !== 'disable'
  let socket = connect(
    { hostname: address, port },
    { secureTransport: isEncrypted ? 'starttls' : 'off', allowHalfOpen: false },
  )
  let reader = socket.readable.getReader()
  let writer = socket.writable.getWriter()
  // After the greeting nothing is read until the connection is encrypted.
  let greeting = isEncrypted ? new Greeting() : null
  const pass = async () => {
    if (greeting?.isWhole === true) return
    try {
      const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array }
      if (value) greeting?.take(value)
      duplex.push(done || !value ? null : value)
    } catch (error) {
      duplex.destroy(error as Error)
    }
  }
  const duplex = new Duplex({
    allowHalfOpen: false,
    read: () => void pass(),
    write: (chunk, _, done) => void settled(writer.write(chunk), done),
    destroy: (error, done) => void settled(socket.close(), () => done(error)),
  })
  // Reads and writes fail with the same error.
  socket.opened.catch(() => undefined)
  socket.closed.catch(() => undefined)
  return Object.assign(duplex, {
    async encrypt() {
      await writer.ready
      reader.releaseLock()
      writer.releaseLock()
      socket = socket.startTls({ expectedServerHostname: host })
      reader = socket.readable.getReader()
      writer = socket.writable.getWriter()
      socket.closed.catch(() => undefined)
      await socket.opened
      greeting = null
      pass().catch((error: Error) => duplex.destroy(error))
    },
  })
}

/** Calls back after the end of a promise, with its error if it rejects. */
async function settled(work: Promise<void>, done: (error: Error | null) => void): Promise<void> {
  const [{ reason = null } = {}] = (await Promise.allSettled([work])) as { reason?: Error }[]
  done(reason)
}

/** The first packet of a server. */
class Greeting {
  #header: number[] = []
  #bytes = 0

  take(chunk: Uint8Array): void {
    this.#header = [...this.#header, ...chunk.subarray(0, HEADER_BYTES)].slice(0, HEADER_BYTES)
    this.#bytes += chunk.length
  }

  /** The length of a packet is in the first three bytes of its header. */
  get isWhole(): boolean {
    const [low = 0, middle = 0, high = 0] = this.#header
    const size = low | (middle << 8) | (high << 16)
    return this.#header.length === HEADER_BYTES && this.#bytes >= HEADER_BYTES + size
  }
}
