/** What the tests take from workerd's library when they load an object's class; all of its types would clash with Bun's. */
declare module 'cloudflare:workers' {
  import { CloudflareWorkersModule } from '@cloudflare/workers-types'

  export import DurableObject = CloudflareWorkersModule.DurableObject
}

declare module 'cloudflare:sockets' {
  import type { Socket, SocketAddress, SocketOptions } from '@cloudflare/workers-types'

  export function connect(address: SocketAddress, options: SocketOptions): Socket
}

declare const scheduler: { wait(ms: number): Promise<void> }
