import type { Network } from '../../src/ports/network.ts'

type Listener = { requestIP(request: Request): { readonly address: string } | null }

/** Sees who calls. The address is the peer's, or with proxies of ours in front the one that the first of them saw. */
export function openNetwork(trustedProxies: number): Network & { listensAs(listener: Listener): void } {
  let listener: Listener | null = null
  return {
    listensAs(http) {
      listener = http
    },
    fetch: (request) => fetch(request),
    addressOf(request) {
      const peer = listener?.requestIP(request)?.address ?? ''
      if (trustedProxies === 0) return peer
      const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? []
      return forwarded.at(-trustedProxies)?.trim() ?? peer
    },
  }
}
