import { semaphoreFor } from '../../../lib/semaphore.ts'
import type { Ports } from '../../../ports/index.ts'
import { findPerson, settingsOf } from './entries.ts'

/** Connections for logins at the same time, and the length of their queue: a directory that hangs must not block all logins. */
const AT_ONCE = 8
const WAITING_MAX = 32
/** A request that takes longer has lost its client. */
const LOST_MS = 60_000

const slotsOf = semaphoreFor<Ports['settings']>(AT_ONCE, WAITING_MAX, LOST_MS)

type Account = { readonly username: string; readonly directoryId: string | null }

/** Whether the directory accepts the password of an account. No answer of the directory is cached.
 * @throws {Refusal} unavailable when the directory is unavailable, overloaded when too many checks run at once */
export async function isPasswordOf(ports: Ports, account: Account, password: string): Promise<boolean> {
  const { directory, ldap } = settingsOf(ports)
  // A bind without a password succeeds at many directories, as an anonymous user.
  if (password === '') return false
  return slotsOf(ports.settings).run(ports.clock, () =>
    directory.connected(async (connection) => {
      const person = await findPerson(connection, ldap, account.username)
      if (!person || person.isDisabled) return false
      // Names are reused for other people, and directories find them in any case.
      const { directoryId, username } = account
      const isSame = directoryId === null ? person.username === username : person.directoryId === directoryId
      return isSame && connection.bind(person.dn, password)
    }),
  )
}
