import { createSecureContext } from 'node:tls'

import { ALLOWED_ALONE, faultOfHost, isAllowedHost, isPublicAddress } from '../../src/lib/addresses.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Databases, DatabaseTarget } from '../../src/ports/databases.ts'
import { openDatabases } from '../databases/databases.ts'
import { PermitCounter } from '../databases/permits.ts'
import { lookedUp } from './network.ts'

const BATCH_MAX_BYTES = 128 * 1_024 * 1_024

type DatabaseOptions = {
  readonly outboundAllow: ReadonlySet<string>
  /** The addresses of a name, the best first. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>
}

/** The databases of users, with the permits of this process. */
export function openServerDatabases({ outboundAllow, addressesOf = lookedUp }: DatabaseOptions): Databases {
  const counter = new PermitCounter(() => performance.now())
  return openDatabases({
    batchMaxBytes: BATCH_MAX_BYTES,
    permits: {
      async take(request) {
        const id = await counter.take(request)
        return { leave: () => Promise.resolve(counter.leave(id)) }
      },
    },
    checkTls,
    async addressOf(target) {
      const fault = faultOfHost(target, outboundAllow)
      if (fault !== null) throw new Refusal('forbidden', `The host ${fault}.`)
      const addresses = await addressesOf(target.host)
      const [address] = addresses
      if (address === undefined) throw new Error('The name has no address.')
      // The connection uses this address, because the name may resolve to another one later.
      if (isAllowedHost(target, outboundAllow) || addresses.every(isPublicAddress)) return address
      throw new Refusal('forbidden', `The host leads to a private address: ${ALLOWED_ALONE}.`)
    },
  })
}

/** Drivers would fail outside of their promises. */
function checkTls({ ca }: DatabaseTarget): void {
  if (ca === null) return
  try {
    createSecureContext({ ca })
  } catch {
    throw new Refusal('source_unavailable', 'The certificates in `ca` cannot be read.')
  }
}
