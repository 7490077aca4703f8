import { faultOfHost } from '../../src/lib/addresses.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Databases, DatabaseTarget } from '../../src/ports/databases.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Permits } from '../../src/ports/permits.ts'
import { openDatabases } from '../databases/databases.ts'
import type { Environment } from './environment.ts'
import { connectMysqlSocket } from './mysql-socket.ts'
import { valueOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** A request to a Worker has six connections at most. */
const GROUP_MAX = 4
/** An isolate has 128 MB of memory. */
const BATCH_MAX_BYTES = 32 * 1_024 * 1_024

/** The databases of users. The platform resolves names and reaches the public internet only. Private names and addresses
 * are refused here too. */
export function openEdgeDatabases(permits: Permits, outboundAllow: ReadonlySet<string>): Databases {
  return openDatabases({
    permits,
    batchMaxBytes: BATCH_MAX_BYTES,
    checkTls,
    mysqlSocket: connectMysqlSocket,
    addressOf(target) {
      const fault = faultOfHost(target, outboundAllow)
      if (fault !== null) return Promise.reject(new Refusal('forbidden', `The host ${fault}.`))
      return Promise.resolve(target.host)
    },
  })
}

/** The permits of the installation, which are counted in one object. */
export function permitsInObject(namespace: Environment['PERMITS'], log: Log): Permits {
  const object = () => namespace.get(namespace.idFromName('permits'))
  return {
    async take(request) {
      const groupMax = Math.min(request.groupMax, GROUP_MAX)
      const id = valueOf((await object().take({ ...request, groupMax })) as Reply<number>)
      return {
        async leave() {
          try {
            await object().leave(id)
          } catch (error) {
            log.error('databases: giving a permit back failed; it expires by itself', error)
          }
        },
      }
    },
  }
}

function checkTls({ tls, ca }: DatabaseTarget): void {
  if (tls !== 'disable' && ca !== null)
    throw new Refusal('tls_unsupported_here', 'Workers trust certificates of public authorities only.')
}
