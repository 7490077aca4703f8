import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

import type { DatabaseTarget } from '../../src/ports/databases.ts'

/** Changes the bytes that a server sends. @returns the bytes for the client; null to cut the connection, 'silence' to send no more */
export type Tamper = (chunk: Buffer, from: number) => Buffer | null | 'silence'

export type TamperingProxy = { readonly port: number; close(): void }

/** A server in front of another one that changes the answers of each connection.
 * @param tamper gets each chunk with the number of bytes that the server sent before it */
export async function startTamperingProxy(port: number, tamper: Tamper): Promise<TamperingProxy> {
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    let sent = 0
    let isSilent = false
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        server.destroy()
        sockets.delete(socket)
      })
    }
    client.on('data', (chunk) => server.write(chunk))
    server.on('data', (chunk: Buffer) => {
      const changed = isSilent ? 'silence' : tamper(chunk, sent)
      sent += chunk.length
      if (changed === null) client.destroy()
      else if (changed === 'silence') isSilent = true
      else client.write(changed)
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A server that refuses TLS: PostgreSQL answers with a letter; MySQL has a bit in its greeting. */
export function withoutTls(type: DatabaseTarget['type']): Tamper {
  return (chunk, from) => {
    if (from > 0) return chunk
    if (type === 'postgresql') return Buffer.from('N')
    const changed = Buffer.from(chunk)
    const at = chunk.indexOf(0, 5) + 15
    changed[at] = (chunk[at] ?? 0) & ~0x08
    return changed
  }
}
