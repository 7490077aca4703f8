import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

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
