import { resetMfa } from '../../../src/access/session/mfa/service.ts'
import { resetPassword } from '../../../src/access/users/service.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import type { Environment } from './action.ts'
import { withOfflineService } from './offline.ts'

type Reset = { readonly username: string; readonly password: string; readonly removesMfa: boolean }

/** Sets the password of a user in the data of a service that does not run, without a login.
 * @throws {RangeError} for an unknown user or a password that is refused */
export async function resetOffline(
  environment: Environment,
  { username, password, removesMfa }: Reset,
): Promise<void> {
  await withOfflineService(environment, async (context) => {
    try {
      const id = await resetPassword(context, username, password)
      if (removesMfa) await resetMfa(context, id)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const faults = error.errors.map(({ message }) => ` It ${message}.`)
      throw new RangeError(`${error.detail}${faults.join('')}`)
    }
  })
}
