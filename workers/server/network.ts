import { lookup } from 'node:dns/promises'

import {
  addressIn,
  ALLOWED_ALONE,
  faultOfReceiver,
  isAllowed,
  isPublicAddress,
} from '../../src/lib/addresses.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Network } from '../../src/ports/network.ts'
import type { Peers } from './listener.ts'

export type NetworkOptions = {
  readonly trustedProxies: number
  readonly outboundAllow: ReadonlySet<string>
  /** The addresses of a name, the best first. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>
}

/** Sends a request to this address only, because the name may resolve to another one by now. The certificate must match the
 * name, redirects are not followed, and another name at this address does not get the connection. */
export type FetchAt = (request: Request, address: string) => Promise<Response>

/** The addresses of callers, and outgoing requests. A caller has the address of the peer. Behind trusted proxies it is the
 * address that the first of them wrote, and `unknown` if that is not an address. */
export function openNetwork(
  { trustedProxies, outboundAllow, addressesOf = lookedUp }: NetworkOptions,
  fetchAt: FetchAt,
): Network & { listensAs(listener: Peers): void } {
  let listener: Peers | null = null
  /** The peers of long requests, because a listener forgets the peer of a request with the answer. */
  const keptAddresses = new WeakMap<Request, string>()
  const addressOf = (request: Request): string => {
    const peer = keptAddresses.get(request) ?? listener?.peerOf(request) ?? ''
    if (trustedProxies === 0) return peer
    const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? []
    const seen = forwarded.at(-trustedProxies)
    return seen === undefined ? peer : addressIn(seen.trim())
  }
  return {
    listensAs(http) {
      listener = http
    },
    takesLong(request) {
      keptAddresses.set(request, listener?.peerOf(request) ?? '')
      listener?.keepOpen(request)
    },
    fetch: (request) => fetch(request),
    async fetchOutside(request) {
      const fault = faultOfReceiver(request.url, outboundAllow)
      if (fault !== null) throw new Refusal('forbidden', `The URL ${fault}.`)
      const url = new URL(request.url)
      if (isAllowed(url, outboundAllow)) return fetch(request, { redirect: 'manual' })
      const addresses = await addressesOf(url.hostname)
      const [address] = addresses
      if (address === undefined || !addresses.every(isPublicAddress))
        throw new Refusal('forbidden', `The URL leads to a private address: ${ALLOWED_ALONE}.`)
      return fetchAt(request, address)
    },
    addressOf,
  }
}

/** The addresses of a name, the best first. @throws {Error} for an unknown name */
export async function lookedUp(name: string): Promise<readonly string[]> {
  const found = await lookup(name.replaceAll(/[[\]]/g, ''), { all: true })
  return found.map(({ address }) => address)
}
