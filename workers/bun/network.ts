import { openNetwork as openNetworkWith } from '../server/network.ts'
import type { FetchAt, NetworkOptions } from '../server/network.ts'

/** The network as Bun reaches it. */
export function openNetwork(options: NetworkOptions): ReturnType<typeof openNetworkWith> {
  return openNetworkWith(options, fetchAt)
}

export const fetchAt: FetchAt = (request, address) => {
  const url = new URL(request.url)
  const { host, hostname } = url
  url.hostname = address.includes(':') ? `[${address}]` : address
  const headers = new Headers(request.headers)
  headers.set('host', host)
  return fetch(new Request(url.href, request), {
    headers,
    redirect: 'manual',
    // Another name at this address is not to get this connection.
    keepalive: false,
    tls: { serverName: hostname.replaceAll(/[[\]]/g, '') },
  })
}
