import { faultOfReceiver } from '../../src/lib/addresses.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Network } from '../../src/ports/network.ts'

/** The addresses of callers, and outgoing requests. The platform resolves names and reaches the public internet only. Private
 * names and addresses are refused here too. */
export function openNetwork(outboundAllow: ReadonlySet<string>): Network {
  return {
    // Cloudflare overwrites this header of the caller.
    addressOf: ({ headers }) => headers.get('cf-connecting-ip') ?? '',
    // The platform waits as long as the caller does.
    takesLong: () => undefined,
    fetch: (request) => fetch(request),
    async fetchOutside(request) {
      const fault = faultOfReceiver(request.url, outboundAllow)
      if (fault !== null) throw new Refusal('forbidden', `The URL ${fault}.`)
      return fetch(request, { redirect: 'manual' })
    },
  }
}
